import Glibc
package import OkaeriPlumbing
import SystemPackage

extension SecretFile {
    /// Writes a secret to a file of the user that the daemon runs as.
    package static func writeForDaemon(_ secret: String, to path: String) throws(WriteObstacle) {
        let account = ServiceAccount.ofDaemon(forSecret: path)
        try write(secret, to: path, owner: (account.user, account.group))
    }

    /// Writes a secret to a file of mode 0600, in place of one that is there.
    ///
    /// - Parameters:
    ///   - path: the file, which a root process must be able to trust: see ``FilePlace``.
    ///   - owner: The user and the group of the file.
    package static func write(
        _ secret: String, to path: String, owner: (user: UInt32, group: UInt32)
    ) throws(WriteObstacle) {
        do throws(WriteObstacle.Problem) {
            do throws(FilePlace.Problem) {
                let place = try FilePlace(path)
                try place.refuseSharedDirectory()
                _ = try place.status()
                do throws(Errno) {
                    let directory = try place.opened()
                    try FileDescriptor.replaceFile(
                        place.name, in: directory.number, with: Array(secret.utf8) + [UInt8(ascii: "\n")],
                        permissions: [.ownerReadWrite], owner: owner)
                } catch {
                    throw .failed(error)
                }
            } catch {
                throw WriteObstacle.Problem(error)
            }
        } catch {
            throw WriteObstacle(file: path, problem: error)
        }
    }

    /// Removes a file that ``writeForDaemon(_:to:)`` has written.
    package static func remove(_ path: String) {
        guard let place = try? FilePlace(path), place.missing == nil else { return }
        unlinkat(place.directory.number, place.name, 0)
    }
}
