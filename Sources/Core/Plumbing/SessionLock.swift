import Glibc

/// Ensures that at most one agent runs in a session. The kernel drops the lock when the process ends, however it ends.
package final class SessionLock: Sendable {
    /// The name of the agent's file in the directory of the session.
    package static let agentFile = "okaeri-agent.lock"

    private let file: OwnedDescriptor

    /// Whether this process has the lock.
    package let isHeld: Bool

    /// - Parameter path: A file in the directory of the user's session, which no other user can write.
    /// - Returns: `nil` if there cannot be such a file.
    package init?(_ path: String) {
        let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { return nil }
        file = OwnedDescriptor(owning: number)
        isHeld = flock(number, LOCK_EX | LOCK_NB) == 0
    }
}
