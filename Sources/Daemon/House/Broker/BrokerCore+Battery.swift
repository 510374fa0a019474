import Agreement
import Events
import MQTT
import Plumbing
import RegionMonitoring

/// The battery levels of the regions' beacons, for Home Assistant.
extension BrokerCore {
    /// The time between two looks at this node's levels, which change slowly.
    static let batteryInterval: Int64 = 60_000_000_000

    /// The time in which the broker delivers the levels that it retains, after the connection.
    static let batteryDelay: Int64 = 5_000_000_000

    private static let day: Int64 = 86_400_000_000_000
    private static let retention = MonitoredRegion.batteryRetention.components.seconds * 1_000_000_000

    /// Publishes this node's levels that differ from those at the broker, and deletes those at the broker that have ended.
    ///
    /// - Parameter own: This node's levels, by the region's identifier.
    mutating func batteriesMeasured(_ own: [String: BatteryReport], at now: Moment) -> [Output] {
        guard isConnected else { return [] }
        let news = levels.compactMap { level -> Output? in
            let topic = topics.battery(name(level))
            guard let battery = regions[level].flatMap({ own[$0] }) else {
                guard hasEnded(level, at: now.wall) else { return nil }
                (endedBatteries[level], batteries[level], publishedBatteries[level]) = (batteries[level], nil, nil)
                return .publish(.clearing(topic))
            }
            guard isNews(battery, of: level, at: now.wall) else { return nil }
            (batteries[level], publishedBatteries[level]) = (battery, battery)
            return .publish(.value(topic, Wire.battery(battery).utf8))
        }
        return news + announcements(at: now.instant)
    }

    /// Returns whether a level replaces another one at the broker: a later one of the same beacon, a lower one of another
    /// beacon, or any other one than this node published itself. A level at the broker that is a day old, or of the far future, is
    /// replaced by any later one.
    private func isNews(_ battery: BatteryReport, of level: String, at wall: Int64) -> Bool {
        guard let known = batteries[level], let before = Timestamp.nanoseconds(known.time),
            before <= wall.addingClamped(Self.day), let time = Timestamp.nanoseconds(battery.time)
        else { return true }
        let isSame = (known.major, known.minor) == (battery.major, battery.minor)
        if known == publishedBatteries[level], !isSame || battery.percent != known.percent { return true }
        guard time > before else { return false }
        if time.subtractingClamped(before) >= Self.day { return true }
        return isSame ? battery.percent != known.percent : battery.percent < known.percent
    }

    /// Returns whether the level at the broker has ended, for a node without an own one.
    ///
    /// A node deletes its own level. The announcer, or without one the owner, deletes each level that is too old. It also deletes
    /// the level of a region that uses none, once for each connection: a node may have published it before its configuration
    /// changed. A node that still uses levels publishes its own one again.
    private func hasEnded(_ level: String, at wall: Int64) -> Bool {
        guard let known = batteries[level] else { return false }
        if known == publishedBatteries[level] { return true }
        guard (house.announcer(of: level) ?? house.owner(of: level)) == node else { return false }
        if described[level]?.usesBattery == false { return endedBatteries[level] == nil }
        let age = Timestamp.nanoseconds(known.time).map { wall.subtractingClamped($0) } ?? .max
        return age > Self.retention && endedBatteries[level] != known
    }

    /// Handles a level at the broker. It belongs to the house: this node does not publish its own one again.
    mutating func batteryReceived(_ message: MQTTMessage, of level: String, at now: Int64) -> [Output] {
        let battery = Wire.battery(message.payload)
        if battery == nil || batteries[level] != nil || regions[level] != nil || batteries.count < Self.topicLimit {
            batteries[level] = battery
        }
        return [.release(topic: message.topic)] + announcements(at: now)
    }
}

extension Wire {
    static func battery(_ battery: BatteryReport) -> String {
        [
            EventField("percent", .integer(battery.percent)), EventField("low", .flag(battery.low)),
            text("time", battery.time), text("source", battery.source),
            EventField("major", .integer(Int(battery.major))), EventField("minor", .integer(Int(battery.minor))),
        ].json
    }

    /// Returns a region's battery level, or `nil` for a payload that no node publishes.
    static func battery(_ payload: [UInt8]) -> BatteryReport? {
        guard let battery = decode(BatteryReport.self, payload), 0...100 ~= battery.percent,
            let time = Timestamp.nanoseconds(battery.time), let source = name(battery.source)
        else { return nil }
        return BatteryReport(
            percent: battery.percent, time: Timestamp.text(time), source: source, major: battery.major,
            minor: battery.minor)
    }
}
