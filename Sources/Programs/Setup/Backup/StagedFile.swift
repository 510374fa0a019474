import Glibc
import OkaeriConfiguration
import OkaeriPlumbing
import SystemPackage

/// A file that is exchanged together with others: the new one is beside the old one until then, and the old one stays as `.bak`.
final class StagedFile: Sendable {
    /// A name in a directory, however many paths lead there.
    struct Place: Hashable {
        private let device: dev_t
        private let inode: ino_t
        private let name: String

        init(_ name: String, in directory: borrowing OwnedDescriptor) throws(Errno) {
            var status = stat()
            guard fstat(directory.number, &status) == 0 else { throw Errno(rawValue: errno) }
            (device, inode, self.name) = (status.st_dev, status.st_ino, name)
        }
    }

    /// The path of the file, for messages.
    let path: String
    private let directory: OwnedDescriptor
    private let rights: OwnerRights
    private let name: String
    private let backup: String
    /// Whether there is no new file: the old one is only set aside.
    private let isRemoval: Bool

    /// The name of a new file that is not in use yet.
    static func stagedName(_ name: String) -> String { "\(name).restored" }

    /// A new file that the caller has written under ``stagedName(_:)``.
    init(_ name: String, in directory: consuming OwnedDescriptor, path: String, rights: OwnerRights) {
        (self.path, self.rights, self.name, backup, isRemoval) = (path, rights, name, "\(name).bak", false)
        self.directory = directory
    }

    /// A file that is to be set aside.
    init(
        removing name: String, as backup: String, in directory: consuming OwnedDescriptor, path: String,
        rights: OwnerRights
    ) {
        (self.path, self.rights, self.name, self.backup, isRemoval) = (path, rights, name, backup, true)
        self.directory = directory
    }

    /// The place of the file; `nil` if it cannot be determined.
    var place: Place? { try? Place(name, in: directory) }

    /// Puts the new file in the place of the old one. Returns whether there was an old one.
    func exchange() throws(BackupFailure) -> Bool {
        try rights { () throws(BackupFailure) in
            do throws(Errno) {
                return try exchangeNames()
            } catch {
                throw BackupFailure("cannot replace \(path)", error, command: RestorePlan.command)
            }
        }
    }

    private func exchangeNames() throws(Errno) -> Bool {
        let number = directory.number
        let hadFormer = try setAside()
        if isRemoval {
            // A file that has no former one must not be beside the former ones of the others: SQLite reads them together.
            if unlinkat(number, hadFormer ? name : backup, 0) != 0, errno != ENOENT { throw Errno(rawValue: errno) }
        } else {
            guard renameat(number, Self.stagedName(name), number, name) == 0 else { throw Errno(rawValue: errno) }
        }
        // The directory is open for searching alone, which cannot be synchronized.
        let folder = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 { fsync(OwnedDescriptor(owning: folder).number) }
        return hadFormer
    }

    /// Gives the old file its second name, in place of an earlier backup. Returns whether there is an old file.
    private func setAside() throws(Errno) -> Bool {
        let (number, new) = (directory.number, "\(backup).new")
        // A leftover of a power cut.
        unlinkat(number, new, 0)
        guard linkat(number, name, number, new, 0) == 0 else {
            let code = Errno(rawValue: errno)
            guard code == .noSuchFileOrDirectory else { throw code }
            return false
        }
        guard renameat(number, new, number, backup) == 0 else {
            let code = Errno(rawValue: errno)
            unlinkat(number, new, 0)
            throw code
        }
        // The renaming of a link to another one of the same file has no effect.
        unlinkat(number, new, 0)
        return true
    }

    /// Puts the old file in its place again. Returns whether that succeeds.
    ///
    /// - Parameter hadFormer: The answer of ``exchange()``.
    func takeBack(hadFormer: Bool) -> Bool {
        let number = directory.number
        let isDone = try? rights { () throws(BackupFailure) in
            hadFormer ? renameat(number, backup, number, name) == 0 : isRemoval || unlinkat(number, name, 0) == 0
        }
        return isDone == true
    }

    /// Removes a new file that is not in use.
    func discard() {
        try? rights { () throws(BackupFailure) in _ = unlinkat(directory.number, Self.stagedName(name), 0) }
    }
}

/// The files of a backup, written beside those that they replace.
package struct StagedRestore: Sendable {
    let files: [StagedFile]
    let directory: String
    let rights: OwnerRights
    let plan: RestorePlan

    /// Replaces all files, or none. No daemon may run with the state directory. Blocking.
    package func exchange() throws(BackupFailure) {
        let lock = try locked()
        defer { withExtendedLifetime(lock) {} }
        var exchanged: [(file: StagedFile, hadFormer: Bool)] = []
        do throws(BackupFailure) {
            try rights { () throws(BackupFailure) in try plan.renewState() }
            for file in files { exchanged.append((file, try file.exchange())) }
        } catch {
            let left = exchanged.reversed().filter { !$0.file.takeBack(hadFormer: $0.hadFormer) }.map(\.file.path)
            discard()
            var failure = error
            failure.description +=
                left.isEmpty
                ? "; all files are as before"
                : "; these are the backup's now, and the former ones are beside them as .bak: "
                    + left.joined(separator: ", ")
            throw failure
        }
    }

    private func locked() throws(BackupFailure) -> StateLock {
        do throws(BackupFailure) {
            return try rights { () throws(BackupFailure) in
                do throws(StateLock.Failure) {
                    return try StateLock(directory: directory)
                } catch {
                    throw BackupFailure(.service, error.description)
                }
            }
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the new files that are not in use.
    package func discard() { files.forEach { $0.discard() } }
}

/// The rights with which a process works in the state directory.
///
/// The directory of the service belongs to its user, so root acts there as that user.
struct OwnerRights: Sendable {
    /// `nil`: the rights of this process.
    private let owner: UserRights?
    private let command: String

    /// The rights of this process.
    static let own = OwnerRights()

    private init() { (owner, command) = (nil, "") }

    /// - Parameter command: The words of the command, for the remedy.
    init(ofDirectory path: String, command: String) {
        var status = stat()
        let isForeign = geteuid() == 0 && stat(path, &status) == 0 && status.st_uid != 0
        owner = isForeign ? UserRights(user: status.st_uid, group: status.st_gid) : nil
        self.command = command
    }

    /// Runs `body` with these rights. They are rights of the whole process: nothing else may run meanwhile.
    func callAsFunction<Value: ~Copyable>(_ body: () throws(BackupFailure) -> Value) throws(BackupFailure) -> Value {
        guard let owner else { return try body() }
        let failure = { (errno: Errno) in
            BackupFailure(
                "cannot act as user \(owner.user), the owner of the state directory", errno, command: command)
        }
        return try owner(failure, body)
    }
}
