import FoundationEssentials
import Glibc
package import OkaeriPlumbing
import SystemPackage

/// A temporary folder that only this user can enter.
///
/// A process that is killed leaves its folder. The next one with the same prefix removes it: a lock, which the kernel drops when the
/// process ends, shows whether a folder is in use, and an empty file in it shows that this program made it. A folder that a person has
/// named alike stays.
package final class PrivateFolder: Sendable {
    package let path: String
    private let parent: OwnedDescriptor
    private let folder: OwnedDescriptor

    /// The file that marks a folder as one of this program.
    private static let mark = ".okaeri-temporary"
    /// Bounds the attempts where another process removes each new folder before it is locked.
    private static let attempts = 8
    /// The maximum number of entries of the parent that are searched for leftovers.
    private static let searched = 100_000
    /// The maximum depth of the folders in a leftover.
    private static let depth = 8

    /// The absolute path in `$TMPDIR`; `nil` without one. glibc removes the variable if the program has file capabilities.
    package static var named: String? {
        ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Returns the folder of `$TMPDIR`, or else `fallback`, if root can trust it; see ``FilePlace``.
    package static func parent(orElse fallback: String) throws(FilePlace.Problem) -> String {
        let folder = named ?? fallback
        _ = try FilePlace("\(folder)/.")
        return folder
    }

    /// Returns the folders for a copy of the state, the best one first: that of `$TMPDIR` alone, or else the state directory, which is on a
    /// disk and writable wherever the daemon runs, and `/var/tmp` for a user with the right to read the state alone.
    package static func parents(forStateIn directory: String) throws(FilePlace.Problem) -> [String] {
        if named != nil { return [try parent(orElse: directory)] }
        let common = "/var/tmp"
        return [directory] + ((try? FilePlace("\(common)/.")) == nil ? [] : [common])
    }

    /// Makes the folder in the first of the parents that takes it. Blocking.
    ///
    /// - Throws: The problem of the first parent, if none takes it.
    package static func made(prefix: String, inOneOf parents: [String]) throws(FilePlace.Problem) -> PrivateFolder {
        var first: FilePlace.Problem?
        for parent in parents {
            do throws(FilePlace.Problem) {
                return try PrivateFolder(prefix: prefix, in: parent)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? .failed(.noSuchFileOrDirectory)
    }

    /// Makes the folder, and removes those that killed processes of this user have left. Blocking.
    ///
    /// - Parameter above: The result of ``parent(orElse:)``.
    package init(prefix: String, in above: String) throws(FilePlace.Problem) {
        let failure = { (code: Int32) in FilePlace.Problem.failed(Errno(rawValue: code)) }
        let parent = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(failure) { open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        Self.removeLeftovers(prefix, in: parent)
        let made = try Self.made("\(above)/\(prefix).XXXXXX", in: parent)
        path = made.path
        folder = OwnedDescriptor(owning: made.number)
        self.parent = parent
    }

    /// Removes the folder with its files.
    package func remove() { Self.remove(FilePath(path).lastComponent?.string ?? "", in: parent, folder) }

    /// Opens a file of the folder.
    package func openedFile(_ name: String) throws(FilePlace.Problem) -> OwnedDescriptor {
        let number = openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw .failed(Errno(rawValue: errno)) }
        return OwnedDescriptor(owning: number)
    }

    /// Makes a folder, and returns its path and its locked descriptor.
    private static func made(
        _ pattern: String, in parent: borrowing OwnedDescriptor
    ) throws(FilePlace.Problem) -> (path: String, number: Int32) {
        for _ in 0..<attempts {
            var template = pattern.utf8CString.map(\.self)
            guard mkdtemp(&template) != nil else { break }
            let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            let name = FilePath(path).lastComponent?.string ?? ""
            guard let number = locked(name, in: parent) else { continue }
            let mark = openat(number, mark, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard mark >= 0 else {
                let problem = FilePlace.Problem.failed(Errno(rawValue: errno))
                close(number)
                unlinkat(parent.number, name, AT_REMOVEDIR)
                throw problem
            }
            close(mark)
            return (path, number)
        }
        throw .failed(Errno(rawValue: errno))
    }

    /// Opens and locks a folder of this user. Returns `nil` if it is another user's, is in use, or has another name now.
    private static func locked(_ name: String, in parent: borrowing OwnedDescriptor) -> Int32? {
        let number = openat(parent.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { return nil }
        var (own, named) = (stat(), stat())
        guard fstat(number, &own) == 0, own.st_uid == geteuid(), own.st_mode & 0o077 == 0,
            flock(number, LOCK_EX | LOCK_NB) == 0,
            fstatat(parent.number, name, &named, AT_SYMLINK_NOFOLLOW) == 0, named.st_ino == own.st_ino
        else {
            close(number)
            return nil
        }
        return number
    }

    private static func removeLeftovers(_ prefix: String, in parent: borrowing OwnedDescriptor) {
        for name in names(in: parent, limit: searched) where name.hasPrefix("\(prefix).") {
            guard let number = locked(name, in: parent) else { continue }
            let folder = OwnedDescriptor(owning: number)
            var status = stat()
            guard fstatat(folder.number, mark, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            remove(name, in: parent, folder)
        }
    }

    private static func remove(
        _ name: String, in parent: borrowing OwnedDescriptor, _ folder: borrowing OwnedDescriptor, depth: Int = depth
    ) {
        for entry in names(in: folder, limit: searched) where unlinkat(folder.number, entry, 0) != 0 && depth > 0 {
            let number = openat(folder.number, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { continue }
            remove(entry, in: folder, OwnedDescriptor(owning: number), depth: depth - 1)
        }
        unlinkat(parent.number, name, AT_REMOVEDIR)
    }

    private static func names(in folder: borrowing OwnedDescriptor, limit: Int) -> [String] {
        let number = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0, let list = fdopendir(number) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
