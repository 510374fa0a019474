import Synchronization

/// Whether the run thread is there to do something, and how many wait for it.
package final class Gate: Sendable {
    private enum Phase {
        case idle, running, stopping
    }

    private let state = Mutex((phase: Phase.idle, inside: 0))

    package init() {}

    /// Whether the gate was neither open nor opened before.
    package func open() -> Bool {
        state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .running
            return true
        }
    }

    package func close() {
        state.withLock { $0.phase = .stopping }
    }

    /// Whether the thread is still to come.
    package var isIdle: Bool { state.withLock { $0.phase == .idle } }

    package var isClosed: Bool { state.withLock { $0.phase == .stopping } }

    /// Whether there is a thread to do the work; then ``leave()`` follows, and the thread waits for it.
    package func enter() -> Bool {
        state.withLock { state in
            guard state.phase == .running else { return false }
            state.inside += 1
            return true
        }
    }

    package func leave() {
        state.withLock { $0.inside -= 1 }
    }

    package var isEmpty: Bool { state.withLock { $0.inside == 0 } }
}
