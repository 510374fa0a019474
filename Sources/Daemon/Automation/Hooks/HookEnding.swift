import Glibc
import Synchronization

/// The decision whether a hook is ended or has ended by itself: by what was first.
final class HookEnding: Sendable {
    private let process: pid_t
    private let decided = Mutex<HookFailure?>(nil)

    /// - Parameter process: A child of this process, not reaped as long as this decides.
    init(of process: pid_t) { self.process = process }

    /// The reason why the hook was ended; `nil` if it has ended by itself.
    var reason: HookFailure? { decided.withLock(\.self) }

    /// Begins to end the hook.
    ///
    /// - Returns: Whether the hook is ended for that reason. One that has ended by itself, or is ended already, is not.
    func begin(_ reason: HookFailure) -> Bool {
        decided.withLock { decided in
            guard decided == nil, !hasExited else { return false }
            decided = reason
            return true
        }
    }

    /// Whether the process has exited. It is not reaped.
    private var hasExited: Bool {
        var information = siginfo_t()
        let status = unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
        return status != 0 || information.si_signo == SIGCHLD
    }
}
