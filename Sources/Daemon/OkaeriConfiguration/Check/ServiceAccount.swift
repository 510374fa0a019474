import Glibc

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

    /// The name of the service's user.
    private static let name = "okaeri"

    /// The account of this process.
    package static var own: ServiceAccount {
        var list = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = list.withUnsafeMutableBufferPointer { getgroups(Int32($0.count), $0.baseAddress) }
        return ServiceAccount(
            user: geteuid(), groups: Set(list.prefix(max(0, Int(count)))).union([getegid()]), isOwn: true)
    }

    /// Returns the account of the daemon that reads a file: that of the service for the service's file, otherwise that of this
    /// process.
    package static func ofDaemon(reading file: String) -> ServiceAccount {
        guard file == Configuration.serviceFile, let service = account(name), service.user != geteuid() else {
            return own
        }
        return service
    }

    private static func account(_ name: String) -> ServiceAccount? {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { buffer in
            guard let start = buffer.baseAddress, getpwnam_r(name, &entry, start, buffer.count, &found) == 0,
                found != nil
            else { return nil }
            var groups = [gid_t](repeating: 0, count: 256)
            var count = Int32(groups.count)
            getgrouplist(name, entry.pw_gid, &groups, &count)
            return ServiceAccount(
                user: entry.pw_uid, group: entry.pw_gid,
                groups: Set(groups.prefix(max(0, min(Int(count), groups.count)))).union([entry.pw_gid]))
        }
    }

    /// Whether a file's mode lets the account do something.
    ///
    /// - Parameter right: the bit of the owner, such as `S_IXUSR`.
    func may(_ right: mode_t, _ status: stat) -> Bool {
        if user == 0 { return right != S_IXUSR || status.st_mode & 0o111 != 0 }
        if status.st_uid == user { return status.st_mode & right != 0 }
        return status.st_mode & (groups.contains(status.st_gid) ? right >> 3 : right >> 6) != 0
    }
}
