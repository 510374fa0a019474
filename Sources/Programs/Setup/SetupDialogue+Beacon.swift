import Events
import IBeacon
import OkaeriConfiguration
import Plumbing
import RegionMonitoring

extension SetupDialogue {
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
        return take(.minor(identity.uuid, identity.major, identity.minor), heard: chosen.beacon)
    }

    private mutating func take(_ constraint: BeaconConstraint, heard beacon: BeaconReport?) -> [Action] {
        answers.beacons = constraint
        let signal = beacon?.rssi.map { ", \($0) dBm" } ?? ""
        return [.stopListening, .say("\(constraint)\(signal)")] + next()
    }

    private var ownName: String? { regions.first { $0.monitored.region.constraint == answers.beacons }?.identifier }

    /// The name that Enter stands for; nil: one has to be typed.
    private var usualName: String? {
        ownName ?? (regions.contains { $0.identifier == "home" } ? nil : "home")
    }

    mutating func askIdentifier() -> [Action] {
        let known =
            ownName.map { [Action.say("It is the region \"\($0.plain(replacesFormat: true))\" already.")] } ?? []
        return known + ask(.identifier, "What shall it be called? " + (usualName.map { "[\($0)] " } ?? ""))
    }

    mutating func named(_ line: String) -> [Action] {
        let name = line.isEmpty ? usualName ?? "" : line
        guard Configuration.Region.isIdentifier(name) else {
            return [.say("A name such as keys, car or Anna, please.")] + askIdentifier()
        }
        if let beacons = regions.first(where: { $0.identifier == name })?.monitored.region.constraint,
            beacons != answers.beacons
        {
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
