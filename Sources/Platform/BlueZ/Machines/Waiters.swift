import Synchronization

/// The tasks that wait until the mirror shows something. Each is woken by what it waits for and by nothing else; any
/// number of changes between two of its looks wake it once.
final class Waiters: Sendable {
    private struct Waiter {
        let interest: Interest
        /// Something has changed that it has not seen.
        var isDue = false
        var continuation: CheckedContinuation<Void, Never>?

        /// Returns what is to be resumed.
        mutating func wake() -> CheckedContinuation<Void, Never>? {
            defer { continuation = nil }
            if continuation == nil { isDue = true }
            return continuation
        }
    }

    private struct State {
        var next: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
    }

    private let state = Mutex(State())

    /// Adds a waiter: a change after this wakes it, though it may be busy.
    ///
    /// - Returns: a name for the wait, which ends with ``remove(_:)``.
    func add(_ interest: Interest) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.waiters[state.next] = Waiter(interest: interest)
            return state.next
        }
    }

    func remove(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id)?.continuation }?.resume()
    }

    /// Returns when the waiter is woken, at once if it was since it waited last. To be called by one task at a time.
    func wait(_ id: UInt64) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard let waiter = state.waiters[id], !waiter.isDue else {
                    state.waiters[id]?.isDue = false
                    return true
                }
                state.waiters[id]?.continuation = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Wakes one.
    func wake(_ id: UInt64) {
        state.withLock { $0.waiters[id]?.wake() }?.resume()
    }

    func wake(for change: MirrorChange) {
        let woken = state.withLock { state in
            state.waiters.filter { $0.value.interest.includes(change) }.keys.compactMap { state.waiters[$0]?.wake() }
        }
        for continuation in woken { continuation.resume() }
    }
}
