import Glibc

/// A region that the signal leaves and enters again and again, because `enterRSSI` and `exitRSSI` are too close for its noise.
package struct FlappingReport: Codable, Sendable, Equatable {
    /// The number of times in the last hour that the signal left the region and soon entered it again.
    package var returns: Int

    /// The distance between the thresholds in dB that keeps this below one an hour.
    package var distance: Int

    /// The number of returns within an hour from which on a region flaps: fewer can be a person.
    static let fewest = 6

    /// The returns an hour where both thresholds lie in the middle of the noise: 150 of a beacon that is received once a
    /// second, 300 of one that is received ten times a second (Benchmarks/README.md).
    private static let mostReturns = 250.0

    /// The returns an hour that are aimed at.
    private static let aim = 0.5

    /// The longest distance in dB that is proposed where the present one is shorter: more than any measured noise needs.
    private static let longestDistance = 40

    /// Returns `nil` if the region does not flap.
    ///
    /// A filtered signal with a normal distribution that stays halfway between two thresholds crosses both at a rate
    /// proportional to exp(-(distance / noise)² / 8). So the returns at the present distance measure the noise, and the
    /// distance that is enough for it follows.
    package init?(returns: Int, enterRSSI: Int?, exitRSSI: Int?) {
        guard returns >= Self.fewest, let exitRSSI else { return nil }
        let present = Double(max(2, (enterRSSI ?? exitRSSI) - exitRSSI))
        let measured = min(Double(returns), Self.mostReturns * 0.8)
        let factor = (log(Self.mostReturns / Self.aim) / log(Self.mostReturns / measured)).squareRoot()
        self.returns = returns
        distance = max(Int(present) + 1, min(Self.longestDistance, Int((present * factor).rounded(.up))))
    }
}
