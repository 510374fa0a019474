import Foundation

/// A file in a directory of its own, gone with it.
final class TemporaryFile {
    let path: String
    private let directory: URL

    init(_ content: String, mode: Int = 0o600) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.appending(path: "HomeNet.psk").path
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Another path in the same directory.
    func sibling(_ name: String) -> String { directory.appending(path: name).path }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }
}
