import Events
import MQTT
import Plumbing

/// The battery levels of the regions' beacons, for Home Assistant.
extension BrokerCore {
    /// The time between two looks at this node's levels, which change slowly.
    static let batteryInterval: Int64 = 60_000_000_000

    /// The time in which the broker delivers the levels that it retains, after the connection.
    static let batteryDelay: Int64 = 5_000_000_000

    private static let day: Int64 = 86_400_000_000_000

    /// Publishes this node's levels that differ from those at the broker.
    ///
    /// - Parameter own: This node's levels, by the region's identifier.
    mutating func batteriesMeasured(_ own: [String: BatteryReport], at now: Moment) -> [Output] {
        guard isConnected else { return [] }
        let news = levels.compactMap { level -> Output? in
            guard let battery = regions[level].flatMap({ own[$0] }),
                Self.isNews(battery, batteries[level], at: now.wall)
            else { return nil }
            batteries[level] = battery
            return .publish(.value(topics.battery(name(level)), Wire.battery(battery).utf8))
        }
        return news + announcements(at: now.instant)
    }

    /// Returns whether a level replaces another one at the broker: a later one of the same beacon, or a lower one of another
    /// beacon. A level at the broker that is a day old, or of the far future, is replaced by any later one.
    private static func isNews(_ battery: BatteryReport, _ known: BatteryReport?, at wall: Int64) -> Bool {
        guard let known, let before = Timestamp.nanoseconds(known.time), before <= wall.addingClamped(day),
            let time = Timestamp.nanoseconds(battery.time)
        else { return true }
        guard time > before else { return false }
        if time.subtractingClamped(before) >= day { return true }
        let isSame = (known.major, known.minor) == (battery.major, battery.minor)
        return isSame ? battery.percent != known.percent : battery.percent < known.percent
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
