import Glibc
import Plumbing
import SystemPackage

/// The key file of a phone that was enrolled on the page: a file of the state directory, which only the daemon can read.
package struct PhoneKeyFile: Sendable {
    private static let suffix = ".irk"

    /// Returns the name of a new phone's file.
    ///
    /// - Parameter identifier: The name of the phone: see `Configuration.isNodeName(_:)`.
    package static func name(of identifier: String) -> String { identifier + suffix }

    /// Returns whether `name` is that of a key file: it leads to no other directory, and to no other file of the daemon.
    package static func isName(_ name: String) -> Bool {
        name.hasSuffix(suffix) && Configuration.isNodeName(String(name.dropLast(suffix.count)))
    }

    private let name: String
    private let directory: String

    /// - Parameters:
    ///   - name: The name of the file.
    ///   - directory: The state directory.
    package init(named name: String, in directory: String) { (self.name, self.directory) = (name, directory) }

    /// The path, for messages.
    package var path: String { "\(directory)/\(name)" }

    /// Whether there is a file or a link of this name.
    package var exists: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Writes a new file of mode 0600. It replaces no file, and follows no link. Blocking.
    ///
    /// - Parameter secret: The key as text.
    package func write(_ secret: String) throws(WriteObstacle) {
        do throws(Errno) {
            let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { throw Errno(rawValue: errno) }
            let place = OwnedDescriptor(owning: folder)
            let number = openat(place.number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard number >= 0 else { throw Errno(rawValue: errno) }
            let file = OwnedDescriptor(owning: number)
            do throws(Errno) {
                do {
                    try FileDescriptor(rawValue: file.number).writeAll(Array("\(secret)\n".utf8))
                } catch {
                    throw error as? Errno ?? .ioError
                }
                guard fchmod(file.number, 0o600) == 0, fsync(file.number) == 0 else { throw Errno(rawValue: errno) }
                fsync(place.number)
            } catch {
                unlinkat(place.number, name, 0)
                throw error
            }
        } catch {
            throw WriteObstacle(file: path, problem: .failed(error))
        }
    }

    /// Removes the file, if there is one. Blocking.
    package func remove() { unlink(path) }
}
