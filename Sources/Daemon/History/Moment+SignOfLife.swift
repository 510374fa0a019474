package import Plumbing

/// Moments in which a run of the daemon goes on: signs of life.
extension Moment {
    /// The longest time between two signs of life in the file: what a power cut can take from the time watched.
    package static let signInterval = Duration.seconds(3600)

    /// Whether a later moment needs no sign: not after the clock was set, though a timer may be a little early.
    func suffices(at later: Moment) -> Bool {
        0..<Self.signInterval.clampedNanoseconds / 2 ~= later.wall.subtractingClamped(wall)
            && corrected(at: later).wall == wall
    }

    /// Returns the same for another time on the same clock.
    func moved(to time: Int64) -> Moment { Moment(instant: instant &+ (time &- wall), wall: time) }

    /// Returns this moment by the clock as it is at a later one: a machine without a clock of its own starts with a wrong
    /// time, which the network sets right after the daemon has begun to write.
    func corrected(at later: Moment) -> Moment {
        var watch = ClockWatch(at: self)
        guard let step = watch.looked(at: later) else { return self }
        return Moment(instant: instant, wall: wall.addingClamped(step.clampedNanoseconds))
    }
}
