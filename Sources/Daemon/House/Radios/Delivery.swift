import OkaeriPlumbing

/// Whether the broker delivers to this node: its own description comes back behind everything that the broker retains.
struct Delivery: Sendable {
    ///     away → waiting     connected
    ///     waiting → settled  the own description came back
    ///     any → away         disconnected
    private enum State: Sendable {
        case away
        case waiting(since: Int64, askedAt: Int64, count: Int)
        case settled
    }

    /// The interval after which the own description is published again, and how often until everything is subscribed to again: a
    /// broker drops what exceeds its queue. After the last time the broker counts as one that delivers nothing.
    private static let (pause, repetitions) = (5 * Nanoseconds.second, 6)
    private static let longest = 30 * Nanoseconds.second

    private var state = State.away

    var isSettled: Bool { if case .settled = state { true } else { false } }

    var nextDeadline: Int64? {
        if case .waiting(_, let askedAt, _) = state { askedAt.addingClamped(Self.pause) } else { nil }
    }

    func isUnreadable(at now: Int64) -> Bool {
        if case .waiting(let since, _, _) = state { now >= since.addingClamped(Self.longest) } else { false }
    }

    mutating func connected(at now: Int64) { state = .waiting(since: now, askedAt: now, count: 0) }

    mutating func disconnected() { state = .away }

    /// Handles the own description. Returns whether the broker delivers from now on.
    mutating func received() -> Bool {
        guard case .waiting = state else { return false }
        state = .settled
        return true
    }

    /// Handles that time has passed. Returns whether to publish the description again, and to subscribe to everything again.
    mutating func advance(to now: Int64) -> (repeatsDescription: Bool, subscribesAgain: Bool) {
        guard let due = nextDeadline, due <= now, case .waiting(let since, _, let count) = state else {
            return (false, false)
        }
        state = .waiting(since: since, askedAt: now, count: (count + 1) % Self.repetitions)
        return ((count + 1) % Self.repetitions != 0, (count + 1) % Self.repetitions == 0)
    }
}
