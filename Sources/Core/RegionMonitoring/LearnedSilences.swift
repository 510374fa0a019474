/// The learned silences of one beacon, in a form that can be stored and read back.
public struct LearnedSilences: Hashable, Sendable {
    /// One memory of gaps.
    public struct Gaps: Hashable, Sendable {
        /// The number of gaps of each length, weighted by their age: one number for each bin of the lengths, the
        /// shortest first. Missing numbers at the end are zero.
        public var counts: [Float]

        /// The sums of the gaps of each bin, in seconds, weighted likewise. The middle of the bin stands in for a missing one.
        public var sums: [Float]

        /// The listening time in seconds, weighted likewise.
        public var listened: Float

        /// A memory; without arguments an empty one.
        public init(counts: [Float] = [], sums: [Float] = [], listened: Float = 0) {
            (self.counts, self.sums, self.listened) = (counts, sums, listened)
        }
    }

    /// The gaps of the last ten minutes, from 1/64 s on, four bins to the octave.
    public var minutes: Gaps

    /// The gaps of the last day, from a second on, four bins to the octave.
    public var day: Gaps

    /// The ages of the newest gaps in the bins of `day`, in hundredths of a day of listening; zero where missing at the end.
    public var ages: [UInt8]

    /// The number of gaps ever learned from, limited to the number at which a beacon counts as known.
    public var learned: Float

    /// Creates it from stored values. They are checked at their use, which ignores values that no beacon can cause.
    public init(minutes: Gaps, day: Gaps, ages: [UInt8] = [], learned: Float) {
        (self.minutes, self.day, self.ages, self.learned) = (minutes, day, ages, learned)
    }

    /// Creates it from the form of earlier versions: bins of half a second and a quarter more, and each one's sum.
    ///
    /// - Returns: The values, or `nil` if they are invalid.
    public init?(counts: [Float], sums: [Float], learned: Float) {
        guard counts.count == sums.count, (counts + sums).allSatisfy(SilenceModel.credible.contains) else { return nil }
        var (minutes, day) = ([Float](repeating: 0, count: 60), [Float](repeating: 0, count: 36))
        for (count, sum) in zip(counts, sums) where count > 0 && sum / count >= GapBins.shortest {
            let bin = GapBins.bin(of: sum / count)
            minutes[bin] += count
            if bin >= GapBins.second { day[bin - GapBins.second] += count }
        }
        let listened = sums.reduce(0, +)
        self.init(
            minutes: Gaps(counts: minutes, listened: listened), day: Gaps(counts: day, listened: listened),
            learned: learned)
    }
}

extension SilenceModel {
    /// The longest possible scan time in seconds, and the highest rate of receptions: larger values were never
    /// learned.
    static let credible: ClosedRange<Float> = 0...1e9

    /// Continues from learned values. The earlier signal is discarded, because its course since then is unknown.
    ///
    /// - Returns: The model, or `nil` if no model can have learned the values.
    init?(_ silences: LearnedSilences) {
        let (minutes, day) = (silences.minutes, silences.day)
        let numbers = minutes.counts + minutes.sums + day.counts + day.sums
        guard let knownMinutes = GapMemory<60>(minutes), let knownDay = GapMemory<36>(day),
            silences.ages.count <= ages.count,
            (numbers + [minutes.listened, day.listened, silences.learned]).allSatisfy(Self.credible.contains)
        else { return nil }
        (self.minutes, self.day) = (knownMinutes, knownDay)
        for (bin, age) in silences.ages.enumerated() { ages[bin] = age }
        learned = min(silences.learned, Self.priorLimit)
    }

    var silences: LearnedSilences {
        LearnedSilences(
            minutes: minutes.gaps, day: day.gaps, ages: ages.indices.map { ages[$0] }, learned: learned)
    }
}

extension GapMemory {
    /// - Returns: `nil` for more bins than there are.
    fileprivate init?(_ gaps: LearnedSilences.Gaps) {
        guard gaps.counts.count <= binCount, gaps.sums.count <= binCount else { return nil }
        var counts = InlineArray<binCount, Float>(repeating: 0)
        var sums = InlineArray<binCount, Float>(repeating: 0)
        for (bin, count) in gaps.counts.enumerated() {
            let sum = bin < gaps.sums.count ? gaps.sums[bin] : 0
            counts[bin] = count
            sums[bin] = sum > 0 ? sum : count * Float(GapBins.middle(bin + Self.first))
        }
        self.init(counts: counts, sums: sums, listened: gaps.listened)
    }

    fileprivate var gaps: LearnedSilences.Gaps {
        LearnedSilences.Gaps(
            counts: counts.indices.map { counts[$0] }, sums: sums.indices.map { sums[$0] }, listened: listened)
    }
}
