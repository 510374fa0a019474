public import IBeacon

/// One beacon in a ranging callback. CoreLocation's `CLBeacon`.
public struct RangedBeacon: Hashable, Sendable {
    /// The beacon's identity.
    public var identity: BeaconIdentity

    /// The owner's identifier.
    public var uuid: BeaconUUID { identity.uuid }

    /// The group, such as a house.
    public var major: UInt16 { identity.major }

    /// The single beacon in its group.
    public var minor: UInt16 { identity.minor }

    /// The mean RSSI since the last callback in dBm; 0 when nothing was heard since.
    public var rssi: Int

    /// The estimated distance in metres; -1 when it is not known.
    public var accuracy: Double

    /// The class of the distance.
    public var proximity: Proximity

    /// The time of the last reception; `nil` in a report of another machine, whose clock is another one.
    public var timestamp: Instant?

    /// A beacon at a distance in metres, -1 for unknown; the class follows from it.
    public init(identity: BeaconIdentity, rssi: Int, accuracy: Double, timestamp: Instant? = nil) {
        self.identity = identity
        self.rssi = rssi
        self.accuracy = accuracy
        self.proximity = Proximity(accuracy: accuracy)
        self.timestamp = timestamp
    }

    /// CoreLocation's order: immediate, near, far, unknown, and by distance among equals.
    static func nearestFirst(_ left: Self, _ right: Self) -> Bool {
        (left.proximity.rank, left.accuracy, left.identity) < (right.proximity.rank, right.accuracy, right.identity)
    }
}

/// The nearness of a beacon, in CoreLocation's four values (`CLProximity`). The order is that of the list ranging gives.
public enum Proximity: String, Hashable, Sendable, CaseIterable {
    /// Within half a metre.
    case immediate
    /// Within three metres.
    case near
    /// Farther away.
    case far
    /// There is no signal to judge by, or no measured power.
    case unknown

    /// - Parameter accuracy: the distance in metres, negative when it is not known.
    public init(accuracy: Double) {
        switch accuracy {
        case ..<0: self = .unknown
        case ..<0.5: self = .immediate
        case ..<3: self = .near
        default: self = .far
        }
    }

    var rank: Int {
        switch self {
        case .immediate: 0
        case .near: 1
        case .far: 2
        case .unknown: 3
        }
    }
}

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
    ///   - claimed: the value in the advertisement, `nil` if it has none; outside of ``plausiblePower`` it is rejected.
    ///   - calibrated: the region's own value, which takes precedence.
    public static func measuredPower(claimed: Int8?, calibrated: Int8?) -> Int8? {
        calibrated ?? claimed.flatMap { plausiblePower.contains($0) ? $0 : nil }
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

/// One advertisement of one beacon, as it was received.
public struct BeaconSighting: Hashable, Sendable {
    /// The beacon's identity.
    public var identity: BeaconIdentity

    /// The RSSI at one metre by its manufacturer, in dBm; `nil` if the advertisement has no such value.
    public var measuredPower: Int8?

    /// The RSSI here, in dBm; `nil` if unknown: then it proves presence and has no distance.
    public var rssi: Int8?

    /// The radio that received it.
    public var radio: RadioID

    /// The sender's address, 0 if it is unknown. It is not an identity, because it may change.
    public var address: UInt64

    /// One advertisement; both strengths in dBm.
    @inlinable
    @inline(__always)
    public init(
        identity: BeaconIdentity, measuredPower: Int8?, rssi: Int8?, radio: RadioID = .own, address: UInt64 = 0
    ) {
        self.identity = identity
        self.measuredPower = measuredPower
        self.rssi = rssi
        self.radio = radio
        self.address = address
    }
}
