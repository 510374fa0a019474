import Synchronization

/// The work of a manager in the background: begins with the first request to the manager, and ends with it.
final class ManagerTask: Sendable {
    private enum State {
        /// → `running`, `stopped`.
        case idle
        /// → `stopped`.
        case running(Task<Void, Never>)
        /// The task returns when the one that ran has ended, if one did.
        case stopped(Task<Void, Never>?)
    }

    private let work: @Sendable () async -> Void
    private let state = Mutex(State.idle)

    /// - Parameter work: Runs until its task is cancelled. It must not hold the manager, which ends it.
    init(_ work: @escaping @Sendable () async -> Void) {
        self.work = work
    }

    deinit { stop() }

    /// Begins the work, unless it has begun or was stopped.
    func start() {
        state.withLock { state in
            guard case .idle = state else { return }
            state = .running(Task { [work] in await work() })
        }
    }

    /// Ends the work for good.
    ///
    /// - Parameter last: Uses the work once more before it ends.
    func stop(after last: @escaping @Sendable () async -> Void = {}) {
        state.withLock { state in
            switch state {
            case .idle: state = .stopped(nil)
            case .running(let task):
                state = .stopped(
                    Task {
                        await last()
                        task.cancel()
                        await task.value
                    })
            case .stopped: break
            }
        }
    }

    /// Returns when the work has ended that was stopped.
    func ended() async {
        let task: Task<Void, Never>? = state.withLock { state in
            if case .stopped(let task) = state { task } else { nil }
        }
        await task?.value
    }
}
