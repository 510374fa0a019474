/// A point on the one clock that drives every decision: the kernel's monotonic clock while listening, the capture's
/// own clock in a replay. Only differences mean anything.
public struct Instant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public func advanced(by duration: Duration) -> Instant {
        Instant(nanoseconds: nanoseconds.addingClamped(duration.clampedNanoseconds))
    }

    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds.subtractingClamped(nanoseconds))
    }

    /// How many seconds it is until `other`.
    @inline(__always)
    func seconds(to other: Instant) -> Double { Double(other.nanoseconds.subtractingClamped(nanoseconds)) / 1e9 }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The whole nanoseconds, the nearest representable number where there are too many: 292 years.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return whole.addingClamped(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    /// The sum, held at the ends: a capture's clock may say anything, and nothing may trap on it.
    @inlinable
    @inline(__always)
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, held at the ends.
    @inline(__always)
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
