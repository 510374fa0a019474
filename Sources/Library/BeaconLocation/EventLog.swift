import Synchronization

/// The events of a manager, stored once for all readers. A reader is a position in them.
///
/// An event that no reader has received waits for the next one. The number of stored events is bounded: the oldest are dropped.
final class EventLog: Sendable {
    private struct Reader: Sendable {
        var position: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private struct State: Sendable {
        /// The stored events, the oldest first, and the position of the first.
        var events: [LocationEvent] = []
        var first = 0
        /// The position after the last event that any reader has received.
        var received = 0
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        var isClosed = false

        var end: Int { first + events.count }

        /// Drops the oldest events until `first` is the position.
        mutating func drop(to position: Int) {
            guard position > first else { return }
            events.removeFirst(position - first)
            first = position
        }

        /// Drops the events that every reader has received. Those that no reader has received wait for the next one.
        mutating func collect() {
            drop(to: readers.values.map(\.position).min() ?? received)
        }

        /// Returns the tasks that wait for an event, to be resumed without the lock.
        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            var waiting: [CheckedContinuation<Void, Never>] = []
            for reader in readers.keys { waiting += takeWaiting(reader) }
            return waiting
        }

        mutating func takeWaiting(_ reader: Int) -> [CheckedContinuation<Void, Never>] {
            defer { readers[reader]?.waiting = [] }
            return readers[reader]?.waiting ?? []
        }
    }

    /// The result of one look at the events.
    private enum Look {
        case event(LocationEvent)
        case end
        case none
    }

    private let backlog: Int
    private let state = Mutex(State())

    /// - Parameter backlog: The maximum number of stored events.
    init(backlog: Int) {
        self.backlog = backlog
    }

    /// Stores an event, and resumes the readers.
    func send(_ event: LocationEvent) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard !state.isClosed else { return [] }
            state.events.append(event)
            state.drop(to: state.end - backlog)
            return state.takeWaiting()
        }
        for task in waiting { task.resume() }
    }

    /// Adds a reader: of the events that no reader has received, and of those from now on. A reader that does not read any more does
    /// not change that: Swift never releases the iterator of a loop in the top-level code of a program.
    ///
    /// - Returns: The number of the reader, for ``next(_:isolation:)`` and ``unsubscribe(_:)``.
    func subscribe() -> Int {
        state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(position: max(state.first, state.received))
            return state.lastReader
        }
    }

    /// Removes a reader.
    func unsubscribe(_ reader: Int) {
        state.withLock { state in
            state.readers[reader] = nil
            state.collect()
        }
    }

    /// Ends every iteration after the stored events.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.takeWaiting()
        }
        for task in waiting { task.resume() }
    }

    /// Returns the next event of a reader, or `nil` when the log is closed, or the task is cancelled.
    func next(_ reader: Int, isolation actor: isolated (any Actor)? = #isolation) async -> LocationEvent? {
        while !Task.isCancelled {
            switch look(reader) {
            case .event(let event): return event
            case .end: return nil
            case .none: await change(reader)
            }
        }
        return nil
    }

    private func look(_ reader: Int) -> Look {
        state.withLock { state in
            guard let position = state.readers[reader]?.position else { return .end }
            let next = max(position, state.first)
            guard next < state.end else { return state.isClosed ? .end : .none }
            let event = state.events[next - state.first]
            state.readers[reader]?.position = next + 1
            state.received = max(state.received, next + 1)
            state.collect()
            return .event(event)
        }
    }

    /// Waits until there is an event for the reader, the log is closed, or the task is cancelled.
    private func change(_ reader: Int, isolation actor: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                let isWaiting = state.withLock { state -> Bool in
                    guard let position = state.readers[reader]?.position else { return false }
                    // A cancellation before this line has found no task to resume.
                    guard !Task.isCancelled, !state.isClosed, position >= state.end else { return false }
                    state.readers[reader]?.waiting.append(task)
                    return true
                }
                if !isWaiting { task.resume() }
            }
        } onCancel: {
            for task in state.withLock({ $0.takeWaiting(reader) }) { task.resume() }
        }
    }
}
