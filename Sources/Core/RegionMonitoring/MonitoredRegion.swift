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

    /// The region's name and its beacons.
    public var region: BeaconRegion

    /// The filtered signal in dBm at which the region is entered; nil: any sighting enters.
    public var enterRSSI: Int?

    /// The filtered signal in dBm below which the region is left; nil: only silence leaves.
    public var exitRSSI: Int?

    /// The silence after which the beacon counts as gone; `nil`: a learned one.
    public var exitAfter: Duration?

    /// The weight of a learned exit time between speed and correctness.
    public var sensitivity: Sensitivity

    /// The RSSI of the region's beacons at one metre in dBm, if it was measured; `nil` for the value of each beacon.
    public var measuredPower: Int8?

    /// The path loss exponent here; `nil`: ``PathLoss/defaultExponent``.
    public var pathLossExponent: Double?

    /// Whether didEnterRegion is announced. The state is determined all the same.
    public var notifyOnEntry: Bool

    /// Whether didExitRegion is announced.
    public var notifyOnExit: Bool

    /// The condition for announcing ranging.
    public var ranging: Ranging

    /// The use of the battery levels of the region's beacons.
    public var battery: Battery

    /// Whether the settings replace the beacons' values in the computation of distances.
    var isCalibrated: Bool { measuredPower != nil || pathLossExponent != nil }

    /// The longest exit time that is ever learned.
    public static let longestExitAfter = Duration.seconds(SilenceModel.longest)

    /// A region; by default one that any sighting enters, and that is left after as long a silence as is learned.
    public init(
        _ region: BeaconRegion, enterRSSI: Int? = nil, exitRSSI: Int? = nil,
        exitAfter: Duration? = nil, sensitivity: Sensitivity = .balanced, measuredPower: Int8? = nil,
        pathLossExponent: Double? = nil,
        notifyOnEntry: Bool = true, notifyOnExit: Bool = true, ranging: Ranging = .off,
        battery: Battery = .advertised
    ) {
        self.region = region
        self.enterRSSI = enterRSSI
        self.exitRSSI = exitRSSI
        self.exitAfter = exitAfter
        self.sensitivity = sensitivity
        self.measuredPower = measuredPower
        self.pathLossExponent = pathLossExponent
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.ranging = ranging
        self.battery = battery
    }
}
