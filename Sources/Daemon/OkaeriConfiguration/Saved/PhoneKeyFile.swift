import Glibc
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
            // Only the daemon can write to the directory: no file comes between the two steps.
            if exists { throw .fileExists }
            try FileDescriptor.replaceFile(at: path, with: Array("\(secret)\n".utf8))
        } catch {
            throw WriteObstacle(file: path, problem: .failed(error))
        }
    }

    /// Removes the file, if there is one. Blocking.
    package func remove() { unlink(path) }
}
