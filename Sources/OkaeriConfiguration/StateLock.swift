import Glibc
import Plumbing
package import SystemPackage

/// The right to write in a state directory: of two programs each would undo what the other keeps. The kernel drops the lock
/// when the process ends, however it ends.
package final class StateLock: Sendable {
    package enum Failure: Error, CustomStringConvertible {
        /// Another program holds it.
        case taken(directory: String)
        /// The directory cannot be made, or holds something else in the lock's place.
        case unusable(directory: String, Errno)

        package var description: String {
            switch self {
            case .taken(let directory):
                "cannot use \(directory): another okaeri keeps its state and history there; stop that one, or name another "
                    + "place with `--state-dir`"
            case .unusable(let directory, let errno):
                "cannot lock \(directory): \(errno.description); name a directory that can be written with `--state-dir`"
            }
        }
    }

    private let file: OwnedDescriptor

    /// Takes the lock in `directory`, which is made where it is missing.
    package init(directory: String) throws(Failure) {
        let unusable = { Failure.unusable(directory: directory, Errno(rawValue: $0)) }
        do throws(Errno) { try StateDirectory.make(directory) } catch { throw unusable(error.rawValue) }
        file = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(unusable) {
                // A link would have another file made or locked; a pipe must not hold the start up.
                open("\(directory)/okaeri.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            })
        let number = file.number
        Self.handOver(number, in: directory)
        _ = try OwnedDescriptor.retrying({ $0 == EWOULDBLOCK ? .taken(directory: directory) : unusable($0) }) {
            flock(number, LOCK_EX | LOCK_NB)
        }
    }

    /// Makes the owner of the directory the owner of a lock file that root created, so that the service can open it.
    private static func handOver(_ number: Int32, in directory: String) {
        var (lock, folder) = (stat(), stat())
        guard geteuid() == 0, fstat(number, &lock) == 0, lstat(directory, &folder) == 0, lock.st_uid == 0 else {
            return
        }
        // A link to another file of root must not change hands.
        guard lock.st_mode & S_IFMT == S_IFREG, lock.st_nlink == 1, lock.st_size == 0 else { return }
        _ = fchown(number, folder.st_uid, folder.st_gid)
    }
}
