public import IBeacon

/// A region and how it is watched.
public struct MonitoredRegion: Hashable, Sendable {
    /// When ranging is announced, once a second.
    public enum Ranging: Hashable, Sendable {
        case off
        /// While the region's state is inside.
        case whileInside
        /// As long as the adapter listens, as CoreLocation's `startRangingBeacons` does.
        case always
    }

    /// Which beacons, under which name.
    public var region: BeaconRegion

    /// The filtered signal in dBm at which the region is entered; nil: any sighting enters.
    public var enterRSSI: Int?

    /// The filtered signal in dBm below which the region is left; nil: only silence leaves.
    public var exitRSSI: Int?

    /// How long a silence means that the beacon is gone.
    public var exitAfter: Duration

    /// Whether didEnterRegion is announced. The state is determined all the same.
    public var notifyOnEntry: Bool

    /// Whether didExitRegion is announced.
    public var notifyOnExit: Bool

    /// When ranging is announced.
    public var ranging: Ranging

    /// The exit time where none is configured. Thirty seconds had no false exit in two hours of recorded tags that were
    /// carried about, twenty had one.
    public static let defaultExitAfter = Duration.seconds(30)

    public init(
        _ region: BeaconRegion, enterRSSI: Int? = nil, exitRSSI: Int? = nil,
        exitAfter: Duration = Self.defaultExitAfter, notifyOnEntry: Bool = true, notifyOnExit: Bool = true,
        ranging: Ranging = .off
    ) {
        self.region = region
        self.enterRSSI = enterRSSI
        self.exitRSSI = exitRSSI
        self.exitAfter = exitAfter
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.ranging = ranging
    }
}
