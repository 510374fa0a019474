import OkaeriPlumbing

/// A receiver that publishes at a broker.
package struct FoundReceiver: Hashable, Comparable, Sendable {
    package var make: ReceiverMake
    /// Its own name.
    package var name: String
    /// The topic of a message of it.
    package var topic: String

    package init(_ make: ReceiverMake, name: String, topic: String) {
        (self.make, self.name, self.topic) = (make, name, topic)
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.make.rawValue, one.name) < (other.make.rawValue, other.name)
    }

    package static func == (one: Self, other: Self) -> Bool { one.make == other.make && one.name == other.name }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(make)
        hasher.combine(name)
    }
}

/// The receivers that publish at a broker under the usual topics of their makes, for an offer to use them.
///
/// A receiver is there if it publishes now, or if the broker retains that it is online. A retained report is old, and shows nothing. Any
/// client of the broker can publish these messages, so the number of receivers is bounded, and names that are not safe to show are ignored.
package struct ReceiverDirectory: Sendable {
    /// The maximum number of receivers.
    package static let limit = 300

    /// A topic without a wildcard counts before one that contains it.
    private static let topics = ReceiverMake.allCases.compactMap { ReceiverTopics($0) }
        .sorted { !$0.topic.contains("+") && $1.topic.contains("+") }

    /// The receivers that have published, and whether one is there: the last will of one that returned may be delivered late.
    private var states: [FoundReceiver: Bool] = [:]

    /// Whether a message was ignored because of the limit.
    package private(set) var isCut = false

    package init() {}

    /// The filters of the messages.
    ///
    /// Those of the reports are needed where a make has no status that the broker retains, or one that other devices have, too.
    package static let filters = [
        "espresense/rooms/+/status", "espresense/rooms/+/telemetry", "shelly-ble/+", "home/+/BTtoMQTT/#", "home/+/LWT",
        "esphome-ble/+", "esphome-ble/+/status",
    ]

    /// The receivers that are there, in order.
    package var receivers: [FoundReceiver] { states.filter(\.value).keys.sorted() }

    /// Handles a message.
    package mutating func receive(topic: String, payload: [UInt8], isRetained: Bool) {
        for topics in Self.topics {
            guard let subject = topics.subject(of: topic) else { continue }
            switch subject {
            case .settings: return
            case .report(let name, _), .telemetry(let name):
                if !isRetained { set(FoundReceiver(topics.make, name: name, topic: topic), isThere: true) }
            case .status(let name):
                // Each Shelly has that topic, with or without the script.
                guard topics.make != .shelly, let isOnline = ReceiverPayload.isOnline(payload) else { return }
                let receiver = FoundReceiver(topics.make, name: name, topic: topic)
                if isOnline || !isRetained || states[receiver] == nil { set(receiver, isThere: isOnline) }
            }
            return
        }
    }

    private mutating func set(_ receiver: FoundReceiver, isThere: Bool) {
        guard states[receiver] != nil || states.count < Self.limit else {
            isCut = true
            return
        }
        states[receiver] = isThere
    }
}
