package import OkaeriEvents
import OkaeriPlumbing
import ServiceLifecycle
import Synchronization

/// Notifies the service manager of readiness, activity and liveness.
package final class Supervision: Service {
    private struct State {
        var sentence = StatusSentence()
        /// The sentence that the service manager has.
        var lastSent: String?
        var isReady = false
        var hasSaidReady = false
        var isReloading = false
        var hasEndedWell = false
        /// The messages that were decided on and not yet sent, the oldest first.
        var outbox: [[ServiceManager.Message]] = []
        /// Whether a thread sends: then no other may, for the order's sake.
        var isSending = false

        mutating func enqueue(_ messages: ServiceManager.Message...) {
            outbox.append(messages)
        }

        /// Enqueues what is new in the sentence and the readiness.
        mutating func enqueueNews() {
            let sentence = sentence.text
            let isReadyNow = isReady && !isReloading && !hasSaidReady
            // All clients of the bus are notified of a new sentence: repeating an old one would show the times of arrivals.
            guard isReadyNow || sentence != lastSent else { return }
            lastSent = sentence
            guard isReadyNow else { return enqueue(.status(sentence)) }
            hasSaidReady = true
            enqueue(.ready, .status(sentence))
        }

        /// Returns what the calling thread has to send; `nil` if there is nothing, or another thread is sending.
        mutating func nextToSend() -> [ServiceManager.Message]? {
            guard !isSending, !outbox.isEmpty else { return nil }
            isSending = true
            return outbox.removeFirst()
        }
    }

    private let manager: ServiceManager
    private let events: AsyncStream<Event>
    private let isAlive: @Sendable () async -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - events: all that happens, from the beginning.
    ///   - isAlive: returns when the daemon's loop has turned; later is too late, and never is what the watchdog is for.
    package init(_ manager: ServiceManager, events: AsyncStream<Event>, isAlive: @escaping @Sendable () async -> Bool) {
        self.manager = manager
        self.events = events
        self.isAlive = isAlive
    }

    package func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { for await event in self.events { self.happened(event) } }
            if let interval = manager.watchdogInterval {
                group.addTask { await self.sendWatchdogNotifications(every: interval / 2) }
            }
            try? await gracefulShutdown()
            manager.notify(.stopping)
            group.cancelAll()
        }
    }

    /// The daemon is ready as soon as the state of its adapter is known, or it waits for one.
    private func happened(_ event: Event) {
        var isStart = false
        if case .bluetoothStateDidUpdate = event.kind { isStart = true }
        update { state in
            state.sentence.happened(event)
            if isStart { state.isReady = true }
            state.enqueueNews()
        }
    }

    /// Handles that the source has ended.
    ///
    /// - Parameter isFault: whether that is what the watchdog is for; otherwise what is known stands.
    package func sourceEnded(_ remark: String, isFault: Bool) {
        update { state in
            state.sentence.remark = remark
            state.hasEndedWell = !isFault
            state.isReady = true
            state.enqueueNews()
        }
    }

    /// The configuration is read again; ``reloaded(_:)`` follows.
    package func reloading() {
        update { state in
            guard state.isReady else { return }
            state.enqueue(.reloading)
            state.hasSaidReady = false
            state.isReloading = true
        }
    }

    /// - Parameter regions: The regions watched from now on; `nil` if the new configuration is invalid.
    package func reloaded(_ regions: Set<String>?) {
        update { state in
            regions.map { state.sentence.keep($0) }
            state.sentence.remark = regions == nil ? "the configuration is wrong, the old one stays in force" : nil
            state.isReloading = false
            state.enqueueNews()
        }
    }

    /// Changes the state, and sends the messages that follow from it in the order of the changes, without the lock: sending
    /// waits for as long as the service manager's queue is full.
    private func update(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        while let messages = state.withLock({ $0.nextToSend() }) {
            manager.notify(messages)
            state.withLock { $0.isSending = false }
        }
    }

    private func sendWatchdogNotifications(every period: Duration) async {
        while await period.elapsed() {
            let hasEndedWell = state.withLock(\.hasEndedWell)
            if hasEndedWell { manager.notify(.watchdog) } else if await isAlive() { manager.notify(.watchdog) }
        }
    }
}
