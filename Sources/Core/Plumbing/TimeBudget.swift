/// A limit of the time for which something is in use, such as an antenna, in any window of time that slides along.
///
/// A value without a clock; times are nanoseconds of a clock that does not go back.
package struct TimeBudget: Sendable {
    /// The result of an update, and when to call ``update(isWanted:at:)`` again.
    package struct Decision: Hashable, Sendable {
        package var isGranted: Bool
        package var next: Int64?

        package init(isGranted: Bool, next: Int64?) { (self.isGranted, self.next) = (isGranted, next) }
    }

    private struct Use: Sendable {
        var begin: Int64
        var end: Int64

    }

    private let limit: Int64
    private let window: Int64

    /// The rest below which no use begins: shorter ones would switch something on and off, and help nothing.
    private let useful: Int64

    /// The ended uses of the window, oldest first.
    private var uses: [Use] = []
    private var usedSince: Int64?
    private var endsAt: Int64?

    /// The share of the limit that each use counts at least. It bounds the number of stored uses.
    private static let shares: Int64 = 60

    /// Creates a full budget.
    package init(limit: Duration, window: Duration, useful: Duration) {
        self.limit = max(0, limit.clampedNanoseconds)
        self.window = window.clampedNanoseconds
        // A limit below it would never be used.
        self.useful = min(max(1, useful.clampedNanoseconds), max(1, self.limit))
    }

    /// Decides whether the use goes on, begins or ends, after a change of the wish or when the time of the last decision has come.
    package mutating func update(isWanted: Bool, at now: Int64) -> Decision {
        let begin = now.subtractingClamped(window)
        uses.removeAll { $0.end <= begin }
        if let usedSince {
            if isWanted, let endsAt, now < endsAt { return Decision(isGranted: true, next: endsAt) }
            uses.append(Use(begin: usedSince, end: max(now, usedSince.addingClamped(limit / Self.shares))))
        }
        (usedSince, endsAt) = (nil, nil)
        guard isWanted else { return Decision(isGranted: false, next: nil) }
        let rest = limit.subtractingClamped(spent(at: now))
        guard rest >= useful else { return Decision(isGranted: false, next: recovery(from: rest, at: now)) }
        usedSince = now
        endsAt = now.addingClamped(rest)
        return Decision(isGranted: true, next: endsAt)
    }

    private func spent(at now: Int64) -> Int64 {
        uses.reduce(0) { sum, use in
            sum.addingClamped(use.end.subtractingClamped(max(use.begin, now.subtractingClamped(window))))
        }
    }

    /// Returns when enough of the uses has left the window for another one.
    private func recovery(from rest: Int64, at now: Int64) -> Int64? {
        var missing = useful.subtractingClamped(rest)
        for use in uses {
            let begin = max(use.begin, now.subtractingClamped(window))
            let length = use.end.subtractingClamped(begin)
            if length >= missing { return begin.addingClamped(missing).addingClamped(window) }
            missing -= length
        }
        return nil
    }
}
