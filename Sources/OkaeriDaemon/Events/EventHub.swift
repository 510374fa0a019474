import Synchronization

/// Hands every event to everybody who listens, in order. Nobody who is slow holds the others up.
final class EventHub: Sendable {
    /// How many events a listener may lag behind; then the oldest are dropped for it.
    static let backlog = 1024

    private struct Listeners {
        var next = 0
        var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
        var isClosed = false
    }

    private let listeners = Mutex(Listeners())

    /// What each event goes through before anybody is told; nil: nothing.
    private let keeper: HistoryKeeper?

    init(keeper: HistoryKeeper? = nil) {
        self.keeper = keeper
    }

    /// Something happened: it is kept, where there is a history, and told.
    func publish(_ event: Event) {
        if let keeper { keeper.keep(event) } else { tell(event) }
    }

    /// Returns when everything that was published before is told.
    func caughtUp() async { await keeper?.caughtUp() }

    /// Tells everybody who listens.
    func tell(_ event: Event) {
        let continuations = listeners.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(event) }
    }

    /// All events from now on, until the hub is closed.
    func events(backlog: Int = backlog) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(backlog))
        let id = listeners.withLock { listeners -> Int? in
            guard !listeners.isClosed else { return nil }
            listeners.next += 1
            listeners.continuations[listeners.next] = continuation
            return listeners.next
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: id) }
        }
        return stream
    }

    /// No more events come: every stream ends after what it holds.
    func close() {
        let continuations = listeners.withLock { listeners in
            listeners.isClosed = true
            defer { listeners.continuations = [:] }
            return Array(listeners.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }
}
