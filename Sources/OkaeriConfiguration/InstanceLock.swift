import FoundationEssentials
import Glibc
package import SystemPackage

/// Sees to it that one daemon at most serves a socket. The kernel drops the lock when the process ends, however it ends.
package final class InstanceLock: Sendable {
    package enum Failure: Error, CustomStringConvertible {
        /// Another daemon holds it.
        case taken(socket: String)
        /// There is something else, which is left alone.
        case occupied(socket: String)
        /// There is no place for a socket.
        case unusable(socket: String, Errno)

        package var description: String {
            switch self {
            case .taken(let socket):
                "another okaeri serves \(socket) already. Ask it with `okaeri status`, stop it, or give this one a "
                    + "--socket of its own"
            case .occupied(let socket):
                "\(socket) is no socket, and is left alone. okaeri status and the other commands will not reach this "
                    + "daemon; name another place with --socket"
            case .unusable(let socket, let errno):
                "\(socket) cannot be made: \(errno.description). okaeri status and the other commands will not reach "
                    + "this daemon; name a place that can be written with --socket"
            }
        }
    }

    private let file: FileDescriptor

    /// Takes the lock beside the socket, and clears away the socket of a daemon that died.
    package init(socket: String) throws(Failure) {
        var found = stat()
        if lstat(socket, &found) == 0, found.st_mode & S_IFMT != S_IFSOCK { throw .occupied(socket: socket) }
        let directory = FilePath(socket).removingLastComponent().string
        if !directory.isEmpty, mkdir(directory, 0o755) != 0, errno != EEXIST {
            throw .unusable(socket: socket, Errno(rawValue: errno))
        }
        do {
            file = try FileDescriptor.open(
                FilePath(socket + ".lock"), .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite])
        } catch {
            throw .unusable(socket: socket, (error as? Errno) ?? .ioError)
        }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            let code = Errno(rawValue: errno)
            try? file.close()
            throw code == .wouldBlock ? .taken(socket: socket) : .unusable(socket: socket, code)
        }
        unlink(socket)
    }

    deinit {
        try? file.close()
    }
}
