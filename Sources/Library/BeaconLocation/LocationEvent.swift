public import Bluetooth
public import IBeacon
public import RegionMonitoring

/// What a ``LocationManager`` publishes, and when it happened.
public struct LocationEvent: Hashable, Sendable {
    /// What happened, in the words of CoreLocation's `CLLocationManagerDelegate`.
    public enum Kind: Hashable, Sendable {
        /// Bluetooth was switched on or off, unplugged, forbidden; with the reason.
        case bluetoothStateDidUpdate(AdapterUpdate)

        /// The region is watched from now on, with or without an adapter.
        case didStartMonitoring(BeaconRegion)

        /// The region's state is this: after each change, and as the answer to ``LocationManager/requestState(for:)``.
        case didDetermineState(RegionState, BeaconRegion)

        /// A beacon of the region is here, and none was when that was last known.
        case didEnterRegion(BeaconRegion, RangedBeacon)

        /// The region's beacons are gone. The radio's failure is never an exit.
        case didExitRegion(BeaconRegion)

        /// The region cannot be watched: there is no adapter, or it may not be used. It will be as soon as that changes.
        case monitoringDidFail(BeaconRegion, reason: String)

        /// The beacons in range, the nearest first, once a second; empty when there are none.
        case didRange([RangedBeacon], BeaconConstraint)

        /// Nobody can be ranged: the adapter is lost.
        case rangingDidFail(BeaconConstraint, reason: String)
    }

    /// What happened.
    public var kind: Kind

    /// When, on the clock that decides: nobody sets it, and it stands still while the machine sleeps. For the time between
    /// two events.
    public var instant: Instant

    /// When, on the wall clock: nanoseconds since 1970-01-01 00:00:00 UTC.
    public var nanosecondsSince1970: Int64

    /// - Parameters:
    ///   - kind: what happened.
    ///   - instant: when, on the kernel's monotonic clock.
    ///   - nanosecondsSince1970: when, on the wall clock.
    public init(kind: Kind, instant: Instant, nanosecondsSince1970: Int64) {
        self.kind = kind
        self.instant = instant
        self.nanosecondsSince1970 = nanosecondsSince1970
    }

    /// When, on the wall clock, in seconds: what Foundation's `Date(timeIntervalSince1970:)` takes.
    public var secondsSince1970: Double { Double(nanosecondsSince1970) / 1e9 }
}
