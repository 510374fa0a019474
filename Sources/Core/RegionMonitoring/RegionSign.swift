public import IBeacon

/// A sign that a region is inside: a beacon, a group of beacons, or a phone; with the settings that decide when it counts as gone.
///
/// A region is inside while any of its signs is inside, and outside while all of them are outside.
public struct RegionSign: Hashable, Sendable {
    /// The devices whose reception is the sign.
    public enum Identity: Hashable, Sendable {
        /// The beacons that a constraint matches.
        case beacon(BeaconConstraint)

        /// The phone whose identity resolving key is in the file with this path.
        case phone(file: String)
    }

    /// The devices whose reception is the sign.
    public var identity: Identity

    /// The filtered signal in dBm at which the sign becomes inside; `nil`: any sighting is enough.
    public var enterRSSI: Int?

    /// The filtered signal in dBm below which the sign becomes outside; `nil`: only silence ends it.
    public var exitRSSI: Int?

    /// The silence after which the sign counts as gone; `nil`: a learned one.
    public var exitAfter: Duration?

    /// The weight of a learned exit time between speed and correctness.
    public var sensitivity: Sensitivity

    /// The RSSI of the sign's devices at one metre in dBm, if it was measured; `nil` for the value of each beacon.
    public var measuredPower: Int8?

    /// The path loss exponent at this place; `nil`: ``PathLoss/defaultExponent``.
    public var pathLossExponent: Double?

    /// The maximum number of signs of a region.
    public static let limit = 8

    /// A sign; by default one that any sighting proves, and that is gone after as long a silence as is learned.
    public init(
        _ identity: Identity, enterRSSI: Int? = nil, exitRSSI: Int? = nil, exitAfter: Duration? = nil,
        sensitivity: Sensitivity = .balanced, measuredPower: Int8? = nil, pathLossExponent: Double? = nil
    ) {
        self.identity = identity
        self.enterRSSI = enterRSSI
        self.exitRSSI = exitRSSI
        self.exitAfter = exitAfter
        self.sensitivity = sensitivity
        self.measuredPower = measuredPower
        self.pathLossExponent = pathLossExponent
    }

    /// The beacons of the sign; `nil` for a phone.
    public var constraint: BeaconConstraint? {
        if case .beacon(let constraint) = identity { constraint } else { nil }
    }

    /// Whether the settings replace the beacons' values in the computation of distances.
    var isCalibrated: Bool { measuredPower != nil || pathLossExponent != nil }
}

extension RegionSign.Identity: LosslessStringConvertible {
    private static let phonePrefix = "phone "

    /// `UUID/major/minor`, an asterisk for any, or `phone FILE`.
    public var description: String {
        switch self {
        case .beacon(let constraint): constraint.description
        case .phone(let file): Self.phonePrefix + file
        }
    }

    /// Reads a ``description``.
    public init?(_ text: String) {
        if text.hasPrefix(Self.phonePrefix) {
            self = .phone(file: String(text.dropFirst(Self.phonePrefix.count)))
        } else {
            guard let constraint = BeaconConstraint(text) else { return nil }
            self = .beacon(constraint)
        }
    }
}
