public import IBeacon
import OkaeriPlumbing

extension RegionMonitor {
    /// A monitor's memory: ``restored(_:)`` gives it to the next one, which announces no event twice and misses none.
    public struct Memory: Hashable, Sendable {
        /// A region whose state was once known.
        public struct Region: Hashable, Sendable {
            /// Its name. With none of its signs it is another region.
            public var identifier: String
            /// The last known state.
            public var lastKnown: RegionState
            /// Its signs.
            public var signs: [Sign]

            /// A region, its last known state, and its signs.
            public init(identifier: String, lastKnown: RegionState, signs: [Sign]) {
                self.identifier = identifier
                self.lastKnown = lastKnown
                self.signs = signs
            }

            /// Returns whether it is a monitored region: one of the same name with a common sign.
            public func isSame(as region: MonitoredRegion) -> Bool {
                identifier == region.identifier
                    && signs.contains { known in region.signs.contains { $0.identity == known.identity } }
            }
        }

        /// A sign of a region.
        public struct Sign: Hashable, Sendable {
            /// The devices whose reception is the sign.
            public var identity: RegionSign.Identity
            /// The last known state.
            public var lastKnown: RegionState
            /// The learned exit time, if there is one.
            public var learnedExitTime: Duration?
            /// The names of the radios that received its beacons last, eight at most; the own one's is empty. None if that one alone did.
            public var radios: [String]

            /// A sign, its last known state, its learned exit time, and its radios.
            public init(
                identity: RegionSign.Identity, lastKnown: RegionState, learnedExitTime: Duration? = nil,
                radios: [String] = []
            ) {
                self.identity = identity
                self.lastKnown = lastKnown
                self.learnedExitTime = learnedExitTime
                self.radios = radios
            }
        }

        /// A beacon that belongs to a region.
        public struct Beacon: Hashable, Sendable {
            /// The beacon's identity.
            public var identity: BeaconIdentity
            /// Its learned silences.
            public var silences: LearnedSilences
            /// Its silences at each of several radios, eight at most, by name; the own one's is empty. None if one radio alone received it.
            public var radios: [String: LearnedSilences]

            /// A beacon and its learned silences.
            public init(
                identity: BeaconIdentity, silences: LearnedSilences, radios: [String: LearnedSilences] = [:]
            ) {
                self.identity = identity
                self.silences = silences
                self.radios = radios
            }
        }

        /// The regions whose state was once known.
        public var regions: [Region]
        /// The beacons with learned silences, at most ``RegionMonitor/memoryCapacity``: those in range, then the
        /// others.
        public var beacons: [Beacon]

        /// A memory; without arguments an empty one.
        public init(regions: [Region] = [], beacons: [Beacon] = []) {
            self.regions = regions
            self.beacons = beacons
        }
    }

    /// The maximum number of beacons in a memory: any device can invent beacons, and a household has a few.
    public static let memoryCapacity = 64

    /// Returns the memory to store for the next start, with what was learned of beacons that are away.
    public func memory(at now: Instant) -> Memory {
        let awaited = awaitedTimes(at: now)
        let regions = regions.compactMap { region -> Memory.Region? in
            guard region.lastKnown != .unknown else { return nil }
            let signs = region.signs.map { index in
                Memory.Sign(
                    identity: self.signs[index].sign.identity, lastKnown: self.signs[index].lastKnown,
                    learnedExitTime: awaited[index].map { .nanoseconds($0) },
                    radios: radios.names(of: self.signs[index]))
            }
            return Memory.Region(identifier: region.identifier, lastKnown: region.lastKnown, signs: signs)
        }
        let heard = beacons.tracks.filter { !$0.signs.isEmpty && $0.silences.isTaught }
            .sorted { $0.lastHeard > $1.lastHeard }
            .map { $0.memory(radios).beacon($0.identity) }
        let present = Set(heard.map(\.identity))
        // A beacon that is invented with the identity of a phone does not displace the phone's silences.
        let away =
            remembered
            .filter { !present.contains($0.key) && ($0.key.isPhone || beacons.slot(of: $0.key) == nil) }
            .sorted { $0.key < $1.key }
            .map { $0.value.beacon($0.key) }
        return Memory(regions: regions, beacons: Array((heard + away).prefix(Self.memoryCapacity)))
    }

    /// Continues from the memory of an earlier monitor. Call it before any other event.
    ///
    /// The state is still unknown. A region that was inside becomes inside without an enter event when its beacon is
    /// received. If the beacon is not received, the region is left after the exit time, counted from the start of the
    /// scan. A region without a common sign is another one.
    public mutating func restored(_ memory: Memory) {
        for index in regions.indices { remember(memory, of: index) }
        var known: Set<BeaconIdentity> = []
        for beacon in memory.beacons.prefix(Self.memoryCapacity) {
            // A mask may be newer than the memory: of several identities of one beacon, the first was received last.
            let identity = beacon.identity.isPhone ? beacon.identity : matcher.normalized(beacon.identity)
            guard known.insert(identity).inserted else { continue }
            remembered[identity] = SilenceModel(beacon.silences).map { BeaconMemory($0, of: beacon) }
        }
    }

    /// Takes over the last known states that were announced by another monitor, and determines the states of these regions again: where
    /// the present state differs from the announced one, that is an enter or exit event.
    ///
    /// - Parameter states: By the region's identifier; unknown for a region without an announcement.
    package mutating func announced(_ states: [String: RegionState]) -> [Action] {
        regions.indices.flatMap { index -> [Action] in
            guard let state = states[regions[index].identifier] else { return [] }
            regions[index].lastKnown = state
            for sign in regions[index].signs where signs[sign].state == .unknown && signs[sign].lastKnown != state {
                signs[sign].remembered(state, awaiting: nil)
            }
            return became(regions[index].state, index)
        }
    }

    /// Restores the state of a region that was known before the monitoring began.
    mutating func remember(_ memory: Memory, of index: Int) {
        guard let known = memory.regions.last(where: { $0.isSame(as: regions[index].region) }) else { return }
        regions[index].lastKnown = known.lastKnown
        for sign in regions[index].signs {
            guard let known = known.signs.first(where: { $0.identity == signs[sign].sign.identity }) else { continue }
            signs[sign].remembered(known.lastKnown, awaiting: known.learnedExitTime)
            guard known.lastKnown == .inside, let start = radios.awaited(known.radios, at: startedAt) else { continue }
            signs[sign].await(start)
        }
    }

    /// Returns the time that each sign's beacons would be waited for if the scan began anew now, in nanoseconds;
    /// `nil` if the sign is not inside or its time is not learned.
    func awaitedTimes(at now: Instant) -> [Int64?] {
        var times = signs.map { $0.state == .unknown ? $0.awaited : nil }
        for track in beacons.tracks {
            for index in track.signs where signs[index].learns && signs[index].holds(track.signal.value) {
                let time = signs[index].exitTime(of: track)
                guard remaining(of: track, by: index, at: now) > 0 else { continue }
                times[index] = max(times[index] ?? .min, time)
            }
        }
        return times
    }
}

/// The silences of one beacon, as all of its radios together and each of several have learned them.
struct BeaconMemory: Sendable {
    var silences: SilenceModel
    var radios: [String: SilenceModel]

    init(silences: SilenceModel, radios: [String: SilenceModel]) {
        (self.silences, self.radios) = (silences, radios)
    }

    init(_ silences: SilenceModel, of beacon: RegionMonitor.Memory.Beacon) {
        self.silences = silences
        let all = beacon.radios.sorted { $0.key < $1.key }.prefix(RadioReception.most)
        radios = all.reduce(into: [:]) { $0[$1.key] = SilenceModel($1.value) }
    }

    func beacon(_ identity: BeaconIdentity) -> RegionMonitor.Memory.Beacon {
        .init(identity: identity, silences: silences.silences, radios: radios.mapValues(\.silences))
    }
}

extension RegionMonitor.Memory {
    /// Takes over the last known states that were announced by another monitor. What was learned stays.
    ///
    /// - Parameter states: By the region's identifier; unknown for a region without an announcement.
    package mutating func announced(_ states: [String: RegionState], of monitored: [MonitoredRegion]) {
        for region in monitored {
            guard let state = states[region.identifier] else { continue }
            let known = regions.last { $0.isSame(as: region) }
            regions.removeAll { $0.identifier == region.identifier }
            guard state != .unknown else { continue }
            let signs = region.signs.map { sign -> Sign in
                var memory =
                    known?.signs.first { $0.identity == sign.identity }
                    ?? Sign(identity: sign.identity, lastKnown: state)
                memory.lastKnown = state
                return memory
            }
            regions.append(Region(identifier: region.identifier, lastKnown: state, signs: signs))
        }
    }
}
