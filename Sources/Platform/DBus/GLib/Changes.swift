import Synchronization

/// Signals that something has changed, and a waiter checks what. Changes between two looks count as one.
package final class Changes: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextTicket: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of changes so far. Read it before looking, and wait for more than that.
    package var count: UInt64 { state.withLock { $0.count } }

    package func notify() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// A name for one wait, to be given up by.
    package func ticket() -> UInt64 {
        state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
    }

    /// Resumes when there were more than `seen` changes, or when the ticket is given up. It waits where the caller is
    /// isolated: what the caller's thread does later comes after the wait has begun.
    package func wait(past seen: UInt64, ticket: UInt64, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation(isolation: isolation) { continuation in
            let isOver = state.withLock { state in
                guard state.count <= seen else { return true }
                state.waiting[ticket] = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Ends one wait.
    package func giveUp(_ ticket: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
}
