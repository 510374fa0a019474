/// The bins of the gaps' lengths: four to the octave, from 1/64 s, below the shortest advertising interval of 20 ms
/// (Core Specification, Vol 6, Part B, 4.4.2.2), to 512 s.
enum GapBins {
    static let count = 60

    /// The first bin of a second or more.
    static let second = 24

    /// Reports this close are one advertisement, sent on three channels; in seconds.
    static let shortest: Float = 1 / 64

    private static let origin = shortest.bitPattern >> 21

    /// The bin of a gap in seconds, which must be at least the shortest; the last bin contains all longer gaps.
    @inline(__always)
    static func bin(of gap: Float) -> Int {
        // A float's exponent and the two bits after it are the octave and its quarter.
        min(Int(gap.bitPattern >> 21) - Int(origin), count - 1)
    }

    static func start(_ bin: Int) -> Double { Double(Float(bitPattern: (UInt32(bin) + origin) << 21)) }

    static func middle(_ bin: Int) -> Double { (start(bin) + start(bin + 1)) / 2 }
}

/// A histogram of gaps by length, weighted by age, with the scan time in which they occurred.
struct GapMemory<let binCount: Int>: Sendable {
    /// The number of gaps of each length, the shortest first, up to the longest that there are bins for.
    private(set) var counts = InlineArray<binCount, Float>(repeating: 0)

    /// The scan time in seconds: before the last weighting, and since. A float cannot add 0.01 s to a day.
    private var remembered: Float = 0
    private var unforgotten: Float = 0

    /// The whole scan time in seconds, weighted by age.
    var listened: Float { remembered + unforgotten }

    static var first: Int { GapBins.count - binCount }

    init() {}

    init(counts: InlineArray<binCount, Float>, listened: Float) {
        (self.counts, remembered) = (counts, listened)
    }

    /// Records a gap that has ended.
    ///
    /// - Parameters:
    ///   - bin: The bin among all bins; one that is not stored here counts as scan time alone.
    ///   - halfLife: The seconds of scan time after which a gap counts half.
    /// - Returns: The factor of the weighting, if there was one.
    @inline(__always)
    mutating func add(_ gap: Float, bin: Int, weight: Float = 1, halfLife: Float) -> Float? {
        unforgotten += gap
        // Weighting at every hundredth of the half-life is often enough, and cheap.
        let forgotten = unforgotten > halfLife / 100 ? forget(halfLife) : nil
        if bin >= Self.first { counts[bin - Self.first] += weight }
        return forgotten
    }

    mutating func forget(_ bin: Int) { counts[bin] = 0 }

    private mutating func forget(_ halfLife: Float) -> Float {
        let weight = Float(exp2(Double(-unforgotten / halfLife)))
        remembered = (remembered + unforgotten) * weight
        unforgotten = 0
        for bin in 0..<binCount { counts[bin] *= weight }
        return weight
    }

    /// Returns the length at which a gap is as rare as `targetRate`.
    ///
    /// The longest gaps are the tail. It is modelled as a generalized Pareto distribution, as extreme value theory
    /// shows for any distribution (Pickands 1975), with the scale from the mean and a fixed shape.
    ///
    /// - Parameters:
    ///   - targetRate: The number of gaps that may be longer, in a unit of time.
    ///   - unit: The unit of the stored gaps, in seconds.
    /// - Returns: The length, or `nil` if there is no gap.
    func tail(targetRate: Double, unit: Double) -> ExitTiming.Tail? {
        var count = 0.0
        var length = 0.0
        var bin = binCount
        var (lowest, highest) = (binCount, -1)
        while bin > 0, count < TailShape.count {
            bin -= 1
            guard counts[bin] > 0 else { continue }
            // Of the bin in which the tail begins only as many gaps as are missing.
            let taken = min(Double(counts[bin]), TailShape.count - count)
            count += taken
            length += taken * GapBins.middle(bin + Self.first)
            lowest = bin
            // A gap with almost no weight left is not one of the longest.
            if highest < 0, counts[bin] >= 0.1 { highest = bin }
        }
        guard count > 0, listened > 0 else { return nil }
        let start = GapBins.start(lowest + Self.first)
        let excess = max(0, length - count * start) + TailShape.prior * TailShape.priorExcess * start
        let scale = excess / (count + TailShape.prior) * (1 - TailShape.shape)
        let rarity = max(1, count / (targetRate * Double(listened)))
        let reach = (power(rarity, TailShape.shape) - 1) / TailShape.shape
        return ExitTiming.Tail(
            start: .seconds(start * unit), gaps: count,
            longest: .seconds(GapBins.middle(max(highest, lowest) + Self.first) * unit),
            listened: .seconds(Double(listened) * unit), exitTime: .seconds((start + scale * reach) * unit))
    }
}

/// The distribution by which the tail of the gaps' lengths is modelled. Chosen on the recordings of
/// Benchmarks/README.md, where the figures change little for each of these alone.
enum TailShape {
    /// The number of longest gaps that are the tail.
    static let count = 10.0

    /// The weight of the tail: 0 is exponential, and with 1 it has no mean.
    static let shape = 0.2

    /// The prior before there are gaps: the number of gaps, each longer than the start of the tail by this part of it.
    static let prior = 8.0
    static let priorExcess = 0.2
}
