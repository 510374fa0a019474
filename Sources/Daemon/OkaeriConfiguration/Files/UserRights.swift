import COkaeri
import Glibc
package import SystemPackage

/// The rights of another user, with which root acts in a directory of that user.
///
/// The user could replace a file there by a link to any file. With the rights of the user, root reaches only what the user reaches.
package struct UserRights: Sendable, Equatable {
    package let user: UInt32
    private let group: UInt32

    package init(user: UInt32, group: UInt32) { (self.user, self.group) = (user, group) }

    /// Returns the rights of the user that called `sudo`; `nil` outside `sudo`.
    static var ofCaller: UserRights? {
        func number(_ name: String) -> UInt32? { getenv(name).flatMap { UInt32(String(cString: $0)) } }
        guard geteuid() == 0, let user = number("SUDO_UID"), let group = number("SUDO_GID"), user != 0 else {
            return nil
        }
        return UserRights(user: user, group: group)
    }

    /// Runs `body` with these rights. They are rights of the whole process: nothing else may run meanwhile.
    ///
    /// - Parameter failure: Makes the error if root cannot take the rights.
    package func callAsFunction<Value: ~Copyable, Failure>(
        _ failure: (Errno) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = groups.withUnsafeMutableBufferPointer { getgroups(Int32($0.count), $0.baseAddress) }
        groups.removeLast(groups.count - max(0, Int(count)))
        defer {
            precondition(
                seteuid(0) == 0 && setegid(getgid()) == 0 && setgroups(groups.count, groups) == 0,
                "root does not have its own rights again")
            okaeri_forbid_memory_dumps()
        }
        guard setgroups(1, [group]) == 0, setegid(group) == 0, seteuid(user) == 0 else {
            throw failure(Errno(rawValue: errno))
        }
        okaeri_forbid_memory_dumps()
        return try body()
    }
}
