/// The thresholds that are proposed for a region that is to be inside only while its beacon is near, from the filtered signal
/// of the beacon where it lies.
///
/// The page has the same numbers, in `hysteresis.js` and `thresholds.js`.
package struct ThresholdProposal: Sendable, Equatable {
    package let enterRSSI: Int
    package let exitRSSI: Int

    /// The median of the filtered signal in dBm.
    package let signal: Int

    /// The standard deviation of the filtered signal in dB; `nil` if there are too few readings.
    package let noise: Double?

    /// The minimum number of readings from which the noise follows.
    package static let neededReadings = 15

    /// The distance between the thresholds in dB where the noise is unknown: enough for 6 dB of noise in what is received once
    /// a second (Benchmarks/README.md).
    package static let unmeasuredDistance = 21

    /// The minimum distance between the thresholds in dB: a signal is noisier at a boundary than near the receiver.
    package static let leastDistance = 7

    /// The distance between the thresholds for each decibel of noise, with which a beacon that stays halfway between them
    /// enters less than once an hour (Benchmarks/README.md).
    package static let distancePerDecibel = 7

    /// The distance of enterRSSI below the signal, in dB.
    package static let slack = 8

    /// The RSSI values of HCI in dBm (Core Specification, Vol 4, Part E, 7.7.65.2), which a configuration accepts.
    private static let range = -127.0...20

    /// Returns `nil` without a reading.
    ///
    /// - Parameter signals: the filtered signal in dBm at each reading. Values that no receiver has are left out.
    package init?(signals: [Double]) {
        let signals = signals.filter { Self.range.contains($0) }.sorted()
        guard !signals.isEmpty else { return nil }
        let lowest = Int(Self.range.lowerBound)
        signal = Int(signals[signals.count / 2].rounded())
        noise = signals.count < Self.neededReadings ? nil : Self.deviation(of: signals)
        enterRSSI = max(lowest, signal - Self.slack)
        exitRSSI = max(lowest, enterRSSI - Self.distance(noise: noise))
    }

    private static func distance(noise: Double?) -> Int {
        noise.map { max(leastDistance, Int((Double(distancePerDecibel) * $0).rounded(.up))) } ?? unmeasuredDistance
    }

    /// Returns the standard deviation of at least two values.
    private static func deviation(of signals: [Double]) -> Double {
        let mean = signals.reduce(0, +) / Double(signals.count)
        let squares = signals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(signals.count - 1)).squareRoot()
    }
}
