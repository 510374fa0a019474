/// The thresholds that are proposed for a region that is to be inside only while its beacon is near, from the filtered signal
/// of the beacon where it lies. The answer of `GET /v1/thresholds`, for the signals that the page has received.
package struct ThresholdProposal: Codable, Sendable, Equatable {
    package let enterRSSI: Int
    package let exitRSSI: Int

    /// The median of the filtered signal in dBm.
    package let signal: Int

    /// The standard deviation of the filtered signal in dB; `nil` if there are too few readings.
    package let noise: Double?

    /// The distance between the thresholds in dB that the noise requires.
    package let distance: Int

    /// The maximum number of signals in a request: of a minute, as the page receives them.
    package static let mostSignals = 300

    /// The median that is assumed without a reading, in dBm.
    private static let assumedSignal = -62

    /// The minimum number of readings from which the noise follows.
    private static let neededReadings = 15

    /// The distance between the thresholds in dB where the noise is unknown: enough for 6 dB of noise in what is received once
    /// a second (Benchmarks/README.md).
    private static let unmeasuredDistance = 21

    /// The minimum distance between the thresholds in dB: a signal is noisier at a boundary than near the receiver.
    private static let leastDistance = 7

    /// The distance between the thresholds for each decibel of noise, with which a beacon that stays halfway between them
    /// enters less than once an hour (Benchmarks/README.md).
    private static let distancePerDecibel = 7

    /// The distance of enterRSSI below the signal, in dB.
    private static let slack = 8

    /// The RSSI values of HCI in dBm (Core Specification, Vol 4, Part E, 7.7.65.2), which a configuration accepts.
    private static let range = -127.0...20

    /// Returns `nil` without a reading.
    ///
    /// - Parameter signals: the filtered signal in dBm at each reading. Values that no receiver has are left out.
    package init?(signals: [Double]) {
        let signals = signals.filter { Self.range.contains($0) }.sorted()
        guard !signals.isEmpty else { return nil }
        self.init(
            signal: Int(signals[signals.count / 2].rounded()),
            noise: signals.count < Self.neededReadings ? nil : Self.deviation(of: signals))
    }

    private init(signal: Int, noise: Double?) {
        let lowest = Int(Self.range.lowerBound)
        (self.signal, self.noise) = (signal, noise)
        distance = Self.distance(noise: noise)
        enterRSSI = max(lowest, signal - Self.slack)
        exitRSSI = max(lowest, enterRSSI - distance)
    }

    /// The answer to a request: numbers in dBm, separated by commas. Without one it is a proposal for an assumed signal. Returns `nil` for
    /// another text.
    package init?(query text: String) {
        let parts = text.split(separator: ",", maxSplits: Self.mostSignals)
        let signals = parts.compactMap { Double($0) }
        guard parts.count <= Self.mostSignals, signals.count == parts.count else { return nil }
        self = Self(signals: signals) ?? Self(signal: Self.assumedSignal, noise: nil)
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
