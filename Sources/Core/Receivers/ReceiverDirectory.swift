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
/// A receiver is there if it publishes now, or if the broker retains that it is online. A retained report is old, and shows only what has
/// that name. Any client of the broker can publish these messages, so the number of receivers is bounded, and names that are not safe to
/// show are ignored.
package struct ReceiverDirectory: Sendable {
    /// The maximum number of receivers.
    package static let limit = 300

    /// A topic without a wildcard counts before one that contains it.
    private static let topics = ReceiverMake.allCases.compactMap { ReceiverTopics($0) }
        .sorted { !$0.topic.contains("+") && $1.topic.contains("+") }

    /// The messages under one name so far.
    private struct State {
        /// Whether it is there: the last will of one that returned may be delivered late.
        var isThere = false
        /// Whether it is a receiver: another device may have the topic of the status.
        var isReceiver = false
    }

    private var states: [FoundReceiver: State] = [:]

    /// Whether a message was ignored because of the limit.
    package private(set) var isCut = false

    package init() {}

    /// The filters of the messages.
    ///
    /// Those of the reports are needed where a make has no status that the broker retains, or one that other devices have, too. A gateway
    /// that scans for ten seconds a minute is known by its version.
    package static let filters = [
        "espresense/rooms/+/status", "espresense/rooms/+/telemetry", "shelly-ble/+", "home/+/BTtoMQTT/#", "home/+/LWT",
        "home/+/version", "home/+/SYStoMQTT", "esphome-ble/+", "esphome-ble/+/status",
    ]

    /// The receivers that are there, in order.
    package var receivers: [FoundReceiver] { states.filter { $0.value.isThere && $0.value.isReceiver }.keys.sorted() }

    /// Handles a message.
    package mutating func receive(topic: String, payload: [UInt8], isRetained: Bool) {
        for topics in Self.topics {
            guard let subject = topics.subject(of: topic) else { continue }
            func found(_ name: String) -> FoundReceiver { FoundReceiver(topics.make, name: name, topic: topic) }
            switch subject {
            case .settings: break
            case .report(let name, _), .telemetry(let name):
                change(found(name)) {
                    $0.isReceiver = true
                    if !isRetained { $0.isThere = true }
                }
            case .version(let name): change(found(name)) { $0.isReceiver = true }
            case .status(let name):
                guard let isOnline = ReceiverPayload.isOnline(payload) else { return }
                change(found(name)) {
                    if !topics.isStatusShared { $0.isReceiver = true }
                    if isOnline || !isRetained { $0.isThere = isOnline }
                }
            }
            return
        }
    }

    private mutating func change(_ receiver: FoundReceiver, _ change: (inout State) -> Void) {
        guard states[receiver] != nil || states.count < Self.limit else {
            isCut = true
            return
        }
        change(&states[receiver, default: State()])
    }
}
