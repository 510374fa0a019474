import OkaeriPlumbing

/// A point on the clock of all decisions: the kernel's monotonic clock during a scan, the capture's own clock in a
/// replay. Only differences have a meaning.
public struct Instant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    /// A point so many nanoseconds after the clock's origin, or before it.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The point that much later, held at the ends of 64 bits.
    public func advanced(by duration: Duration) -> Instant {
        Instant(nanoseconds: nanoseconds.addingClamped(duration.clampedNanoseconds))
    }

    /// Returns the duration until `other`, clamped to 64 bits of nanoseconds: 292 years.
    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds.subtractingClamped(nanoseconds))
    }

    /// Returns the number of seconds until `other`.
    @inline(__always)
    func seconds(to other: Instant) -> Double { Double(other.nanoseconds.subtractingClamped(nanoseconds)) / 1e9 }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
