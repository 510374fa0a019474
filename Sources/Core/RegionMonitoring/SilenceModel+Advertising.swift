/// Estimates the advertising interval, and the part that is received: for people, no decision depends on it.
///
/// The estimate uses the gaps of the last minutes. If advertisements are lost, the gaps are multiples of the
/// interval, and the interval itself is the shortest common one among them.
extension SilenceModel {
    /// A length is common if it is at least this part of the most common. Loss alone makes the multiples no more
    /// frequent than that, up to nineteen advertisements lost of twenty.
    private static let common: Float = 0.25

    /// The number of gaps of a length that are more than chance.
    private static let convincing: Float = 4

    /// The factor by which the next bins must have more gaps for the interval to be there.
    private static let slope: Float = 1.5

    /// The number of bins of gaps that can be losses: up to 32 s, three times the longest interval for iBeacons. Longer gaps are no
    /// loss but an absence.
    private static let bins = 44

    /// The present estimate; `nil` before enough was received.
    var advertising: AdvertisingPattern? {
        guard learned == Self.priorLimit else { return nil }
        var total: Float = 0
        var length: Float = 0
        var tallest: Float = 0
        for bin in 0..<Self.bins {
            total += minutes.counts[bin]
            length += minutes.sums[bin]
            tallest = max(tallest, pair(bin))
        }
        let enough = max(Self.common * tallest, min(Self.convincing, tallest))
        var mode = 0
        while pair(mode) < enough { mode += 1 }
        // Up the slope, for the edge between two bins may cut the interval's own jitter in two.
        while pair(mode + 1) > Self.slope * pair(mode) { mode += 1 }
        guard total > 0, pair(mode) > 0 else { return nil }
        let next = mode + 1 < Self.bins ? minutes.sums[mode + 1] : 0
        let interval = (minutes.sums[mode] + next) / pair(mode)
        return AdvertisingPattern(
            interval: .seconds(Double(interval) * unit), loss: Double(max(0, 1 - interval * total / length)))
    }

    /// Returns the number of gaps in a bin and its upper neighbour.
    private func pair(_ bin: Int) -> Float {
        guard bin < Self.bins else { return 0 }
        return minutes.counts[bin] + (bin + 1 < Self.bins ? minutes.counts[bin + 1] : 0)
    }
}
