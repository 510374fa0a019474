import IBeacon
import Plumbing
import RegionMonitoring

/// The battery levels, in the form that is stored.
package struct BatteryMemory: PersistedMemory {
    package struct Level: Codable, Equatable, Sendable {
        /// The beacon, as `UUID/major/minor`.
        package var beacon: String
        package var percent: UInt8
        package var source: String
        /// The time of the reception, in seconds since the Unix epoch.
        package var time: Int64
    }

    /// `nil` without levels, as in files of versions without this key.
    package var batteries: [Level]?

    /// Beacons send their levels again and again.
    package var content: BatteryMemory {
        BatteryMemory(
            batteries?.map { Level(beacon: $0.beacon, percent: $0.percent, source: $0.source, time: 0) } ?? [])
    }

    private static let second: Int64 = 1_000_000_000

    init(_ levels: [Level]) {
        batteries = levels.isEmpty ? nil : levels
    }

    /// - Parameter clock: the clock of the levels' instants.
    package init(_ levels: [BeaconBattery], _ clock: some WallClock) {
        self.init(
            levels.sorted { $0.identity < $1.identity }.map {
                Level(
                    beacon: $0.identity.description, percent: $0.percent, source: $0.source.rawValue,
                    time: clock.wallTime(of: $0.received) / Self.second)
            })
    }

    private enum CodingKeys: String, CodingKey {
        case batteries
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        batteries = try members.decodeIfPresent([Level].self, forKey: .batteries)
        for level in batteries ?? [] where level.percent > 100 || level.identity == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .batteries, in: members, debugDescription: "the battery level of \"\(level.beacon)\" is none")
        }
    }

    /// Returns the levels with their instants on the clock of a source.
    package func levels(_ source: some PresenceSource) -> [BeaconBattery] {
        let (instant, now) = (source.instant, source.now / Self.second)
        return (batteries ?? []).compactMap { level in
            // A clock that was set back makes a level new.
            let age = Duration.seconds(max(0, now.subtractingClamped(level.time)))
            guard let identity = level.identity, let source = BatterySource(rawValue: level.source) else { return nil }
            return BeaconBattery(
                identity: identity, percent: level.percent, source: source, received: instant.advanced(by: .zero - age))
        }
    }
}

extension BatteryMemory.Level {
    fileprivate var identity: BeaconIdentity? {
        guard case .minor(let uuid, let major, let minor) = BeaconConstraint(beacon) else { return nil }
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }
}
