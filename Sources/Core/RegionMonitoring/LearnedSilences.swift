/// The learned silences of one beacon, in a form that can be stored and read back.
public struct LearnedSilences: Hashable, Sendable {
    /// One memory of gaps.
    public struct Gaps: Hashable, Sendable {
        /// The number of gaps of each length, weighted by their age: one number for each bin of the lengths, the
        /// shortest first. Missing numbers at the end are zero.
        public var counts: [Float]

        /// The scan time in seconds, weighted likewise.
        public var listened: Float

        /// A memory; without arguments an empty one.
        public init(counts: [Float] = [], listened: Float = 0) {
            self.counts = counts
            self.listened = listened
        }
    }

    /// The gaps of the last ten minutes, from 1/64 s on, four bins to the octave.
    public var minutes: Gaps

    /// The gaps of the last day, from a second on, four bins to the octave.
    public var day: Gaps

    /// The ages of the newest gaps in the bins of `day`, in hundredths of a day of listening; zero where missing at the end.
    public var ages: [UInt8]

    /// The sums of the gaps of each bin of `minutes`, in seconds, weighted likewise.
    public var sums: [Float]

    /// The number of gaps ever learned from, limited to the number at which a beacon counts as known.
    public var learned: Float

    /// Creates it from stored values. They are checked at their use, which ignores values that no beacon can cause.
    public init(minutes: Gaps, day: Gaps, ages: [UInt8] = [], sums: [Float], learned: Float) {
        (self.minutes, self.day, self.ages, self.sums, self.learned) = (minutes, day, ages, sums, learned)
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
        // The advertising interval is learned again soon.
        self.init(
            minutes: Gaps(counts: minutes, listened: listened), day: Gaps(counts: day, listened: listened),
            sums: zip(minutes, 0...).map { $0 * Float(GapBins.middle($1)) }, learned: learned)
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
        let numbers = minutes.counts + day.counts + silences.sums + [minutes.listened, day.listened, silences.learned]
        guard minutes.counts.count <= self.minutes.counts.count, day.counts.count <= self.day.counts.count,
            silences.ages.count <= ages.count,
            numbers.allSatisfy(Self.credible.contains)
        else { return nil }
        self.minutes = GapMemory(minutes)
        self.day = GapMemory(day)
        for (bin, age) in silences.ages.enumerated() { ages[bin] = age }
        for (bin, sum) in silences.sums.prefix(sums.count).enumerated() { sums[bin] = sum }
        learned = min(silences.learned, Self.priorLimit)
    }

    var silences: LearnedSilences {
        LearnedSilences(
            minutes: minutes.gaps, day: day.gaps, ages: ages.indices.map { ages[$0] },
            sums: sums.indices.map { sums[$0] },
            learned: learned)
    }
}

extension GapMemory {
    fileprivate init(_ gaps: LearnedSilences.Gaps) {
        var counts = InlineArray<binCount, Float>(repeating: 0)
        for (bin, count) in gaps.counts.enumerated() { counts[bin] = count }
        self.init(counts: counts, listened: gaps.listened)
    }

    fileprivate var gaps: LearnedSilences.Gaps {
        LearnedSilences.Gaps(counts: counts.indices.map { counts[$0] }, listened: listened)
    }
}
