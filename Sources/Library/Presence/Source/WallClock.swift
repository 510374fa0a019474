import Glibc
package import RegionMonitoring

/// Says what the clock on the wall showed: decisions are driven by a monotonic clock, people read this one.
package protocol WallClock: Sendable {
    /// Nanoseconds since the Unix epoch at `instant`.
    func wallTime(of instant: Instant) -> Int64

    /// Nanoseconds since the Unix epoch, now.
    var now: Int64 { get }
}

/// The machine's clocks.
package struct SystemClock: WallClock {
    package init() {}

    /// Now, on the kernel's monotonic clock, which stands still while the machine sleeps: who is asleep does not listen.
    package static var monotonic: Instant { Instant(nanoseconds: read(CLOCK_MONOTONIC)) }

    /// Nanoseconds since the machine was started, those it slept included.
    package static var sinceBoot: Int64 { read(CLOCK_BOOTTIME) }

    package var now: Int64 { Self.read(CLOCK_REALTIME) }

    package func wallTime(of instant: Instant) -> Int64 {
        now &- (Self.monotonic.nanoseconds &- instant.nanoseconds)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
