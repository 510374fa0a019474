import OkaeriMQTT
import OkaeriPlumbing

/// Whether the broker delivers retained messages to a subscription with wildcards (MQTT 5.0, 3.3.1.3). Without them a node does
/// not learn of the other nodes.
struct Retention: Sendable {
    ///     unknown → waiting     this node's own description came back: the broker retains it
    ///     waiting → missing     the broker did not deliver it as a retained message
    ///     unknown, waiting, missing → delivered   the broker delivered a retained message
    private enum State: Sendable {
        case unknown
        case waiting(until: Int64)
        case missing
        case delivered
    }

    /// The time limit of the delivery.
    private static let limit: Int64 = 10_000_000_000

    private var state = State.unknown

    var isMissing: Bool { if case .missing = state { true } else { false } }

    var nextDeadline: Int64? { if case .waiting(let until) = state { until } else { nil } }

    /// Handles that the broker retains a message of this node.
    ///
    /// - Returns: whether to subscribe to it.
    mutating func published(at now: Int64) -> Bool {
        guard case .unknown = state else { return false }
        state = .waiting(until: now.addingClamped(Self.limit))
        return true
    }

    /// Handles a retained message.
    ///
    /// - Returns: whether the subscription has served its purpose.
    mutating func received() -> Bool {
        defer { state = .delivered }
        return nextDeadline != nil
    }

    /// Handles the passing of time.
    ///
    /// - Returns: whether the subscription has served its purpose.
    mutating func advance(to now: Int64) -> Bool {
        guard let due = nextDeadline, due <= now else { return false }
        state = .missing
        return true
    }
}

extension BrokerCore {
    /// The fault of the broker in delivering messages.
    func fault(at now: Int64) -> BrokerProblem? {
        if delivery.isUnreadable(at: now) { return .deliversNothing }
        return retention.isMissing ? .withholdsRetained : nil
    }

    /// Handles a message of the house. A house that is new has no retained message but this node's own.
    mutating func retentionExamined(_ message: MQTTMessage, at now: Int64) -> [Output] {
        switch topics.subject(of: message.topic) {
        case .about(node) where !message.isRetained && message.payload == about.payload:
            return retention.published(at: now) ? [.subscribe(topics.onlyAbout(node))] : []
        case .status, .about, .scanner, .battery:
            return message.isRetained && retention.received() ? [.unsubscribe(topics.onlyAbout(node))] : []
        // Their subscriptions may have no wildcard.
        case .region, .event, .promptAnswer, .observation, .heard, .hub, .wanted, .regions, .restart, nil: return []
        }
    }
}
