import Glibc

extension Duration {
    /// The whole nanoseconds, the nearest representable number where there are too many: 292 years.
    package var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedClamped(by: Nanoseconds.second).addingClamped(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    /// The sum, held at the ends: a capture's clock may have any value, and nothing may trap on it.
    @inlinable
    @inline(__always)
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, held at the ends.
    @inlinable
    @inline(__always)
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    /// The product, held at the ends.
    package func multipliedClamped(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

/// Spans of time as whole nanoseconds.
package enum Nanoseconds {
    package static let second: Int64 = 1_000_000_000

    package static func seconds(_ span: Int64) -> Double { Double(span) / 1e9 }

    /// The whole nanoseconds of a span in seconds, as a `Duration` of it has them; less than 64 bits of them.
    package static func count(_ seconds: Double) -> Int64 {
        let whole = seconds.rounded(.towardZero)
        return Int64(whole) * second + Int64((seconds - whole) * 1e18) / second
    }
}

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

/// A point in time, in nanoseconds on two clocks.
package struct Moment: Hashable, Sendable {
    /// The time on a clock that is never set. Only differences have a meaning.
    package var instant: Int64

    /// The time on the wall clock, since the Unix epoch: for people and files. The clock may be set.
    package var wall: Int64

    package init(instant: Int64, wall: Int64) {
        self.instant = instant
        self.wall = wall
    }

    /// A moment of a recording, whose clock is both.
    package init(recorded time: Int64) { self.init(instant: time, wall: time) }

    /// Now; `instant` counts from the machine's start, the time it slept included.
    package static var now: Moment { Moment(instant: KernelClock.boottime, wall: KernelClock.realtime) }
}

/// Notices that the wall clock was set: by the network, a while after the machine's start, or by a person.
package struct ClockWatch: Sendable {
    /// A leap second is not logged.
    private static let tolerance = Duration.seconds(2)

    /// The difference between the two clocks.
    private var offset: Int64

    package init(at now: Moment) {
        offset = now.wall &- now.instant
    }

    /// Returns how far the clock was set forward since the last look, negative for back; nil where it was left alone.
    package mutating func looked(at now: Moment) -> Duration? {
        let step = Duration.nanoseconds((now.wall &- now.instant).subtractingReportingOverflow(offset).partialValue)
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return nil }
        offset = now.wall &- now.instant
        return step
    }
}

extension Duration {
    package func seconds(digits: Int) -> Double { (self / .seconds(1)).rounded(digits: digits) }

    /// The duration in its largest unit: `3 days`, `5 h`, `2 min`, `40 s`.
    package var roughly: String {
        let seconds = self / .seconds(1)
        let units = [("days", 86_400.0), ("h", 3600), ("min", 60)]
        let unit = units.first { seconds >= 2 * $0.1 } ?? ("s", 1)
        return "\(Int((seconds / unit.1).rounded())) \(unit.0)"
    }
}

extension Double {
    package func rounded(digits: Int) -> Double {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }

    /// For a person: a whole number without the point and the zero.
    package var plain: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
