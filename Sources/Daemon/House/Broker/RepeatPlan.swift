import OkaeriPlumbing

/// The topics of this node that another client changed or emptied, with the times of their next publication. A topic is published
/// once a second at most, so that two clients that insist on a topic do not flood the broker.
struct RepeatPlan: Sendable {
    private static let interval: Int64 = 1_000_000_000

    private var pending: [String: Int64] = [:]
    private var repeatedAt: [String: Int64] = [:]

    /// The next time at which a topic is due. May be early, is never late.
    var nextDeadline: Int64? { pending.values.min() }

    /// Plans to publish one of this node's topics again. Their number bounds the plan.
    mutating func want(_ topic: String, at now: Int64) {
        guard pending[topic] == nil else { return }
        pending[topic] = max(now, (repeatedAt[topic] ?? .min).addingClamped(Self.interval))
    }

    /// Returns the topics that are due, in order.
    mutating func due(at now: Int64) -> [String] {
        let due = pending.filter { $0.value <= now }.keys.sorted()
        for topic in due { (pending[topic], repeatedAt[topic]) = (nil, now) }
        return due
    }
}
