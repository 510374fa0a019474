public import Bluetooth
public import IBeacon
public import RegionMonitoring

/// An event of a ``LocationManager``, and its time.
public struct LocationEvent: Hashable, Sendable {
    /// The kind of event, with the terms of CoreLocation's `CLLocationManagerDelegate`.
    public enum Kind: Hashable, Sendable {
        /// Bluetooth was switched on or off, unplugged, forbidden; with the reason.
        case bluetoothStateDidUpdate(AdapterUpdate)

        /// The region is watched from now on, with or without an adapter.
        case didStartMonitoring(BeaconRegion)

        /// The region's state: after each change, and as the answer to ``LocationManager/requestState(for:)``.
        case didDetermineState(RegionState, BeaconRegion)

        /// A beacon of the region is in range, and the last known state was not inside.
        case didEnterRegion(BeaconRegion, RangedBeacon)

        /// The region's beacons are gone. A failure of the radio never causes an exit.
        case didExitRegion(BeaconRegion)

        /// The region cannot be watched: there is no adapter, or the program may not use it. The manager watches it
        /// as soon as that changes.
        case monitoringDidFail(BeaconRegion, reason: String)

        /// The beacons in range, the nearest first, once a second; empty when there are none.
        case didRange([RangedBeacon], BeaconConstraint)

        /// Beacons cannot be ranged: the adapter is lost.
        case rangingDidFail(BeaconConstraint, reason: String)
    }

    /// The kind of event.
    public var kind: Kind

    /// The time on the clock of all decisions, for differences: it is never set, and stops during suspend.
    public var instant: Instant

    /// The time on the wall clock: nanoseconds since 1970-01-01 00:00:00 UTC.
    public var nanosecondsSince1970: Int64

    /// The time on the wall clock, in seconds: the argument of Foundation's `Date(timeIntervalSince1970:)`.
    public var secondsSince1970: Double { Double(nanosecondsSince1970) / 1e9 }
}
