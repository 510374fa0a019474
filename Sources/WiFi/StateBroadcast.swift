import Synchronization

/// The latest state, for whoever asks and for whoever waits.
final class StateBroadcast: Sendable {
    private struct Listeners {
        var latest = WiFiState()
        var next = 0
        var waiting: [Int: AsyncStream<WiFiState>.Continuation] = [:]
    }

    private let listeners = Mutex(Listeners())

    var latest: WiFiState { listeners.withLock { $0.latest } }

    /// Tells everyone, unless nothing has changed.
    func publish(_ state: WiFiState) {
        // Under the lock, so that every listener hears states in the order they came in.
        listeners.withLock { listeners in
            guard listeners.latest != state else { return }
            listeners.latest = state
            for continuation in listeners.waiting.values { continuation.yield(state) }
        }
    }

    func states() -> AsyncStream<WiFiState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = listeners.withLock { listeners in
                listeners.next += 1
                listeners.waiting[listeners.next] = continuation
                continuation.yield(listeners.latest)
                return listeners.next
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.listeners.withLock { $0.waiting.removeValue(forKey: id) }
            }
        }
    }
}
