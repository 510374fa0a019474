import FoundationEssentials

/// A folder of the test's own, gone with it. Whatever a test leaves on the disk, sockets too, lies in one: nothing is left
/// behind.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        // Short: the path of a socket has room for 107 bytes.
        let name = "okaeri-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        path = FileManager.default.temporaryDirectory.appending(path: name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

    /// A file with this content, and its path.
    package func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    /// A shell script, and its path.
    package func script(_ name: String, _ lines: String, interpreter: String = "#!/bin/sh") throws -> String {
        let path = try file(name, Array("\(interpreter)\n\(lines)\n".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    package func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }
}
