import Foundation
import OkaeriTestSupport

/// A file in a directory of its own, gone with it.
final class TemporaryFile {
    let path: String
    private let folder: TemporaryFolder

    init(_ content: String, mode: Int = 0o600) throws {
        folder = try TemporaryFolder()
        path = try folder.file("HomeNet.psk", Array(content.utf8))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Replaces the content.
    func write(_ content: String) throws { _ = try folder.file("HomeNet.psk", Array(content.utf8)) }

    /// Another path in the same directory.
    func sibling(_ name: String) -> String { "\(folder.path)/\(name)" }
}
