import Foundation
import OkaeriTestSupport

/// A CA of the test's own and what it signs, by `openssl`.
final class Certificates: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: TemporaryFolder

    var authority: String { "\(folder.path)/ca.pem" }

    init(folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Okaeri-test-CA "
                + "-keyout ca.key -out ca.pem")
    }

    /// The paths of a certificate and its key.
    ///
    /// - Parameters:
    ///   - days: The days for which it is valid; less than zero: it has expired.
    ///   - start: whether it is valid from tomorrow only.
    func sign(
        _ name: String, for subject: String, days: Int = 2
    ) throws -> (certificate: String, key: String) {
        _ = try folder.file("\(name).ext", Array("subjectAltName=\(subject)\n".utf8))
        try openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name) -keyout \(name).key -out \(name).csr"
        )
        try openssl(
            "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) -extfile \(name).ext "
                + "-out \(name).pem")
        let paths = ("\(folder.path)/\(name).pem", "\(folder.path)/\(name).key")
        // The broker, started by root, reads them as another user.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: paths.1)
        return paths
    }

    private func openssl(_ arguments: String) throws {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: String(decoding: text, as: UTF8.self))
        }
    }
}
