/// A delay that doubles with each use, up to a limit.
struct BackOff: Hashable, Sendable {
    private let first: Int64
    private let limit: Int64

    /// The next delay, in nanoseconds.
    private(set) var delay: Int64

    init(_ first: Duration, limit: Duration) {
        // A delay of nothing would make a loop.
        self.first = max(1_000_000, first.nanoseconds)
        self.limit = max(self.first, limit.nanoseconds)
        delay = self.first
    }

    /// When to try again, `now` being the time; the next delay is twice as long.
    mutating func next(after now: Int64) -> Int64 {
        defer { delay = delay > limit / 2 ? limit : delay * 2 }
        return now.adding(delay)
    }

    /// The next delay is the first one again.
    mutating func reset() {
        delay = first
    }
}

extension Int64 {
    /// The sum, or the end of time.
    func adding(_ delay: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(delay)
        return overflow ? .max : sum
    }
}
