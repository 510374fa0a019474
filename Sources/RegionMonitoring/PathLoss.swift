/// Distance from signal strength, by the log-distance path loss model: `d = 10^((measuredPower - rssi) / 10n)`.
public enum PathLoss {
    /// How fast the signal falls with distance. Free space has 2, walls 3 and more; a furnished room lies between.
    public static let defaultExponent = 2.5

    /// The measured power taken for a beacon whose own is junk, in dBm: what most beacons are sold with.
    public static let defaultMeasuredPower: Int8 = -59

    /// What ranging gives for a distance that is not known.
    public static let unknownAccuracy = -1.0

    /// The distance in metres; ``unknownAccuracy`` without a signal.
    ///
    /// - Parameters:
    ///   - signal: the filtered RSSI in dBm.
    ///   - measuredPower: the RSSI at one metre in dBm. Zero and above cannot be, and is replaced.
    public static func accuracy(signal: Double?, measuredPower: Int8, exponent: Double = defaultExponent) -> Double {
        guard let signal else { return unknownAccuracy }
        let power = Double(measuredPower < 0 ? measuredPower : defaultMeasuredPower)
        return exp2((power - signal) / (10 * exponent) * log2Of10)
    }

    private static let log2Of10 = 3.321_928_094_887_362
}
