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

/// A histogram of gaps by length, weighted by age, with the listening time in which they occurred.
struct GapMemory<let binCount: Int>: Sendable {
    /// The number of gaps of each length, the shortest first, up to the longest that there are bins for; and the sum of their lengths
    /// in seconds.
    private(set) var counts = InlineArray<binCount, Float>(repeating: 0)
    private(set) var sums = InlineArray<binCount, Float>(repeating: 0)

    /// The listening time in seconds: before the last weighting, and since. A float cannot add 0.01 s to a day.
    private var remembered: Float = 0
    private var unforgotten: Float = 0

    /// The whole listening time in seconds, weighted by age.
    var listened: Float { remembered + unforgotten }

    static var first: Int { GapBins.count - binCount }

    init() {}

    init(counts: InlineArray<binCount, Float>, sums: InlineArray<binCount, Float>, listened: Float) {
        (self.counts, self.sums, remembered) = (counts, sums, listened)
    }

    /// Records a gap that has ended.
    ///
    /// - Parameters:
    ///   - bin: The bin among all bins; one that is not stored here counts as listening time alone.
    ///   - halfLife: The seconds of listening time after which a gap counts half.
    /// - Returns: Whether the gaps were weighted anew.
    @inline(__always)
    mutating func add(_ gap: Float, bin: Int, halfLife: Float) -> Bool {
        unforgotten += gap
        // Weighting at every hundredth of the half-life is often enough, and cheap.
        let isDue = unforgotten > halfLife / 100
        if isDue { forget(halfLife) }
        if bin >= Self.first {
            counts[bin - Self.first] += 1
            sums[bin - Self.first] += gap
        }
        return isDue
    }

    mutating func forget(_ bin: Int) { (counts[bin], sums[bin]) = (0, 0) }

    private mutating func forget(_ halfLife: Float) {
        let weight = Float(exp2(Double(-unforgotten / halfLife)))
        remembered = (remembered + unforgotten) * weight
        unforgotten = 0
        for bin in 0..<binCount {
            counts[bin] *= weight
            sums[bin] *= weight
        }
    }

    /// Returns the mean length of the gaps in a bin. Stored sums cannot move it out of the bin.
    ///
    /// Inlined, because a call would copy all bins.
    @inline(__always)
    private func mean(_ bin: Int) -> Double {
        let (start, end) = (GapBins.start(bin + Self.first), GapBins.start(bin + Self.first + 1))
        guard counts[bin] > 0 else { return start }
        return min(max(Double(sums[bin]) / Double(counts[bin]), start), end)
    }

    /// Whether the bins of longer gaps than `length`, at least ``GapBins/shortest``, have so many: then the ``tail(of:)`` of so many
    /// begins beyond it.
    ///
    /// Mutating, because a memory that must not change would be copied for the call.
    @inline(__always)
    mutating func has(_ gaps: Double, beyond length: Double) -> Bool {
        guard listened > 0 else { return false }
        var (count, bin) = (0.0, max(0, GapBins.bin(of: Float(length)) + 1 - Self.first))
        // From the shortest of them on: most are little longer.
        while bin < binCount {
            count += Double(counts[bin])
            if count >= gaps { return true }
            bin += 1
        }
        return false
    }

    /// Returns the distribution of the longest gaps, or `nil` if there are none.
    ///
    /// - Parameter gaps: The number of longest gaps that are the tail.
    @inline(__always)
    func tail(of gaps: Double) -> GapTail? {
        var (count, length, longest) = (0.0, 0.0, 0.0)
        var bin = binCount
        while bin > 0, count < gaps {
            bin -= 1
            guard counts[bin] > 0 else { continue }
            // Of the bin in which the tail begins only as many gaps as are missing.
            let taken = min(Double(counts[bin]), gaps - count)
            count += taken
            length += taken * mean(bin)
            // A gap with almost no weight left is not one of the longest.
            if longest == 0, counts[bin] >= 0.1 { longest = mean(bin) }
        }
        guard count > 0, listened > 0 else { return nil }
        let start = GapBins.start(bin + Self.first)
        return GapTail(
            start: start, gaps: count, longest: max(longest, start), listened: Double(listened),
            scale: max(length / count - start, GapTail.smallestScale))
    }
}

/// The longest gaps, as an exponential distribution beyond the shortest of them. Lengths are in the unit of the stored gaps.
///
/// A tail of any distribution is a generalized Pareto distribution (Pickands 1975), and the exponential one is that with the shape zero.
/// A shape that was fitted to the gaps of one beacon did not decide better on the recordings of Benchmarks/README.md: for six gaps
/// its error is larger than its effect.
struct GapTail: Sendable {
    /// The minimum length of a gap that counts.
    var start: Double
    /// The number of gaps, weighted by their age.
    var gaps: Double
    /// The length of the longest gap.
    var longest: Double
    /// The listening time in which they occurred, weighted likewise.
    var listened: Double
    /// The mean length of the gaps beyond the start.
    var scale: Double

    static let smallestScale = 0.001

    /// The least listening time for a rate: twenty minutes.
    private static let leastListened = 1200.0

    /// The number of gaps in a unit of time that are longer than the start.
    private var rate: Double { gaps / max(listened, Self.leastListened) }

    /// Returns the number of gaps in a unit of time that are longer than `length`.
    func rate(beyond length: Double) -> Double {
        rate * exp2(min(0, (start - length) / scale) * Self.log2e)
    }

    /// Returns the exit time of the least cost: with each second more, the delay of an exit costs as much as false exits are saved.
    ///
    /// False exits are as frequent as gaps beyond the exit time T, rate · exp(-(T - start) / scale). Its derivative is the rate at T
    /// divided by the scale, so that the least cost is where the rate at T is the scale divided by the cost of a false exit. Gaps that
    /// hardly differ in their lengths cause a time just beyond them, and almost no false exit; gaps of all lengths cause more.
    ///
    /// - Parameter cost: The delay that costs as much as one false exit in a unit of time.
    func exitTime(cost: Double) -> Double {
        start + scale * max(0, ln(max(rate * cost / scale, 1)))
    }

    private static let log2e = 1.442_695_040_888_963
}
