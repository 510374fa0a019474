import Plumbing
package import RegionMonitoring

/// Converts instants to the wall clock: a monotonic clock drives the decisions, and people read the wall clock.
package protocol WallClock: Sendable {
    /// Nanoseconds since the Unix epoch at `instant`.
    func wallTime(of instant: Instant) -> Int64

    /// Nanoseconds since the Unix epoch, now.
    var now: Int64 { get }
}

package struct SystemClock: WallClock {
    package init() {}

    /// The kernel's monotonic clock. It stands still during suspend, in which the adapter receives nothing.
    package static var monotonic: Instant { Instant(nanoseconds: KernelClock.monotonic) }

    package var now: Int64 { KernelClock.realtime }

    package func wallTime(of instant: Instant) -> Int64 {
        now &- (Self.monotonic.nanoseconds &- instant.nanoseconds)
    }
}
