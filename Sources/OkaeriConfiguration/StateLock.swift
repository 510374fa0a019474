import Glibc
import Plumbing
package import SystemPackage

/// The right to write in a state directory: of two programs each would undo what the other keeps. The kernel drops the lock
/// when the process ends, however it ends.
package final class StateLock: Sendable {
    package enum Failure: Error, CustomStringConvertible {
        /// Another program holds it.
        case taken(directory: String)
        /// The directory belongs to the user with this number, who could not read what root writes there.
        case foreign(directory: String, user: UInt32)
        /// The directory cannot be made, or holds something else in the lock's place.
        case unusable(directory: String, Errno)

        package var description: String {
            switch self {
            case .taken(let directory):
                "cannot use \(directory): another okaeri keeps its state and history there; stop that one, or name another "
                    + "place with `--state-dir`"
            case .foreign(let directory, let user):
                "cannot use \(directory) as root: it belongs to user \(user), who could not read the files that root writes "
                    + "there; start the service with `systemctl start okaeri`, or name another place with `--state-dir`"
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
        let folder = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(unusable) { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        var status = stat()
        guard fstat(folder.number, &status) == 0 else { throw unusable(errno) }
        guard geteuid() != 0 || status.st_uid == 0 else {
            throw .foreign(directory: directory, user: status.st_uid)
        }
        let place = folder.number
        file = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying(unusable) {
                // A link would have another file made or locked; a pipe must not hold the start up.
                openat(place, "okaeri.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            })
        let number = file.number
        _ = try OwnedDescriptor.retrying({ $0 == EWOULDBLOCK ? .taken(directory: directory) : unusable($0) }) {
            flock(number, LOCK_EX | LOCK_NB)
        }
    }
}
