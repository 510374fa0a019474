import OkaeriPlumbing
import Synchronization

/// Publishes every event to all listeners, in order, stamped with this node's name and its number. A slow listener does
/// not delay the others.
package final class EventHub: Sendable {
    /// The number of events that a listener may lag behind; then its oldest events are dropped. At least as many, but
    /// for ranging in a crowd, are kept for clients that return.
    package static let backlog = 1024

    /// Records an event before it is published. It returns whether it calls ``publish(_:)`` with it in the end; otherwise the event is
    /// published at once.
    package typealias Recorder = @Sendable (Event) -> Bool

    private struct State {
        var node: String
        var sequence: UInt64 = 0
        var tally = EventTally()
        var recorder: Recorder?
        /// The number of the latest event that was published, of those that were stamped.
        var published: UInt64 = 0
        var recent = RecentEvents()
    }

    private let state: Mutex<State>
    private let broadcast = Broadcast<Event>()

    package init(node: String = "") {
        state = Mutex(State(node: node))
    }

    /// This machine's name in every event.
    package var node: String { state.withLock(\.node) }

    /// Gives this machine another name in the events from now on.
    package func rename(_ node: String) { state.withLock { $0.node = node } }

    /// Has every event recorded before it is published. Call it before the first event.
    package func record(with recorder: @escaping Recorder) {
        state.withLock { $0.recorder = recorder }
    }

    /// The number of the latest event.
    package var sequence: UInt64 { state.withLock(\.sequence) }

    /// The number of events since the start.
    package var tally: EventTally { state.withLock(\.tally) }

    /// Goes on counting after this number, if it is not already past it.
    package func resume(after sequence: UInt64) {
        state.withLock { state in
            state.sequence = max(state.sequence, sequence)
            state.published = max(state.published, sequence)
        }
    }

    /// Something happened: it is stamped, recorded where there is a history, and published.
    ///
    /// - Parameter time: nanoseconds since the Unix epoch.
    package func happened(_ kind: Event.Kind, at time: Int64) {
        state.withLock { state in
            state.sequence += 1
            state.tally.count(kind)
            let event = Event(time: time, node: state.node, sequence: state.sequence, kind: kind)
            // Under the lock, or two threads might publish in another order than they count.
            guard state.recorder?(event) != true else { return }
            publish(event, &state)
        }
    }

    /// Gives all listeners an event that is stamped and recorded.
    package func publish(_ event: Event) {
        state.withLock { publish(event, &$0) }
    }

    private func publish(_ event: Event, _ state: inout State) {
        state.published = max(state.published, event.sequence)
        state.recent.append(event)
        broadcast.send(event)
    }

    /// All events from now on, until the hub is closed.
    package func events(backlog: Int = backlog) -> AsyncStream<Event> { broadcast.values(backlog: backlog) }

    /// All events but ranging from now on, until the hub is closed. Each ranged region has an event a second, which wakes no reader of
    /// these.
    package func eventsButRanging(backlog: Int = backlog) -> AsyncStream<Event> {
        broadcast.values(backlog: backlog) { $0.kind.name != .didRangeBeacons }
    }

    /// Puts an item into a stream after each event from now on: it is time to ask for ``next(after:)``. A client that lags
    /// behind so holds no events of its own.
    ///
    /// - Parameter continuation: of a stream that nothing waits for yet.
    /// - Returns: the number of the latest published event.
    package func notify<Item: Sendable>(_ continuation: AsyncStream<Item>.Continuation, with item: Item) -> UInt64 {
        state.withLock { state in
            broadcast.feed(continuation) { _ in item }
            return state.published
        }
    }

    /// Returns the oldest event after a number that is still kept. The events between are gone.
    package func next(after sequence: UInt64) -> Event? { state.withLock { $0.recent.first(after: sequence) } }

    /// The number of listeners.
    package var listeners: Int { broadcast.count }

    /// No more events come: every stream ends after what it holds.
    package func close() { broadcast.close() }
}
