import Bluetooth
import Plumbing
import Synchronization

/// The events of a manager, for everybody who iterates them. What happens before the first does is kept for it.
final class EventBroadcast: Sendable {
    private struct State: Sendable {
        /// Until somebody iterates.
        var waiting: [LocationEvent]? = []
        var iterators = 0
    }

    private let backlog: Int
    private let broadcast = Broadcast<LocationEvent>()
    private let state = Mutex(State())

    /// - Parameter backlog: how many events wait for who is slow; then the oldest are dropped.
    init(backlog: Int) {
        self.backlog = backlog
    }

    func send(_ event: LocationEvent) {
        // Under the lock, or who begins to iterate might get an event out of order.
        state.withLock { state in
            guard let count = state.waiting?.count else { return broadcast.send(event) }
            if count >= backlog { state.waiting?.removeFirst() }
            state.waiting?.append(event)
        }
    }

    /// Somebody begins to iterate.
    ///
    /// - Returns: what has waited for the first one, and what comes from now on.
    func subscribe() -> (waiting: [LocationEvent], events: AsyncStream<LocationEvent>) {
        state.withLock { state in
            state.iterators += 1
            defer { state.waiting = nil }
            return (state.waiting ?? [], broadcast.values(backlog: backlog))
        }
    }

    /// Somebody iterates no more. Returns whether it was the last.
    func unsubscribe() -> Bool {
        state.withLock { state in
            state.iterators -= 1
            return state.iterators == 0
        }
    }

    /// No more events come: every iteration ends after what it holds.
    func close() { broadcast.close() }
}
