public import IBeacon

/// A region and its settings.
public struct MonitoredRegion: Hashable, Sendable {
    /// The condition for announcing ranging, once a second.
    public enum Ranging: Hashable, Sendable {
        /// Never.
        case off
        /// While the region's state is inside.
        case whileInside
        /// As long as the adapter listens, as CoreLocation's `startRangingBeacons` does.
        case always
    }

    /// The use of the battery levels of the region's beacons.
    public enum Battery: String, Hashable, Sendable, CaseIterable {
        /// The levels that the beacons advertise.
        case advertised
        /// The same, and a level that is read by a connection once a day, if the beacon advertises none.
        case gatt
        /// None.
        case off
    }

    /// The name that a person gave the region, unique among the regions that are monitored.
    public var identifier: String

    /// The signs of the region, at least one: any of them keeps it inside.
    package private(set) var signs: [RegionSign]

    /// Whether didEnterRegion is announced. The state is determined all the same.
    public var notifyOnEntry: Bool

    /// Whether didExitRegion is announced.
    public var notifyOnExit: Bool

    /// The condition for announcing ranging.
    public var ranging: Ranging

    /// The use of the battery levels of the region's beacons.
    public var battery: Battery

    /// The time after which a battery level that was not received again is dropped.
    package static let batteryRetention = Duration.seconds(30 * 86_400)

    /// The longest exit time that is ever learned.
    public static let longestExitAfter = Duration.seconds(SilenceModel.longest)

    /// A region of one sign; by default one that any sighting enters, and that is left after as long a silence as is learned.
    public init(
        _ region: BeaconRegion, enterRSSI: Int? = nil, exitRSSI: Int? = nil,
        exitAfter: Duration? = nil, sensitivity: Sensitivity = .balanced, measuredPower: Int8? = nil,
        pathLossExponent: Double? = nil,
        notifyOnEntry: Bool = true, notifyOnExit: Bool = true, ranging: Ranging = .off,
        battery: Battery = .advertised
    ) {
        let sign = RegionSign(
            .beacon(region.constraint), enterRSSI: enterRSSI, exitRSSI: exitRSSI, exitAfter: exitAfter,
            sensitivity: sensitivity, measuredPower: measuredPower, pathLossExponent: pathLossExponent)
        self.init(
            identifier: region.identifier, sign, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit,
            ranging: ranging, battery: battery)
    }

    /// A region of several signs.
    ///
    /// - Parameters:
    ///   - sign: The first sign.
    ///   - others: The other signs, with different identities; those beyond ``RegionSign/limit`` have no effect.
    package init(
        identifier: String, _ sign: RegionSign, or others: [RegionSign] = [],
        notifyOnEntry: Bool = true, notifyOnExit: Bool = true, ranging: Ranging = .off,
        battery: Battery = .advertised
    ) {
        self.identifier = identifier
        signs = [sign] + others.prefix(RegionSign.limit - 1)
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.ranging = ranging
        self.battery = battery
    }

    /// The sign of a region whose only sign is beacons; `nil` for several signs and for a phone.
    package var onlySign: RegionSign? { signs.count == 1 && sign.constraint != nil ? sign : nil }

    /// The predicate of a sentence about a region of other signs than beacons alone; `nil` for a region of beacons.
    package var otherSigns: String? {
        onlySign != nil ? nil : signs.count == 1 ? "is a phone" : "has several signs"
    }

    /// The only sign; of several, the first.
    package var sign: RegionSign {
        get { signs[0] }
        set { signs[0] = newValue }
    }

    /// Returns whether both have a sign of the same devices.
    func hasCommonSign(with other: MonitoredRegion) -> Bool {
        signs.contains { sign in other.signs.contains { $0.identity == sign.identity } }
    }

    /// The signs in words, for people.
    package var signsText: String { signs.map(\.identity.description).joined(separator: " or ") }

    /// The beacons, if they are the only sign; `nil` for several signs and for a phone.
    public var constraint: BeaconConstraint? { onlySign?.constraint }

    /// The name and the beacons, if they are the only sign; `nil` for several signs and for a phone.
    public var region: BeaconRegion? { constraint.map { BeaconRegion(identifier: identifier, constraint: $0) } }
}

/// The settings of the only sign; of several, those of the first.
extension MonitoredRegion {
    /// The filtered signal in dBm at which the region is entered; `nil`: any sighting enters.
    public var enterRSSI: Int? {
        get { sign.enterRSSI }
        set { sign.enterRSSI = newValue }
    }

    /// The filtered signal in dBm below which the region is left; `nil`: only silence leaves.
    public var exitRSSI: Int? {
        get { sign.exitRSSI }
        set { sign.exitRSSI = newValue }
    }

    /// The silence after which the beacon counts as gone; `nil`: a learned one.
    public var exitAfter: Duration? {
        get { sign.exitAfter }
        set { sign.exitAfter = newValue }
    }

    /// The weight of a learned exit time between speed and correctness.
    public var sensitivity: Sensitivity {
        get { sign.sensitivity }
        set { sign.sensitivity = newValue }
    }

    /// The RSSI of the region's beacons at one metre in dBm, if it was measured; `nil` for the value of each beacon.
    public var measuredPower: Int8? {
        get { sign.measuredPower }
        set { sign.measuredPower = newValue }
    }

    /// The path loss exponent here; `nil`: ``PathLoss/defaultExponent``.
    public var pathLossExponent: Double? {
        get { sign.pathLossExponent }
        set { sign.pathLossExponent = newValue }
    }
}

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

    /// Whether the signal decides, and not the reception alone.
    package var isLimited: Bool { enterRSSI != nil || exitRSSI != nil }

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
