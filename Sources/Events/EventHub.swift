import Plumbing
import Synchronization

/// Publishes every event to everybody who listens, in order, stamped with this node's name and its number. Nobody who is
/// slow holds the others up.
package final class EventHub: Sendable {
    /// How many events a listener may lag behind; then the oldest are dropped for it. As many are kept for who comes back.
    package static let backlog = 1024

    /// Where an event goes before it is published; it calls ``publish(_:)`` with it in the end.
    package typealias Recorder = @Sendable (Event) -> Void

    private struct State {
        var sequence: UInt64 = 0
        var tally = EventTally()
        var recorder: Recorder?
        /// The latest events that were published, the oldest first.
        var latest: [Event] = []
    }

    /// This machine's name in every event.
    package let node: String

    private let state = Mutex(State())
    private let broadcast = Broadcast<Event>()

    package init(node: String = "") {
        self.node = node
    }

    /// Has every event recorded before it is published. To be said before anything happens.
    package func record(with recorder: @escaping Recorder) {
        state.withLock { $0.recorder = recorder }
    }

    /// The number of the latest event.
    package var sequence: UInt64 { state.withLock(\.sequence) }

    /// How many events there were since the start.
    package var tally: EventTally { state.withLock(\.tally) }

    /// Goes on counting after this number, if it is not already past it.
    package func resume(after sequence: UInt64) {
        state.withLock { $0.sequence = max($0.sequence, sequence) }
    }

    /// Something happened: it is stamped, recorded where there is a history, and published.
    ///
    /// - Parameter time: nanoseconds since the Unix epoch.
    package func happened(_ kind: Event.Kind, at time: Int64) {
        state.withLock { state in
            state.sequence += 1
            state.tally.count(kind)
            let event = Event(time: time, node: node, sequence: state.sequence, kind: kind)
            // Under the lock, or two threads might publish in another order than they count.
            if let recorder = state.recorder { recorder(event) } else { publish(event, &state) }
        }
    }

    /// Gives everybody who listens an event that is stamped and recorded.
    package func publish(_ event: Event) {
        state.withLock { publish(event, &$0) }
    }

    private func publish(_ event: Event, _ state: inout State) {
        state.latest.append(event)
        if state.latest.count >= 2 * Self.backlog { state.latest.removeFirst(Self.backlog) }
        broadcast.send(event)
    }

    /// All events from now on, until the hub is closed.
    package func events(backlog: Int = backlog) -> AsyncStream<Event> { broadcast.values(backlog: backlog) }

    /// All events after one that somebody has had before, and all from now on.
    ///
    /// - Parameters:
    ///   - sequence: its number; nil: none.
    ///   - continuation: of a stream that nobody waits for yet: what comes is put there, as the item that is made of it.
    /// - Returns: the events that are known of those between, of which any that are too old are missing, as their numbers
    ///   tell.
    package func events<Item: Sendable>(
        after sequence: UInt64?, into continuation: AsyncStream<Item>.Continuation,
        _ item: @escaping @Sendable (Event) -> Item
    ) -> [Event] {
        state.withLock { state in
            broadcast.feed(continuation, item)
            return sequence.map { number in state.latest.filter { $0.sequence > number } } ?? []
        }
    }

    /// How many listen.
    package var listeners: Int { broadcast.count }

    /// No more events come: every stream ends after what it holds.
    package func close() { broadcast.close() }
}
