import Glibc
import OkaeriPlumbing
package import SystemPackage

/// A new file that a command writes.
///
/// Its directory is opened once, and everything that is done with the file goes through that descriptor. If another user replaces a
/// directory of the path by a link meanwhile, no other file is written or removed.
package final class OutputFile: Sendable {
    private let place: OutputPlace
    private let file: OwnedDescriptor

    /// Creates the file. An existing file or link is left as it is, with `EEXIST`.
    package init(creating path: String, permissions: FilePermissions) throws(FilePlace.Problem) {
        place = try OutputPlace(path)
        file = try place.opened(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
    }

    /// The descriptor of the file, which does not outlive this value.
    package var descriptor: FileDescriptor { FileDescriptor(rawValue: file.number) }

    /// Removes the file, unless its name is another file's now.
    package func remove() {
        try? place.acting { (found) throws(FilePlace.Problem) in
            var (own, named) = (stat(), stat())
            guard fstat(file.number, &own) == 0,
                fstatat(found.directory.number, found.name, &named, AT_SYMLINK_NOFOLLOW) == 0,
                (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino)
            else { return }
            unlinkat(found.directory.number, found.name, 0)
        }
    }

    /// Replaces the file at `path` as a whole, or writes to the pipe or the device there. A file in a directory that this user cannot
    /// change, and one that is mounted there, is written in place.
    ///
    /// - Parameter permissions: The permissions of a new file, less the umask. An existing file keeps its own.
    package static func write(
        _ content: [UInt8], to path: String, permissions: FilePermissions
    ) throws(FilePlace.Problem) {
        if let stream = try OutputStream.opened(at: path) {
            do { try stream.descriptor.writeAll(content) } catch { throw .failed(error as? Errno ?? .ioError) }
            return
        }
        let mask = umask(0o077)
        umask(mask)
        let output = try OutputPlace(path)
        try output.acting { (place) throws(FilePlace.Problem) in
            let status = try place.status()
            do throws(Errno) {
                try FileDescriptor.replaceFile(
                    place.name, in: place.directory.number, with: content,
                    permissions: status.map { FilePermissions(rawValue: $0.st_mode & 0o777) }
                        ?? FilePermissions(rawValue: permissions.rawValue & ~mask),
                    owner: geteuid() == 0 ? status.map { ($0.st_uid, $0.st_gid) } : nil,
                    temporary: ".okaeri-\(UInt64.random(in: .min ... .max))")
            } catch {
                let isFixed = [.permissionDenied, .notPermitted, .readOnlyFileSystem, .resourceBusy].contains(error)
                guard isFixed, status != nil else { throw .failed(error) }
                try overwrite(place, with: content)
            }
        }
    }

    /// Writes into the file that is there.
    private static func overwrite(
        _ place: borrowing FilePlace, with content: [UInt8]
    ) throws(FilePlace.Problem) {
        let failure = { (code: Int32) in FilePlace.Problem.failed(Errno(rawValue: code)) }
        let file = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(failure) {
                openat(place.directory.number, place.name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            })
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard ftruncate(file.number, 0) == 0 else { throw .failed(Errno(rawValue: errno)) }
        do { try FileDescriptor(rawValue: file.number).writeAll(content) } catch {
            throw .failed(error as? Errno ?? .ioError)
        }
    }
}

/// A pipe, a character device or a descriptor of this process to which a command writes.
package final class OutputStream: Sendable {
    private let file: OwnedDescriptor

    private init(_ file: consuming OwnedDescriptor) { self.file = file }

    package var descriptor: FileDescriptor { FileDescriptor(rawValue: file.number) }

    /// Opens what is at the path. Waits for the reader of a pipe.
    ///
    /// - Returns: `nil` if there is something else, or nothing.
    package static func opened(at path: String) throws(FilePlace.Problem) -> OutputStream? {
        if let number = ownDescriptor(path) {
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw .failed(Errno(rawValue: errno)) }
            return OutputStream(OwnedDescriptor(owning: copy))
        }
        let place = try OutputPlace(path)
        guard try place.isStream else { return nil }
        let file = try place.opened(O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
        // The name may have changed its meaning meanwhile; a file that is opened without truncation is not touched.
        var status = stat()
        guard fstat(file.number, &status) == 0, status.isStream else { throw .notAFile }
        return OutputStream(file)
    }

    /// Returns the number of the descriptor of this process that a path of Linux names, as the shell's `>(command)` does.
    private static func ownDescriptor(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            return ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix).flatMap {
                Int32(decimal: path.dropFirst($0.count))
            }
        }
    }
}

/// The place of an output.
///
/// Root refuses a path that other users control, as for configurations. If the path belongs to the user that called `sudo`, root acts as
/// that user.
private struct OutputPlace: ~Copyable, Sendable {
    private let place: FilePlace
    private let rights: UserRights?

    init(_ path: String) throws(FilePlace.Problem) {
        let rights = try Self.rights(for: path)
        place = try Self.place(path, rights)
        self.rights = rights
    }

    /// Returns the rights with which the path is to be opened; `nil`: those of this process.
    private static func rights(for path: String) throws(FilePlace.Problem) -> UserRights? {
        do throws(FilePlace.Problem) {
            _ = try FilePlace(path)
            return nil
        } catch {
            guard case .foreign(_, let user) = error, let caller = UserRights.ofCaller, caller.user == user else {
                throw error
            }
            return caller
        }
    }

    private static func place(_ path: String, _ rights: UserRights?) throws(FilePlace.Problem) -> FilePlace {
        let place =
            if let rights {
                try rights(FilePlace.Problem.failed) { () throws(FilePlace.Problem) in try FilePlace(path) }
            } else {
                try FilePlace(path)
            }
        // An output makes no directory.
        guard place.missing == nil else { throw .failed(.noSuchFileOrDirectory) }
        return place
    }

    /// Runs `body` with the rights for this place.
    func acting<Value: ~Copyable>(
        _ body: (borrowing FilePlace) throws(FilePlace.Problem) -> Value
    ) throws(FilePlace.Problem) -> Value {
        guard let rights else { return try body(place) }
        return try rights(FilePlace.Problem.failed) { () throws(FilePlace.Problem) in try body(place) }
    }

    func opened(_ flags: Int32, _ permissions: FilePermissions = []) throws(FilePlace.Problem) -> OwnedDescriptor {
        try acting { (place) throws(FilePlace.Problem) in
            let failure = { (code: Int32) in FilePlace.Problem.failed(Errno(rawValue: code)) }
            return OwnedDescriptor(
                owning: try OwnedDescriptor.retrying(failure) {
                    openat(place.directory.number, place.name, flags, permissions.rawValue)
                })
        }
    }

    var isStream: Bool {
        get throws(FilePlace.Problem) {
            try acting { place in
                var status = stat()
                return fstatat(place.directory.number, place.name, &status, AT_SYMLINK_NOFOLLOW) == 0
                    && status.isStream
            }
        }
    }
}

extension stat {
    fileprivate var isStream: Bool { [S_IFIFO, S_IFCHR].contains(st_mode & S_IFMT) }
}

extension FilePlace.Problem {
    /// The remedy for an output that is not written.
    package var outputRemedy: String {
        switch self {
        case .failed(.fileExists): "name another file, or remove it first"
        case .foreign, .open: "name a file in a folder that only root can change, such as /root"
        case .notAFile, .failed: "name a file in a folder of your own"
        }
    }
}
