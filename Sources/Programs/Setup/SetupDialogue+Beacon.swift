import Events
import IBeacon
import OkaeriConfiguration
import Plumbing
import RegionMonitoring

extension SetupDialogue {
    /// The weakest signal of a beacon that is held to the machine, in dBm.
    private static let weakestInHand: Int8 = -60

    mutating func found(_ bluetooth: Bluetooth) -> [Action] {
        guard answers.beacons == nil else { return [] }
        switch bluetooth {
        case .on:
            hearsBeacons = true
            return next()
        case .off(let intention):
            return ask(.switchOn, "Bluetooth is off. Shall okaeri \(intention)? [Y/n] ")
        case .unusable(let reason, let isPermission):
            return [.say(reason), .end(.noBluetooth(isPermission: isPermission))]
        }
    }

    mutating func askBeacon() -> [Action] {
        question = .beacon
        return [.choose("Which is yours? Its number, or Enter for the nearest: ")]
    }

    mutating func heard(_ beacons: [BeaconReport]) -> [Action] {
        guard question == .beacon else { return [] }
        candidates = beacons.nearestFirst.compactMap { beacon in
            guard let identity = beacon.identity else { return nil }
            let number = numbers[identity] ?? numbers.count + 1
            numbers[identity] = number
            return Candidate(number: number, beacon: beacon)
        }
        return [.show(candidates)]
    }

    mutating func chose(_ line: String) -> [Action] {
        if let constraint = BeaconConstraint(line) { return take(constraint, heard: nil) }
        let chosen = line.isEmpty ? candidates.first : candidates.first { String($0.number) == line }
        guard let chosen, let identity = chosen.beacon.identity else {
            let why =
                candidates.isEmpty
                ? "No beacon is heard yet: is it switched on, and not connected to its app?"
                : line.isEmpty ? "" : "\"\(line.plain(replacesFormat: true))\" is none of the numbers."
            return [.say(why)] + askBeacon()
        }
        if let rssi = chosen.beacon.rssi, rssi < Self.weakestInHand {
            doubted = chosen
            return ask(
                .weak,
                "\(identity.major)/\(identity.minor) is received with \(rssi) dBm only. Is this the one in your hand? [y/N] "
            )
        }
        return take(.minor(identity.uuid, identity.major, identity.minor), heard: chosen.beacon)
    }

    mutating func takeDoubted() -> [Action] {
        guard let beacon = doubted?.beacon, let identity = beacon.identity else { return askBeacon() }
        return take(.minor(identity.uuid, identity.major, identity.minor), heard: beacon)
    }

    private mutating func take(_ constraint: BeaconConstraint, heard beacon: BeaconReport?) -> [Action] {
        answers.beacons = constraint
        let signal = beacon?.rssi.map { ", \($0) dBm" } ?? ""
        return [.stopListening, .say("\(constraint)\(signal)")] + next()
    }

    private var ownName: String? { regions.first { $0.monitored.constraint == answers.beacons }?.identifier }

    /// The name that Enter stands for; nil: one has to be typed.
    private var usualName: String? {
        ownName ?? owner.flatMap { owner in regions.contains { $0.identifier == owner } ? nil : owner }
    }

    mutating func askIdentifier() -> [Action] {
        let known =
            ownName.map { [Action.say("It is the region \"\($0.plain(replacesFormat: true))\" already.")] } ?? []
        let usual = usualName.map { " [\($0.plain(replacesFormat: true))]" } ?? ""
        return known + ask(.identifier, "Whose beacon is this? A name such as Anna or keys\(usual): ")
    }

    mutating func named(_ line: String) -> [Action] {
        let name = line.isEmpty ? usualName ?? "" : line
        guard Configuration.Region.isIdentifier(name) else {
            return [.say("A name such as keys, car or Anna, please.")] + askIdentifier()
        }
        if let region = regions.first(where: { $0.identifier == name })?.monitored, region.constraint != answers.beacons
        {
            guard let beacons = region.constraint else {
                let plain = name.plain(replacesFormat: true)
                let signs = region.otherSigns ?? ""
                return [.say("\"\(plain)\" \(signs); change that in beacons.json, or choose another name.")]
                    + askIdentifier()
            }
            return ask(
                .replacement(name), "\"\(name)\" is \(beacons) so far. Shall it be this one from now on? [y/N] ")
        }
        answers.identifier = name
        return next()
    }
}

extension BeaconReport {
    var identity: BeaconIdentity? {
        BeaconUUID(uuid).map { BeaconIdentity(uuid: $0, major: major, minor: minor) }
    }
}
