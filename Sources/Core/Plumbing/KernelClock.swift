import Glibc

package enum KernelClock {
    /// Since the Unix epoch: what people read, and what may be set.
    package static var realtime: Int64 { read(CLOCK_REALTIME) }

    /// The monotonic clock. It stands still during suspend, in which nothing is received.
    package static var monotonic: Int64 { read(CLOCK_MONOTONIC) }

    /// Since the machine was started, the time it slept included.
    package static var boottime: Int64 { read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Safe: it writes the one value that it is given.
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
