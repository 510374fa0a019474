import Events
import MQTT
import Plumbing
import RegionMonitoring

/// The battery levels of the regions' beacons, for Home Assistant.
extension BrokerCore {
    /// The time between two looks at the levels, which change slowly.
    static let batteryInterval: Int64 = 60_000_000_000

    /// The time in which the broker delivers the levels that it retains, after the connection.
    static let batteryDelay: Int64 = 5_000_000_000

    /// Handles a level at the broker: this hub's own, one that is out of date, or that of another client.
    mutating func batteryReceived(_ message: MQTTMessage, _ level: String, at now: Int64) -> [Output] {
        if message.payload.isEmpty {
            batteryTopics.remove(level)
        } else if batteryTopics.count < Self.topicLimit {
            batteryTopics.insert(level)
        }
        let own = identifiers[level].flatMap { batteries[$0] }.map { Array(Wire.battery($0).utf8) }
        if isHolding, !message.isRetained, let own, message.payload != own { repeats.want(message.topic, at: now) }
        return []
    }

    /// Publishes the levels that have changed, and deletes those at the broker that have ended. After a restart the hub has the levels
    /// that it knew, from its disk.
    ///
    /// - Parameter own: The levels, by the region's identifier.
    mutating func batteriesMeasured(_ own: [String: BatteryReport], at now: Moment) -> [Output] {
        guard isHolding else { return [] }
        let before = batteries
        batteries = own.filter { positions[$0.key] != nil }
        var outputs: [Output] = []
        for region in regions {
            let topic = topics.battery(name(region.level))
            if let battery = batteries[region.identifier] {
                guard before[region.identifier] != battery || !batteryTopics.contains(region.level) else { continue }
                outputs.append(.publish(.value(topic, Wire.battery(battery).utf8)))
                batteryTopics.insert(region.level)
            } else if isHub, batteryTopics.remove(region.level) != nil {
                // A standby may not have received the level.
                outputs.append(.publish(.clearing(topic)))
            }
        }
        return outputs + devicesChanged(at: now.instant)
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
}
