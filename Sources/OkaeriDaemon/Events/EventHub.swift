import Bluetooth

/// Hands every event to everybody who listens, in order. Nobody who is slow holds the others up.
final class EventHub: Sendable {
    /// How many events a listener may lag behind; then the oldest are dropped for it.
    static let backlog = 1024

    private let broadcast = Broadcast<Event>()

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
    func tell(_ event: Event) { broadcast.send(event) }

    /// All events from now on, until the hub is closed.
    func events(backlog: Int = backlog) -> AsyncStream<Event> { broadcast.values(backlog: backlog) }

    /// No more events come: every stream ends after what it holds.
    func close() { broadcast.close() }
}
