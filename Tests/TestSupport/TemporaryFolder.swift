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
        let text = try file("\(name).text", Array("\(interpreter)\n\(lines)\n".utf8))
        defer { try? FileManager.default.removeItem(atPath: text) }
        return try program(name, copying: text)
    }

    /// A program that can be executed, and its path.
    ///
    /// A child that another test starts at the same moment inherits for a moment what is open here, and the kernel does not execute a
    /// program that is open for writing: so a child of its own, which has ended, is the only one that opens it.
    package func program(_ name: String, copying source: String) throws -> String {
        let install = ChildProcess()
        install.executableURL = URL(filePath: "/usr/bin/install")
        install.arguments = ["-m", "0755", "--", source, "\(path)/\(name)"]
        try install.run()
        install.waitUntilExit()
        guard install.terminationStatus == 0 else {
            throw ChildProcess.Failure(description: "\(name) cannot be installed")
        }
        return "\(path)/\(name)"
    }

    package func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }
}
