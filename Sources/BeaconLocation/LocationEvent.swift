public import Bluetooth
public import IBeacon
public import RegionMonitoring

/// What a ``LocationManager`` tells, in the words of CoreLocation's `CLLocationManagerDelegate`.
public enum LocationEvent: Hashable, Sendable {
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
