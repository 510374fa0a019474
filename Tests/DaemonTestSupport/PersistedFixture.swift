import FoundationEssentials
package import OkaeriTestSupport

/// State persisted by an earlier version of the program: see `Persisted/README.md`.
package struct PersistedFixture: Sendable, CustomStringConvertible {
    /// The version that wrote it, or its commit.
    package let version: String

    package var description: String { version }

    /// All there are, the oldest first.
    package static let all = ["d03aa8a", "323c346", "0.1.0", "0.1.0-runs", "0.1.0-states"].map(PersistedFixture.init)

    /// Puts a copy of what it has under this name into `folder`, as the daemon would have left it there.
    package func copy(_ name: String, to folder: TemporaryFolder) throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Persisted/\(version)/\(name)")
        let copy = try folder.file(name, Array(Data(contentsOf: source)))
        // A clone may be writable for others; files of such a mode are rejected.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
    }
}
