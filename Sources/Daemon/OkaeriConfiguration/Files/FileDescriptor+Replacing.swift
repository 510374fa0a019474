import Glibc
import OkaeriPlumbing
package import SystemPackage

extension FileDescriptor {
    /// Replaces the file at `path` by one with this content, as a whole or not at all: after a power cut the file has
    /// the old content or the new one.
    ///
    /// - Parameters:
    ///   - path: the file; a link there is replaced, not followed.
    ///   - permissions: the new file's, whatever the umask is.
    package static func replaceFile(
        at path: String, with content: [UInt8], permissions: FilePermissions = [.ownerReadWrite]
    ) throws(Errno) {
        let path = FilePath(path)
        guard let name = path.lastComponent?.string else { throw .invalidArgument }
        let above = path.removingLastComponent()
        let folder = Glibc.open(above.isEmpty ? "." : above.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Errno(rawValue: errno) }
        let directory = OwnedDescriptor(owning: folder)
        try replaceFile(name, in: directory.number, with: content, permissions: permissions)
    }

    /// Does the same in an open directory.
    ///
    /// - Parameters:
    ///   - name: the name of the file in the directory; a link there is replaced, not followed.
    ///   - directory: the number of the directory's descriptor.
    ///   - owner: The new file's user and group; `nil`: those of the process.
    ///   - temporary: The name of the new file until it is complete: one that no other file has. `nil`: the name of the file with `.new`,
    ///     where a leftover of a power cut is removed.
    package static func replaceFile(
        _ name: String, in directory: Int32, with content: [UInt8], permissions: FilePermissions,
        owner: (user: UInt32, group: UInt32)? = nil, temporary: String? = nil
    ) throws(Errno) {
        let new = temporary ?? "\(name).new"
        if temporary == nil { unlinkat(directory, new, 0) }
        let number = openat(directory, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        do throws(Errno) {
            let owned = OwnedDescriptor(owning: number)
            let file = FileDescriptor(rawValue: owned.number)
            do { try file.writeAll(content) } catch { throw error as? Errno ?? .ioError }
            // The owner first: a change of it takes the set-user-ID bit away.
            var status = Glibc.stat()
            guard fstat(number, &status) == 0 else { throw Errno(rawValue: errno) }
            // The service's filter of system calls refuses fchown also where it changes nothing.
            if let owner, owner != (status.st_uid, status.st_gid), fchown(number, owner.user, owner.group) != 0 {
                throw Errno(rawValue: errno)
            }
            guard fchmod(number, permissions.rawValue) == 0 else { throw Errno(rawValue: errno) }
            try file.synchronize()
            guard renameat(directory, new, directory, name) == 0 else { throw Errno(rawValue: errno) }
            let folder = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { throw Errno(rawValue: errno) }
            let opened = OwnedDescriptor(owning: folder)
            try FileDescriptor(rawValue: opened.number).synchronize()
        } catch {
            unlinkat(directory, new, 0)
            throw error
        }
    }

    /// Returns when what was written is where a power cut cannot reach it.
    private func synchronize() throws(Errno) {
        guard fsync(rawValue) != 0 else { return }
        let code = Errno(rawValue: errno)
        // Some file systems have nothing to synchronize in a directory.
        if code != .invalidArgument { throw code }
    }
}
