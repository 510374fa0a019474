import Foundation

/// A message bus of its own for a test; it ends with the object.
public final class BusDaemon {
    public let address: String
    private let process = ChildProcess()
    private let folder: TemporaryFolder

    /// - Parameter path: The path of its socket; `nil`: in a folder of its own.
    public init(at path: String? = nil) throws {
        folder = try TemporaryFolder()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
        process.arguments = [
            "--session", "--nofork", "--nopidfile", "--print-address",
            "--address=unix:path=\(path ?? "\(folder.path)/bus")",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { break }
            line += piece
        }
        address = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The bus ends, and with it all of its connections.
    public func kill() { process.killAndWait() }

    deinit { kill() }
}
