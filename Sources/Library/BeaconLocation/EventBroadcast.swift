import Bluetooth
import Plumbing
import Synchronization

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
