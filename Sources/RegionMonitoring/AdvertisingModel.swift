/// Learns how often a beacon advertises, and how much of that is received: for people to see, no decision rests on it.
///
/// It counts how long it is from one advertisement to the next that is received. Where some are lost those gaps are
/// multiples of the interval, and the interval itself is the shortest among them that is common. Every ten minutes of
/// listening what was counted before weighs half.
struct AdvertisingModel: Sendable {
    /// How many gaps it takes to know a beacon.
    private static let acquaintance = 15

    /// The bins of the gaps' lengths: four to the octave, from 1/64 s, below the shortest advertising interval of 20 ms,
    /// to 32 s, three times the longest for iBeacons (Core Specification, Vol 6, Part B, 4.4.2.2). Longer ones are
    /// no loss but an absence.
    private static let binCount = 44
    private static let origin = (Float(1) / 64).bitPattern >> 21

    /// Reports this close are one advertisement, sent on three channels; in nanoseconds.
    private static let sameEvent: Int64 = 1_000_000_000 / 64

    /// After how much listening a gap counts half, in nanoseconds.
    private static let halfLife: Int64 = 600_000_000_000

    /// A length is common if it is at least this part of the most common. Loss alone makes the multiples no more
    /// frequent than that, up to nineteen advertisements lost of twenty.
    private static let common: Float = 0.25

    /// How many gaps of a length are more than chance.
    private static let convincing: Float = 4

    /// How many times more gaps the next bins must have for the interval to lie there.
    private static let slope: Float = 1.5

    /// How many gaps of each bin came, and how long they were in all, in seconds.
    private var counts = InlineArray<44, Float>(repeating: 0)
    private var sums = InlineArray<44, Float>(repeating: 0)

    /// When the last advertisement began to be received, and when the counts were last halved; on the listening clock.
    private var last: Int64
    private var halved: Int64

    /// How many gaps were ever learned from, up to the acquaintance.
    private var learned = 0

    /// - Parameter listened: when the beacon was first heard, on the listening clock.
    init(at listened: Int64) {
        last = listened
        halved = listened
    }

    /// The beacon was heard again.
    mutating func heard(at listened: Int64) {
        let gap = listened.subtractingClamped(last)
        guard gap >= Self.sameEvent || gap < 0 else { return }
        last = listened
        if listened.subtractingClamped(halved) > Self.halfLife { halve(at: listened) }
        let seconds = Float(gap) / 1e9
        // A float's exponent and the two bits after it are the octave and its quarter.
        let bin = seconds > 0 ? Int(seconds.bitPattern >> 21) - Int(Self.origin) : -1
        guard 0..<Self.binCount ~= bin else { return }
        counts[bin] += 1
        sums[bin] += seconds
        learned = min(learned + 1, Self.acquaintance)
    }

    private mutating func halve(at listened: Int64) {
        halved = listened
        for bin in 0..<Self.binCount {
            counts[bin] /= 2
            sums[bin] /= 2
        }
    }

    /// What is known by now; nil before enough was heard.
    var pattern: AdvertisingPattern? {
        guard learned == Self.acquaintance else { return nil }
        var total: Float = 0
        var length: Float = 0
        var tallest: Float = 0
        for bin in 0..<Self.binCount {
            total += counts[bin]
            length += sums[bin]
            tallest = max(tallest, pair(bin))
        }
        let enough = max(Self.common * tallest, min(Self.convincing, tallest))
        var mode = 0
        while pair(mode) < enough { mode += 1 }
        // Up the slope, for the edge between two bins may cut the interval's own jitter in two.
        while pair(mode + 1) > Self.slope * pair(mode) { mode += 1 }
        guard total > 0, pair(mode) > 0 else { return nil }
        let next = mode + 1 < Self.binCount ? sums[mode + 1] : 0
        let interval = (sums[mode] + next) / pair(mode)
        return AdvertisingPattern(
            interval: .seconds(Double(interval)), loss: Double(max(0, 1 - interval * total / length)))
    }

    /// How many gaps fell into a bin and its upper neighbour.
    private func pair(_ bin: Int) -> Float {
        guard bin < Self.binCount else { return 0 }
        return counts[bin] + (bin + 1 < Self.binCount ? counts[bin + 1] : 0)
    }
}
