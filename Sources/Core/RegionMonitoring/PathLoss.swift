/// Distance from signal strength, by the log-distance path loss model: `d = 10^((measuredPower - rssi) / 10n)`.
public enum PathLoss {
    /// The path loss exponent by default. Free space has 2, walls 3 and more; a furnished room lies between.
    public static let defaultExponent = 2.5

    /// The measured power that a beacon can have, in dBm.
    ///
    /// Free space attenuates 2.4 GHz by 40 dB over the first metre, so a class 1 transmitter (+20 dBm, Core Specification,
    /// Vol 6, Part A, 3) is received there at -20 dBm, and one of -40 dBm, the weakest step of beacons on sale, at about -80;
    /// makers state down to -99 for it. Values outside come from firmware that sends its transmit power or no value at all.
    public static let plausiblePower: ClosedRange<Int8> = -100...(-20)

    /// The accuracy of a distance that is not known.
    public static let unknownAccuracy = -1.0

    /// Returns the RSSI at one metre in dBm to calculate a distance with; `nil` if there is none to trust.
    ///
    /// - Parameters:
    ///   - claimed: the value in the advertisement; outside of ``plausiblePower`` it is rejected.
    ///   - calibrated: the region's own value, which takes precedence.
    public static func measuredPower(claimed: Int8, calibrated: Int8?) -> Int8? {
        calibrated ?? (plausiblePower.contains(claimed) ? claimed : nil)
    }

    /// The distance in metres; ``unknownAccuracy`` without a signal or a measured power.
    ///
    /// - Parameters:
    ///   - signal: the filtered RSSI in dBm.
    ///   - measuredPower: the RSSI at one metre in dBm, see ``measuredPower(claimed:calibrated:)``.
    public static func accuracy(signal: Double?, measuredPower: Int8?, exponent: Double = defaultExponent) -> Double {
        guard let signal, let measuredPower else { return unknownAccuracy }
        return exp2((Double(measuredPower) - signal) / (10 * exponent) * log2Of10)
    }

    private static let log2Of10 = 3.321_928_094_887_362
}
