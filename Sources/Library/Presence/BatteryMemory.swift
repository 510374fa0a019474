package import IBeacon
import OkaeriPlumbing
package import RegionMonitoring

/// The battery levels and the times of their readings, in the form that is stored.
package struct BatteryMemory: PersistedMemory {
    package struct Level: Codable, Equatable, Sendable {
        /// The beacon, as `UUID/major/minor`.
        package var beacon: String
        package var percent: UInt8
        package var source: String
        /// The time of the reception, in seconds since the Unix epoch.
        package var time: Int64
    }

    /// The last reading of a beacon by a connection, successful or not.
    package struct Reading: Codable, Equatable, Sendable {
        /// The beacon, as `UUID/major/minor`.
        package var beacon: String
        /// Its time, in seconds since the Unix epoch.
        package var time: Int64
    }

    /// `nil` without levels, as in files of versions without this key.
    package var batteries: [Level]?

    /// `nil` without readings.
    package var batteryReadings: [Reading]?

    /// Beacons send their levels again and again. The conversion of a time can have another result each time, by a second.
    package var content: BatteryMemory {
        var content = self
        for index in (batteries ?? []).indices { content.batteries?[index].time = 0 }
        for index in (batteryReadings ?? []).indices { content.batteryReadings?[index].time /= 3600 }
        return content
    }

    private static let second: Int64 = 1_000_000_000

    /// - Parameter clock: the clock of the instants.
    package init(_ batteries: BeaconBatteries, _ clock: some WallClock) {
        func seconds(_ instant: Instant) -> Int64 { clock.wallTime(of: instant) / Self.second }
        let levels = batteries.levels.sorted { $0.identity < $1.identity }.map {
            Level(
                beacon: $0.identity.description, percent: $0.percent, source: $0.source.rawValue,
                time: seconds($0.received))
        }
        let readings = batteries.readings.sorted { $0.key < $1.key }.map {
            Reading(beacon: $0.key.description, time: seconds($0.value))
        }
        self.batteries = levels.isEmpty ? nil : levels
        batteryReadings = readings.isEmpty ? nil : readings
    }

    private enum CodingKeys: String, CodingKey {
        case batteries, batteryReadings
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        batteries = try members.decodeIfPresent([Level].self, forKey: .batteries)
        batteryReadings = try members.decodeIfPresent([Reading].self, forKey: .batteryReadings)
        for level in batteries ?? [] where level.percent > 100 || BeaconIdentity(stored: level.beacon) == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .batteries, in: members,
                debugDescription: "the battery level of \"\(level.beacon)\" is not valid")
        }
        for reading in batteryReadings ?? [] where BeaconIdentity(stored: reading.beacon) == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .batteryReadings, in: members, debugDescription: "\"\(reading.beacon)\" is not a beacon")
        }
    }

    /// Returns the levels with their instants on the clock of a source.
    package func levels(_ source: some PresenceSource) -> [BeaconBattery] {
        (batteries ?? []).compactMap { level in
            guard let identity = BeaconIdentity(stored: level.beacon),
                let origin = BatterySource(rawValue: level.source)
            else { return nil }
            return BeaconBattery(
                identity: identity, percent: level.percent, source: origin,
                received: Self.instant(of: level.time, source))
        }
    }

    /// Returns the times of the readings on the clock of a source.
    package func readings(_ source: some PresenceSource) -> [BeaconIdentity: Instant] {
        let known = (batteryReadings ?? []).compactMap { reading in
            BeaconIdentity(stored: reading.beacon).map { ($0, Self.instant(of: reading.time, source)) }
        }
        return Dictionary(known) { max($0, $1) }
    }

    /// A clock that was set back makes a time the present.
    private static func instant(of time: Int64, _ source: some PresenceSource) -> Instant {
        let age = Duration.seconds(max(0, (source.now / second).subtractingClamped(time)))
        return source.instant.advanced(by: .zero - age)
    }
}

extension BeaconIdentity {
    /// - Parameter text: `UUID/major/minor`.
    fileprivate init?(stored text: String) {
        guard let identity = BeaconConstraint(text)?.identity else { return nil }
        self = identity
    }
}
