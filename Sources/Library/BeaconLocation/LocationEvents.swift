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
