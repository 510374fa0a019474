import IBeacon
package import OkaeriPlumbing
package import RegionMonitoring

/// The region monitor's memory, in the form that is stored.
package struct PresenceMemory: PersistedMemory, Hashable {
    /// A region and its last known state.
    package struct Region: Codable, Hashable, Sendable {
        package var identifier: String
        /// Its beacons, as `UUID/major/minor`, an asterisk for any; the first of several signs.
        package var beacons: String
        /// The state: inside or outside.
        package var state: String
        /// The time of the change to that state, in seconds since 1970; `nil` in files before 0.2.0.
        package var since: Int64?
        /// The learned exit time in seconds, if there is one.
        package var exitTime: Double?
        /// The names of the radios that received its beacons last, the own one's empty; `nil` if that one alone did.
        package var radios: [String]?
        /// Its signs; `nil` for a region with one sign, and in files before 0.2.0.
        package var signs: [Sign]?
    }

    /// A sign of a region with several signs.
    package struct Sign: Codable, Hashable, Sendable {
        /// The description of its identity.
        package var sign: String
        /// The last known state.
        package var state: String
        /// The learned exit time in seconds, if there is one.
        package var exitTime: Double?
        /// As those of a region.
        package var radios: [String]?
    }

    /// A beacon, with the members of its silences beside its own.
    package struct Beacon: Codable, Hashable, Sendable {
        /// The beacon, as `UUID/major/minor`.
        package var beacon: String
        package var silences: Silences
        /// The silences at each of several radios, by name, the own one's empty; `nil` if one radio alone received it.
        package var radios: [String: Silences]?
    }

    package struct Silences: Codable, Hashable, Sendable {
        package var learned: Float
        /// The gaps of the last minutes and of the last day: the number of each length, without the zeros at the end,
        /// and the listening time in seconds. Nil in a file of version 1.
        package var minutes: [Float]?
        package var minutesListened: Float?
        package var day: [Float]?
        package var dayListened: Float?
        /// The ages of the newest gaps of each length in `day`, without the zeros at the end; `nil` in files before 0.1.0.
        package var dayAges: [UInt8]?
        /// The sums of the gaps of each length: those of `minutes`, and in version 1 those of `counts`; and those of `day`, `nil` in
        /// files of earlier versions.
        package var sums: [Float]
        package var daySums: [Float]?
        /// Only in version 1.
        package var counts: [Float]?
    }

    package var regions: [Region]
    package var beacons: [Beacon]

    package var isOccupied: Bool { regions.contains { $0.state == RegionState.inside.rawValue } }

    package var comparable: PresenceMemory {
        var comparable = self
        comparable.beacons = []
        for index in regions.indices {
            (comparable.regions[index].exitTime, comparable.regions[index].radios) = (nil, nil)
            for sign in (regions[index].signs ?? []).indices {
                comparable.regions[index].signs?[sign].exitTime = nil
                comparable.regions[index].signs?[sign].radios = nil
            }
        }
        return comparable
    }

    package var pieces: [any KeptPiece] { [RegionsPiece(regions: regions), BeaconsPiece(beacons: beacons)] }

    package func learning(asIn earlier: PresenceMemory) -> PresenceMemory {
        var memory = self
        memory.beacons = earlier.beacons
        return memory
    }

    private struct RegionsPiece: KeptPiece {
        let regions: [Region]
    }

    private struct BeaconsPiece: KeptPiece {
        let beacons: [Beacon]
    }

    /// - Parameter since: The times of the changes to the states, in nanoseconds since 1970, by the regions' identifiers.
    package init(_ memory: RegionMonitor.Memory, since: [String: Int64] = [:]) {
        regions = memory.regions.map { Region($0, since: since[$0.identifier]) }
        beacons = memory.beacons.map(Beacon.init)
    }

    private enum CodingKeys: String, CodingKey {
        case regions, beacons
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        regions = try members.decode([Region].self, forKey: .regions)
        beacons = try members.decode([Beacon].self, forKey: .beacons)
        for region in regions {
            guard region.known(isStale: false) != nil else {
                throw DecodingError.dataCorruptedError(
                    forKey: .regions, in: members, debugDescription: "the region \"\(region.identifier)\" is not valid")
            }
        }
        for beacon in beacons where beacon.identity == nil || beacon.silences.learnedSilences == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .beacons, in: members, debugDescription: "what was learned of \"\(beacon.beacon)\" is nothing")
        }
    }

    /// The times of the changes to the states, in nanoseconds since 1970, by the regions' identifiers.
    package var since: [String: Int64] {
        let times = regions.compactMap { region -> (String, Int64)? in
            guard let since = region.since, since >= 0 else { return nil }
            return (region.identifier, since.multipliedClamped(by: 1_000_000_000))
        }
        return Dictionary(times) { first, _ in first }
    }

    /// Returns the memory from which the region monitor continues.
    ///
    /// - Parameter isStale: Whether too much time has passed to know the states; what was learned stays true.
    package func monitorMemory(isStale: Bool) -> RegionMonitor.Memory {
        var memory = RegionMonitor.Memory()
        memory.regions = regions.compactMap { $0.known(isStale: isStale) }
        memory.beacons = beacons.compactMap { beacon in
            guard let identity = beacon.identity, let silences = beacon.silences.learnedSilences else { return nil }
            let radios = (beacon.radios ?? [:]).filter { $0.key.utf8.count <= Region.longestName }
            return .init(identity: identity, silences: silences, radios: radios.compactMapValues(\.learnedSilences))
        }
        return memory
    }
}

extension PresenceMemory.Region {
    init(_ known: RegionMonitor.Memory.Region, since: Int64?) {
        identifier = known.identifier
        self.since = since.map { $0 / 1_000_000_000 }
        beacons = known.signs.first?.identity.description ?? ""
        state = known.lastKnown.rawValue
        let all = known.signs.map { sign in
            PresenceMemory.Sign(
                sign: sign.identity.description, state: sign.lastKnown.rawValue,
                exitTime: sign.learnedExitTime.map(KeptDuration.seconds),
                radios: sign.radios.isEmpty ? nil : sign.radios)
        }
        if all.count == 1 { (exitTime, radios) = (all[0].exitTime, all[0].radios) } else { signs = all }
    }

    /// The maximum length of a radio's name, in bytes.
    fileprivate static let longestName = 64

    /// Returns the region as the monitor restores it; `nil` if a part of it is malformed.
    func known(isStale: Bool) -> RegionMonitor.Memory.Region? {
        let all = signs ?? [PresenceMemory.Sign(sign: beacons, state: state, exitTime: exitTime, radios: radios)]
        let known = all.compactMap { sign -> RegionMonitor.Memory.Sign? in
            guard let identity = RegionSign.Identity(sign.sign), let state = RegionState(rawValue: sign.state),
                KeptDuration.isCredible(sign.exitTime)
            else { return nil }
            return .init(
                identity: identity, lastKnown: isStale ? .unknown : state,
                learnedExitTime: sign.exitTime.map { .seconds($0) },
                radios: (sign.radios ?? []).filter { $0.utf8.count <= Self.longestName })
        }
        guard let state = RegionState(rawValue: state), 1...RegionSign.limit ~= all.count, known.count == all.count
        else {
            return nil
        }
        return .init(identifier: identifier, lastKnown: isStale ? .unknown : state, signs: known)
    }
}

extension PresenceMemory.Beacon {
    package init(_ known: RegionMonitor.Memory.Beacon) {
        let identity = known.identity
        beacon = BeaconConstraint.minor(identity.uuid, identity.major, identity.minor).description
        silences = PresenceMemory.Silences(known.silences)
        radios = known.radios.isEmpty ? nil : known.radios.mapValues(PresenceMemory.Silences.init)
    }

    private enum CodingKeys: String, CodingKey {
        case beacon, radios
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        beacon = try members.decode(String.self, forKey: .beacon)
        silences = try PresenceMemory.Silences(from: decoder)
        radios = try members.decodeIfPresent([String: PresenceMemory.Silences].self, forKey: .radios)
    }

    package func encode(to encoder: any Encoder) throws {
        try silences.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(beacon, forKey: .beacon)
        try members.encodeIfPresent(radios, forKey: .radios)
    }

    /// `nil` if it names more than one beacon.
    var identity: BeaconIdentity? { BeaconConstraint(beacon)?.identity }
}

extension PresenceMemory.Silences {
    fileprivate init(_ silences: LearnedSilences) {
        learned = silences.learned.hundredths
        (minutes, minutesListened) = (silences.minutes.counts.trimmed, silences.minutes.listened.hundredths)
        (day, dayListened) = (silences.day.counts.trimmed, silences.day.listened.hundredths)
        dayAges = Array(silences.ages.prefix((silences.ages.lastIndex { $0 != 0 } ?? -1) + 1))
        (sums, daySums) = (silences.minutes.sums.trimmed, silences.day.sums.trimmed)
    }

    /// The learned values; `nil` if their form is unknown.
    package var learnedSilences: LearnedSilences? {
        if let minutes, let minutesListened, let day, let dayListened {
            return LearnedSilences(
                minutes: .init(counts: minutes, sums: sums, listened: minutesListened),
                day: .init(counts: day, sums: daySums ?? [], listened: dayListened), ages: dayAges ?? [],
                learned: learned)
        }
        return counts.flatMap { LearnedSilences(counts: $0, sums: sums, learned: learned) }
    }
}

extension [Float] {
    /// Without the zeros at the end, to the second decimal.
    fileprivate var trimmed: [Float] {
        let rounded = map(\.hundredths)
        return Array(rounded.prefix((rounded.lastIndex { $0 != 0 } ?? -1) + 1))
    }
}

extension Float {
    /// Rounds to the second decimal: a file that is written for years need not contain more.
    fileprivate var hundredths: Float { isFinite ? (self * 100).rounded() / 100 : 0 }
}
