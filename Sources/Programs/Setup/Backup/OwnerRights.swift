import Glibc
import OkaeriConfiguration
import Plumbing
import SystemPackage

/// The rights with which a process works in the state directory.
///
/// The directory of the service belongs to its user, which could replace a file in it by a link to any file. So root acts there
/// as that user, and reaches what that user reaches.
struct OwnerRights: Sendable {
    /// The user and group to act as; `nil`: those of this process.
    private let owner: (user: UInt32, group: UInt32)?
    private let command: String

    /// The rights of this process.
    static let own = OwnerRights()

    private init() { (owner, command) = (nil, "") }

    /// - Parameter command: The words of the command, for the remedy.
    init(ofDirectory path: String, command: String) {
        var status = stat()
        let isForeign = geteuid() == 0 && stat(path, &status) == 0 && status.st_uid != 0
        owner = isForeign ? (status.st_uid, status.st_gid) : nil
        self.command = command
    }

    /// Runs `body` with these rights. They are rights of the whole process: nothing else may run meanwhile.
    func callAsFunction<Value: ~Copyable>(_ body: () throws(BackupFailure) -> Value) throws(BackupFailure) -> Value {
        guard let owner else { return try body() }
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = groups.withUnsafeMutableBufferPointer { getgroups(Int32($0.count), $0.baseAddress) }
        groups.removeLast(groups.count - max(0, Int(count)))
        defer {
            precondition(
                seteuid(0) == 0 && setegid(getgid()) == 0 && setgroups(groups.count, groups) == 0,
                "root does not have its own rights again")
        }
        guard setgroups(1, [owner.group]) == 0, setegid(owner.group) == 0, seteuid(owner.user) == 0 else {
            throw BackupFailure(
                "cannot act as user \(owner.user), the owner of the state directory", Errno(rawValue: errno),
                command: command)
        }
        return try body()
    }
}
