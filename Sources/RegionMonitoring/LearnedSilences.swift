/// What was learned of one beacon's silences, in a form that can be kept and read back.
public struct LearnedSilences: Hashable, Sendable {
    /// How often gaps of each length came, weighed by their age: one number for each bin of the lengths.
    public var counts: [Float]

    /// How long the gaps of each bin were in all, in seconds, weighed likewise.
    public var sums: [Float]

    /// How many gaps were ever learned from; held where a beacon counts as known.
    public var learned: Float

    public init(counts: [Float], sums: [Float], learned: Float) {
        self.counts = counts
        self.sums = sums
        self.learned = learned
    }
}

extension SilenceModel {
    /// No listening lasts longer, in seconds, and no beacon is heard more often: what exceeds it was never learned.
    private static let credible: ClosedRange<Float> = 0...1e9

    /// Goes on from what was learned before. The signal of that time is forgotten: nobody knows how it went on.
    ///
    /// - Returns: nil when it is nothing that a model can have learned.
    init?(_ silences: LearnedSilences) {
        let numbers = silences.counts + silences.sums + [silences.learned]
        guard silences.counts.count == Self.binCount, silences.sums.count == Self.binCount,
            numbers.allSatisfy(Self.credible.contains)
        else { return nil }
        for bin in 0..<Self.binCount {
            counts[bin] = silences.counts[bin]
            sums[bin] = silences.sums[bin]
        }
        learned = min(silences.learned, Self.acquaintance)
    }

    /// What was learned by now.
    var silences: LearnedSilences {
        let bins = 0..<Self.binCount
        return LearnedSilences(counts: bins.map { counts[$0] }, sums: bins.map { sums[$0] }, learned: learned)
    }
}
