import Glibc
import OkaeriPlumbing
package import SystemPackage

/// The right to write in a state directory: of two programs each would undo what the other keeps. The kernel drops the lock
/// when the process ends, however it ends.
package final class StateLock: Sendable {
    package enum Failure: Error, CustomStringConvertible {
        /// Another program holds it.
        case taken(directory: String)
        /// The directory, or one on the way to it, gives other users control of the files that root writes.
        case untrusted(directory: String, FilePlace.Problem)
        /// The directory cannot be made, or holds something else in the lock's place.
        case unusable(directory: String, Errno)

        package var description: String {
            switch self {
            case .taken(let directory):
                "cannot use \(directory): another okaeri keeps its state and history there; stop that one, or name another "
                    + "place with `--state-dir`"
            case .untrusted(let directory, let problem):
                "cannot use \(directory) as root: \(problem.description); "
                    + Installation.words(
                        "start the service with `systemctl start okaeri`", or: "start \(Installation.name.english)")
                    + ", or name another place with `--state-dir`"
            case .unusable(let directory, let errno):
                "cannot lock \(directory): \(errno.description); name a directory that can be written with `--state-dir`"
            }
        }
    }

    private let file: OwnedDescriptor

    /// Takes the lock in `directory`, which is made where it is missing.
    package init(directory: String) throws(Failure) {
        let unusable = { Failure.unusable(directory: directory, Errno(rawValue: $0)) }
        let folder = try Self.folder(directory)
        let place = folder.directory.number
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

    /// Makes the directory where it is missing, and returns it.
    private static func folder(_ directory: String) throws(Failure) -> FilePlace {
        guard !directory.isEmpty else { throw .unusable(directory: directory, .noSuchFileOrDirectory) }
        do throws(FilePlace.Problem) {
            let place = try FilePlace("\(directory)/.", making: StateDirectory.mode)
            if geteuid() == 0 { try place.refuseSharedDirectory() }
            return place
        } catch {
            switch error {
            case .foreign, .open: throw .untrusted(directory: directory, error)
            case .notAFile: throw .unusable(directory: directory, .tooManySymbolicLinkLevels)
            case .failed(let errno): throw .unusable(directory: directory, errno)
            }
        }
    }
}
