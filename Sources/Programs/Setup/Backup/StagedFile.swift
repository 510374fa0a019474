import Glibc
import OkaeriConfiguration
import Plumbing
import SystemPackage

/// A file that is exchanged together with others: the new one is beside the old one until then, and the old one stays as `.bak`.
final class StagedFile: Sendable {
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
        unlinkat(number, backup, 0)
        let hadFormer = linkat(number, name, number, backup, 0) == 0
        if !hadFormer, errno != ENOENT { throw Errno(rawValue: errno) }
        if isRemoval {
            if hadFormer, unlinkat(number, name, 0) != 0 { throw Errno(rawValue: errno) }
        } else {
            guard renameat(number, Self.stagedName(name), number, name) == 0 else { throw Errno(rawValue: errno) }
        }
        // The directory is open for searching alone, which cannot be synchronized.
        let folder = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 { fsync(OwnedDescriptor(owning: folder).number) }
        return hadFormer
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
