import Synchronization

/// A deadline that may move with every event, and the action that is due then.
///
/// A `Task.sleep` that is cancelled ends at once, but the Swift runtime keeps its timer, and with it most of the task, until
/// the time at which the sleep was to end: almost a kilobyte for each. An alarm therefore cancels no sleep. A sleep that ends
/// before the deadline, because that was moved, looks for the deadline and begins anew.
package final class Alarm: Sendable {
    package typealias Instant = ContinuousClock.Instant
    package typealias Action = @Sendable () async -> Void

    private struct State {
        var due: (instant: Instant, action: Action)?
        /// The ends of the sleeps that have begun.
        var ends: Set<Instant> = []

        /// The end of the sleep that must begin now, or nil if one that has begun ends soon enough.
        mutating func nextSleep() -> Instant? {
            guard let due, !ends.contains(where: { $0 <= due.instant }) else { return nil }
            ends.insert(due.instant)
            return due.instant
        }

        mutating func sleepEnded(_ end: Instant, at now: Instant) -> Action? {
            ends.remove(end)
            guard let due, due.instant <= now else { return nil }
            self.due = nil
            return due.action
        }
    }

    private let state = Mutex(State())
    private let sleep: @Sendable (Instant) async -> Void

    /// - Parameter sleep: returns at the instant; not before, if it is not cancelled.
    package init(
        sleep: @escaping @Sendable (Instant) async -> Void = { try? await Task.sleep(until: $0, clock: .continuous) }
    ) {
        self.sleep = sleep
    }

    package func set(_ instant: Instant, _ action: @escaping Action) {
        begin(
            state.withLock { state in
                state.due = (instant, action)
                return state.nextSleep()
            })
    }

    /// Removes the deadline and its action.
    package func clear() { state.withLock { $0.due = nil } }

    private func begin(_ end: Instant?) {
        guard let end else { return }
        Task {
            await sleep(end)
            let (action, next) = state.withLock { state in
                (state.sleepEnded(end, at: max(end, .now)), state.nextSleep())
            }
            begin(next)
            await action?()
        }
    }
}
