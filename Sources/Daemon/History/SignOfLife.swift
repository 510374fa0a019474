import Plumbing

/// A moment in which a run of the daemon goes on.
package struct SignOfLife: Sendable {
    /// Nanoseconds since the Unix epoch, by the clock that stamps the events.
    package var wall: Int64

    /// Nanoseconds on a clock that is never set; `nil` in a replay, whose clock is the capture's.
    package var uptime: Int64?

    /// The longest time between two signs of life in the file: what a power cut can take from the time watched.
    package static let interval = Duration.seconds(3600)

    /// Whether a later moment needs no sign: not after the clock was set, though a timer may be a little early.
    func suffices(at later: SignOfLife) -> Bool {
        0..<Self.interval.clampedNanoseconds / 2 ~= later.wall.subtractingClamped(wall)
            && corrected(at: later).wall == wall
    }

    /// Returns the same for another time on the same clock.
    func moved(to time: Int64) -> SignOfLife {
        SignOfLife(wall: time, uptime: uptime.map { $0 &+ (time &- wall) })
    }

    /// Returns this moment by the clock as it is at a later one: a machine without a clock of its own starts with a wrong
    /// time, which the network sets right after the daemon has begun to write.
    func corrected(at later: SignOfLife) -> SignOfLife {
        guard let uptime, let now = later.uptime else { return self }
        var watch = ClockWatch(wall: wall, uptime: uptime)
        guard let step = watch.looked(wall: later.wall, uptime: now) else { return self }
        return SignOfLife(wall: wall.addingClamped(step.clampedNanoseconds), uptime: uptime)
    }
}
