import Plumbing

/// The relation of the engine's clock to the broker's, in nanoseconds.
///
/// The engine's clock stands still while the machine sleeps, and that of a capture while its program is stopped. What was received in such
/// a time is placed at its end, and not before what the engine knows already.
struct EngineTime: Sendable {
    /// The time by which a clock may be behind without standing still.
    private static let tolerance = Nanoseconds.second

    /// The last standstill, by the broker's clock: its begin and its end, the engine's time, and the difference of the clocks before.
    private struct Standstill {
        var begin, end, engine, difference: Int64
    }

    private var last: (engine: Int64, own: Int64)?
    private var standstill: Standstill?

    /// Returns the mapping of times to the engine's clock, now that the clocks show these times.
    mutating func updated(engine: Int64, own: Int64) -> (Int64) -> Int64 {
        let difference = engine.subtractingClamped(own)
        if let last {
            let before = last.engine.subtractingClamped(last.own)
            if before.subtractingClamped(difference) > Self.tolerance {
                standstill = Standstill(begin: last.own, end: own, engine: engine, difference: before)
            }
        }
        // The clock is where it would be without the standstill: its source was only late.
        if let standstill, standstill.difference.subtractingClamped(difference) <= Self.tolerance {
            self.standstill = nil
        }
        last = (engine, own)
        return { [standstill] time in
            if let standstill, time <= standstill.end {
                let moved = time.addingClamped(standstill.difference)
                return time <= standstill.begin ? moved : min(standstill.engine, moved)
            }
            return min(engine, time.addingClamped(difference))
        }
    }
}
