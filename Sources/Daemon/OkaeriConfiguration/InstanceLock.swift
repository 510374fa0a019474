import FoundationEssentials
import Glibc
import OkaeriPlumbing
package import SystemPackage

/// Sees to it that one daemon at most serves a socket. The kernel drops the lock when the process ends, however it ends.
package final class InstanceLock: Sendable {
    package enum Failure: Error, CustomStringConvertible {
        /// Another daemon holds it.
        case taken(socket: String)
        /// There is something else, which is left alone.
        case occupied(socket: String)
        /// Root refuses the path, because other users control it.
        case untrusted(socket: String, FilePlace.Problem)
        /// There is no place for a socket.
        case unusable(socket: String, Errno)

        package var description: String {
            switch self {
            case .taken(let socket):
                "another okaeri serves \(socket) already; ask it with `okaeri status`, stop it, or give this one a "
                    + "`--socket` of its own"
            case .occupied(let socket):
                "\(socket) is not a socket, and is left alone: `okaeri status` and the other commands do not reach this "
                    + "daemon; name another place with `--socket`"
            case .untrusted(let socket, let problem):
                "\(socket) cannot be created as root: \(problem), so `okaeri status` and the other commands do not reach this "
                    + "daemon; name a place that only root can change with `--socket`"
            case .unusable(let socket, let errno):
                "\(socket) cannot be created: \(errno.description), so `okaeri status` and the other commands do not "
                    + "reach this daemon; name a place that can be written with `--socket`"
            }
        }
    }

    private let file: OwnedDescriptor

    /// Takes the lock beside the socket, and clears away the socket of a daemon that died.
    package init(socket: String) throws(Failure) {
        try Self.refuseForeignPath(socket)
        var found = stat()
        if lstat(socket, &found) == 0, found.st_mode & S_IFMT != S_IFSOCK { throw .occupied(socket: socket) }
        let directory = FilePath(socket).removingLastComponent().string
        if !directory.isEmpty, mkdir(directory, 0o755) != 0, errno != EEXIST {
            throw .unusable(socket: socket, Errno(rawValue: errno))
        }
        let unusable = { Failure.unusable(socket: socket, Errno(rawValue: $0)) }
        file = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(unusable) {
                open(socket + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            })
        let number = file.number
        _ = try OwnedDescriptor.retrying({ $0 == EWOULDBLOCK ? .taken(socket: socket) : unusable($0) }) {
            flock(number, LOCK_EX | LOCK_NB)
        }
        unlink(socket)
    }

    /// Throws if another user could exchange a directory of the path, so that root makes or removes files elsewhere.
    private static func refuseForeignPath(_ socket: String) throws(Failure) {
        guard geteuid() == 0 else { return }
        do throws(FilePlace.Problem) {
            _ = try FilePlace(socket)
        } catch {
            switch error {
            case .foreign, .open: throw .untrusted(socket: socket, error)
            // The next steps report what is missing.
            case .notAFile, .failed: return
            }
        }
    }
}
