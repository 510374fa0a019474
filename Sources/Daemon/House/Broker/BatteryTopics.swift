import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing

/// The battery levels of the regions' beacons at the broker, for Home Assistant.
struct BatteryTopics: Sendable {
    /// The time between two looks at the levels, which change slowly.
    private static let interval = 60 * Nanoseconds.second

    /// The time in which the broker delivers the levels that it retains, after the connection.
    private static let delay = 5 * Nanoseconds.second

    /// The levels that this hub published, by the region's identifier.
    private var published: [String: BatteryReport] = [:]
    /// The levels in topics that have a battery level at the broker.
    private(set) var levels: Set<String> = []
    /// The time of the next look at this node's battery levels; `nil` without a connection.
    private(set) var nextDeadline: Int64?

    /// The identifiers of the regions whose level is known.
    var regions: Set<String> { Set(published.keys) }

    /// Handles CONNACK. The broker delivers its retained levels next.
    mutating func connected() { levels = [] }

    mutating func disconnected() { nextDeadline = nil }

    /// Handles that this node decides for the site from now on.
    mutating func began(at now: Int64) { nextDeadline = now.addingClamped(Self.delay) }

    /// Handles the passing of time.
    ///
    /// - Returns: Whether to measure the levels.
    mutating func advance(to now: Int64) -> Bool {
        guard let due = nextDeadline, due <= now else { return false }
        nextDeadline = now.addingClamped(Self.interval)
        return true
    }

    /// Handles a level at the broker: this hub's own, one that is out of date, or that of another client.
    ///
    /// - Returns: Whether it is another one than this hub has published.
    mutating func received(_ message: MQTTMessage, _ level: String, of identifier: String?) -> Bool {
        if message.payload.isEmpty {
            levels.remove(level)
        } else if levels.count < BrokerCore.topicLimit {
            levels.insert(level)
        }
        guard let own = identifier.flatMap({ published[$0] }) else { return false }
        return message.payload != Array(Wire.battery(own).utf8)
    }

    /// Publishes the levels that have changed, and deletes those at the broker that have ended. After a restart the hub has the levels
    /// that it knew, from its disk.
    ///
    /// - Parameters:
    ///   - own: The levels, by the region's identifier.
    ///   - deletes: Whether levels that are not known here are deleted. A standby may not have received the level.
    mutating func measured(
        _ own: [String: BatteryReport], of regions: [BrokerCore.Region], _ topics: Topics, deletes: Bool
    ) -> [BrokerCore.Output] {
        let before = published
        let identifiers = Set(regions.map(\.identifier))
        published = own.filter { identifiers.contains($0.key) }
        return regions.compactMap { region in
            let topic = topics.battery(TopicName(region.level))
            guard let battery = published[region.identifier] else {
                return deletes && levels.remove(region.level) != nil ? .publish(.clearing(topic)) : nil
            }
            guard before[region.identifier] != battery || !levels.contains(region.level) else { return nil }
            levels.insert(region.level)
            return .publish(.value(topic, Wire.battery(battery).utf8))
        }
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
