import Synchronization

/// The attempts to connect that are under way, with those that bluetoothd is giving up.
final class ConnectionAttempts: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        let waiting = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? Self.take(&state) : []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when none is under way, or the time is up.
    func ended(within limit: Duration) async {
        let timer = Task { [weak self] in
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            let waiting = self?.state.withLock { Self.take(&$0) } ?? []
            for continuation in waiting { continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
        timer.cancel()
    }

    private static func take(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        defer { state.waiting = [] }
        return state.waiting
    }
}
