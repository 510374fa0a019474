import Glibc
package import SystemPackage

extension FileDescriptor {
    /// Puts a file with this content in the place of the one at `path`, as a whole or not at all: whoever reads it, whenever
    /// the power was cut, finds the old content or the new one.
    ///
    /// - Parameters:
    ///   - path: the file; a link there is replaced, not followed.
    ///   - permissions: the new file's, whatever the umask says.
    ///   - owner: the new file's user and group; nil: who runs the program.
    package static func replaceFile(
        at path: String, with content: [UInt8], permissions: FilePermissions = [.ownerReadWrite],
        owner: (user: UInt32, group: UInt32)? = nil
    ) throws(Errno) {
        let new = "\(path).new"
        do {
            // A leftover of a power cut.
            unlink(new)
            let file = try FileDescriptor.open(
                FilePath(new), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite])
            try file.closeAfter {
                try file.writeAll(content)
                // The owner first: a change of it takes the set-user-ID bit away.
                if let owner, fchown(file.rawValue, owner.user, owner.group) != 0 { throw Errno(rawValue: errno) }
                guard fchmod(file.rawValue, permissions.rawValue) == 0 else { throw Errno(rawValue: errno) }
                try file.synchronize()
            }
            guard rename(new, path) == 0 else { throw Errno(rawValue: errno) }
            let above = FilePath(path).removingLastComponent()
            let folder = try FileDescriptor.open(
                above.isEmpty ? "." : above, .readOnly, options: [.directory, .closeOnExec])
            try folder.closeAfter { try folder.synchronize() }
        } catch {
            unlink(new)
            throw error as? Errno ?? .invalidArgument
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
