package import Glibc

/// The user and the groups that the daemon runs as.
package struct ServiceAccount: Sendable, Equatable {
    package var user: UInt32
    /// The group of its new files.
    package var group: UInt32
    package var groups: Set<UInt32>
    /// Whether it is the account of this process, so that the rights of this process are those of the daemon.
    package var isOwn: Bool

    package init(user: UInt32, group: UInt32 = getegid(), groups: Set<UInt32>, isOwn: Bool = false) {
        (self.user, self.group, self.groups, self.isOwn) = (user, group, groups, isOwn)
    }

    /// The name of the service's user and of its group.
    package static let name = "okaeri"

    /// The account of the service; `nil` if this machine has none.
    package static var service: ServiceAccount? { account(name) }

    /// The user that runs this program by `sudo`; `nil` without it.
    package static var sudoCaller: UInt32? { unsafe getenv("SUDO_UID").flatMap { unsafe UInt32(String(cString: $0)) } }

    /// The account of this process.
    package static var own: ServiceAccount {
        var list = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = unsafe list.withUnsafeMutableBufferPointer {
            unsafe getgroups(Int32($0.count), $0.baseAddress)
        }
        return ServiceAccount(
            user: geteuid(), groups: Set(list.prefix(max(0, Int(count)))).union([getegid()]), isOwn: true)
    }

    private static func account(_ name: String) -> ServiceAccount? {
        var (entry, found) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { buffer in
            guard let start = buffer.baseAddress,
                unsafe getpwnam_r(name, &entry, start, buffer.count, &found) == 0, unsafe found != nil
            else { return nil }
            var groups = [gid_t](repeating: 0, count: 256)
            var count = Int32(groups.count)
            unsafe getgrouplist(name, entry.pw_gid, &groups, &count)
            return unsafe ServiceAccount(
                user: entry.pw_uid, group: entry.pw_gid,
                groups: Set(groups.prefix(max(0, min(Int(count), groups.count)))).union([entry.pw_gid]))
        }
    }

    /// Whether a file's mode lets the account do something.
    ///
    /// - Parameter right: the bit of the owner, such as `S_IXUSR`.
    package func may(_ right: mode_t, _ status: stat) -> Bool {
        if user == 0 { return right != S_IXUSR || status.st_mode & 0o111 != 0 }
        if status.st_uid == user { return status.st_mode & right != 0 }
        return status.st_mode & (groups.contains(status.st_gid) ? right >> 3 : right >> 6) != 0
    }
}

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
