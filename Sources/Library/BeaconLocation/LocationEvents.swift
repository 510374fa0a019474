public import HCI
public import IBeacon
public import RegionMonitoring

/// The events of a ``LocationManager``. Several tasks may iterate, at the same time and one after another.
///
/// An iteration receives the events from its beginning on, and those before it that no iteration has received, up to
/// ``LocationManager/backlog``. The end of an iteration does not end the manager: it goes on
/// until ``LocationManager/stop()``, or until it is deallocated. An iteration keeps the manager alive.
public struct LocationEvents: AsyncSequence, Sendable {
    /// An event with its time.
    public typealias Element = LocationEvent

    /// An iteration throws no error.
    public typealias Failure = Never

    let manager: LocationManager

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(manager) }

    /// The iteration of one task.
    public struct Iterator: AsyncIteratorProtocol {
        private let iteration: Iteration

        init(_ manager: LocationManager) {
            iteration = Iteration(manager)
        }

        /// Returns the next event, or `nil` when the manager has stopped, or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> LocationEvent? {
            await iteration.next(isolation: actor)
        }

        /// Returns the next event, or `nil` when the manager has stopped, or the task is cancelled.
        public mutating func next() async -> LocationEvent? { await iteration.next() }
    }
}

/// Lives as long as an iteration.
private final class Iteration: Sendable {
    private let manager: LocationManager
    private let reader: Int

    init(_ manager: LocationManager) {
        self.manager = manager
        reader = manager.log.subscribe()
    }

    deinit {
        manager.log.unsubscribe(reader)
    }

    func next(isolation actor: isolated (any Actor)? = #isolation) async -> LocationEvent? {
        await manager.log.next(reader, isolation: actor)
    }
}

/// An event of a ``LocationManager``, and its time.
public struct LocationEvent: Hashable, Sendable {
    /// The kind of event, with the terms of CoreLocation's `CLLocationManagerDelegate`.
    public enum Kind: Hashable, Sendable {
        /// Bluetooth was switched on or off, unplugged, forbidden; with the cause and the reason.
        case bluetoothStateDidUpdate(AdapterUpdate)

        /// The region is watched from now on, with or without an adapter.
        case didStartMonitoring(BeaconRegion)

        /// The region's state: after each change, and as the answer to ``LocationManager/requestState(for:)-(BeaconRegion)``.
        case didDetermineState(RegionState, BeaconRegion)

        /// A beacon of the region is in range, and the last known state was not inside.
        case didEnterRegion(BeaconRegion, RangedBeacon)

        /// The region's beacons are gone. A failure of the radio never causes an exit.
        case didExitRegion(BeaconRegion)

        /// The region cannot be watched: there is no adapter, or the program may not use it. The manager watches it
        /// as soon as that changes.
        case monitoringDidFail(BeaconRegion, AdapterUpdate)

        /// The beacons in range that satisfy a ranged constraint, the nearest first, once a second; empty when there are none.
        case didRange([RangedBeacon], BeaconConstraint)

        /// The beacons in range of a region whose `ranging` is not `off`, the nearest first, once a second.
        case didRangeBeacons([RangedBeacon], BeaconRegion)

        /// Beacons that satisfy a constraint cannot be ranged: the adapter is lost.
        case rangingDidFail(BeaconConstraint, AdapterUpdate)

        /// The beacons of a region cannot be ranged: the adapter is lost.
        case rangingBeaconsDidFail(BeaconRegion, AdapterUpdate)
    }

    /// The kind of event.
    public var kind: Kind

    /// The time on the clock of all decisions, for differences: it is never set, and stops during suspend.
    public var instant: Instant

    /// The time on the wall clock: nanoseconds since 1970-01-01 00:00:00 UTC.
    public var nanosecondsSince1970: Int64

    /// The time on the wall clock, in seconds: the argument of Foundation's `Date(timeIntervalSince1970:)`.
    public var secondsSince1970: Double { Double(nanosecondsSince1970) / 1e9 }

    /// Returns the time on the wall clock of another instant, such as the timestamp of a beacon, in seconds.
    public func secondsSince1970(at other: Instant) -> Double {
        secondsSince1970 + instant.duration(to: other) / .seconds(1)
    }
}
