/// A delay that doubles with each use, up to a limit.
package struct BackOff: Hashable, Sendable {
    @usableFromInline let first: Int64
    private let limit: Int64

    /// The next delay, in nanoseconds; at least a millisecond.
    @usableFromInline package internal(set) var nanoseconds: Int64

    package var delay: Duration { .nanoseconds(nanoseconds) }

    package init(_ first: Duration, limit: Duration) {
        // A delay of nothing would make a loop.
        self.first = max(1_000_000, first.clampedNanoseconds)
        self.limit = max(self.first, limit.clampedNanoseconds)
        nanoseconds = self.first
    }

    /// Returns the present delay; the next one is twice as long.
    package mutating func next() -> Duration {
        defer { double() }
        return delay
    }

    /// Returns the time of the next attempt, in the nanoseconds of `now`; the next delay is twice as long.
    package mutating func next(after now: Int64) -> Int64 {
        defer { double() }
        return now.addingClamped(nanoseconds)
    }

    /// The next delay is the first one again. Inlinable: the scanner does it for each advert.
    @inlinable
    package mutating func reset() {
        nanoseconds = first
    }

    private mutating func double() {
        nanoseconds = nanoseconds > limit / 2 ? limit : nanoseconds * 2
    }
}

extension Duration {
    /// Waits for this time.
    ///
    /// - Returns: Whether the time has passed; a task that is cancelled waits no longer.
    @discardableResult
    package func elapsed() async -> Bool { (try? await Task.sleep(for: self)) != nil }
}
