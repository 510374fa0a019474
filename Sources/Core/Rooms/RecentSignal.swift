import OkaeriPlumbing

/// The signal of late, from the means of a longer time that a receiver reports now and then.
///
/// A mean of fifteen seconds follows a beacon that moves by half of that time. But the difference of two means is the signal in between
/// less the signal that the mean has forgotten, so each mean and the signals before it determine the signal since the last report. An
/// error in one of them would come back in each later one, with the other sign, so a part of the difference counts alone, and a small
/// difference does not count.
struct RecentSignal: Sendable {
    /// The seconds of the mean: those of ESPresense.
    private static let width = 15.0

    /// The part of the difference to the mean that counts, and the difference up to which nothing does, in dB.
    private static let (trust, quiet) = (0.53, 2.5)

    /// The shortest time between two reports that counts, in seconds, and the shortest one behind a long time. In a short time the
    /// difference is noise; but ESPresense reports a beacon that moves before its turn, and once more in its turn.
    private static let (shortest, long, shortestBehindLong) = (2.5, 4.0, 0.5)

    /// The signals are kept between these bounds, in dBm.
    private static let bounds = -110.0...0.0

    /// The signal of a time, in seconds.
    private struct Part: Sendable {
        var (begin, end): (Double, Double)
        var level: Double
    }

    /// The parts of the last fifteen seconds: thirty at most.
    private var parts: [Part] = []

    /// Returns the signal since the last report, in dBm.
    ///
    /// - Parameter mean: The mean of the last seconds, in dBm.
    mutating func heard(_ mean: Double, at now: Int64) -> Double {
        let now = Nanoseconds.seconds(now)
        guard let last = parts.last, 0..<Self.width ~= now - last.end else {
            // Nothing is known of the seconds of the first mean but the mean.
            parts = [Part(begin: now - Self.width, end: now, level: mean)]
            return mean
        }
        let length = now - last.end
        let shortest = last.end - last.begin >= Self.long ? Self.shortestBehindLong : Self.shortest
        guard length >= shortest else { return last.level }
        var (known, span) = (0.0, length)
        for part in parts {
            let overlap = max(0, part.end - max(part.begin, now - Self.width))
            known += overlap * part.level
            span += overlap
        }
        let difference = (span * mean - known) / length - mean
        let beyond = max(0, abs(difference) - Self.quiet)
        let level = mean + (difference < 0 ? -Self.trust : Self.trust) * beyond
        let bounded = min(max(level, Self.bounds.lowerBound), Self.bounds.upperBound)
        parts.append(Part(begin: last.end, end: now, level: bounded))
        parts.removeAll { $0.end <= now - Self.width }
        return bounded
    }
}
