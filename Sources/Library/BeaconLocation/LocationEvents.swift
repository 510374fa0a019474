public import Bluetooth
public import IBeacon
import Plumbing
public import RegionMonitoring
import Synchronization

/// The events of a ``LocationManager``. Several tasks may iterate: each gets all from its beginning on.
///
/// An iterator keeps the manager alive.
public struct LocationEvents: AsyncSequence, Sendable {
    /// An event with its time.
    public typealias Element = LocationEvent
    public typealias Failure = Never

    let manager: LocationManager

    /// Begins an iteration: the events from now on. The first iterator receives the earlier events, too.
    public func makeAsyncIterator() -> Iterator { Iterator(manager) }

    /// The iteration of one task.
    public struct Iterator: AsyncIteratorProtocol {
        private var waiting: ArraySlice<LocationEvent>
        private var base: AsyncStream<LocationEvent>.Iterator
        private let iteration: Iteration

        init(_ manager: LocationManager) {
            let (waiting, events) = manager.broadcast.subscribe()
            self.waiting = waiting[...]
            base = events.makeAsyncIterator()
            iteration = Iteration(manager)
        }

        /// Returns the next event, or `nil` when the manager has ended, or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> LocationEvent? {
            if let event = waiting.popFirst() { return event }
            return await base.next(isolation: actor)
        }

        /// The next event; nil when the manager has ended, or the task is cancelled.
        public mutating func next() async -> LocationEvent? {
            if let event = waiting.popFirst() { return event }
            return await base.next()
        }
    }
}

/// Lives as long as an iteration. The end of the last one ends the manager.
private final class Iteration: Sendable {
    private let manager: LocationManager

    init(_ manager: LocationManager) {
        self.manager = manager
    }

    deinit {
        if manager.broadcast.unsubscribe() { manager.end() }
    }
}

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

/// The events of a manager, for all readers. Events before the first reader are stored for it.
final class EventBroadcast: Sendable {
    private struct State: Sendable {
        var waiting: [LocationEvent]? = []
        var iterators = 0
    }

    private let backlog: Int
    private let broadcast = Broadcast<LocationEvent>()
    private let state = Mutex(State())

    /// - Parameter backlog: The number of events that wait for a slow reader; then the oldest are dropped.
    init(backlog: Int) {
        self.backlog = backlog
    }

    func send(_ event: LocationEvent) {
        // Under the lock: otherwise a new reader might get an event out of order.
        state.withLock { state in
            guard let count = state.waiting?.count else { return broadcast.send(event) }
            if count >= backlog { state.waiting?.removeFirst() }
            state.waiting?.append(event)
        }
    }

    /// Adds a reader. Returns the events that waited for the first reader, and those from now on.
    func subscribe() -> (waiting: [LocationEvent], events: AsyncStream<LocationEvent>) {
        state.withLock { state in
            state.iterators += 1
            defer { state.waiting = nil }
            return (state.waiting ?? [], broadcast.values(backlog: backlog))
        }
    }

    /// Removes a reader. Returns whether it was the last.
    func unsubscribe() -> Bool {
        state.withLock { state in
            state.iterators -= 1
            return state.iterators == 0
        }
    }

    /// Ends every iteration after its stored events.
    func close() { broadcast.close() }
}
