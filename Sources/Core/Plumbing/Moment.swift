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
