import Plumbing

/// The relation of the engine's clock to the broker's, in nanoseconds.
///
/// The engine's clock stands still while the machine sleeps, and that of a capture while its program is stopped. What was received in such
/// a time is placed at its end, and not before what the engine knows already.
struct EngineTime: Sendable {
    private var last: (engine: Int64, own: Int64)?

    /// Returns the mapping of times to the engine's clock, now that the clocks show these times.
    mutating func updated(engine: Int64, own: Int64) -> (Int64) -> Int64 {
        let begin = last ?? (engine, own)
        last = (engine, own)
        return { time in
            let since = begin.engine.addingClamped(time.subtractingClamped(begin.own))
            guard time > begin.own else { return min(engine, since) }
            return min(engine, max(since, engine.subtractingClamped(own.subtractingClamped(time))))
        }
    }
}
