import ArgumentParser
import OkaeriConfiguration
import OkaeriEncryption
import OkaeriPlumbing

/// The passphrase of an encrypted backup.
struct BackupPassphraseOptions: ParsableArguments {
    @Option(
        help: "A file of mode 0600 with the passphrase of the encrypted backup.", completion: .file())
    var passphraseFile: String?

    /// The maximum number of bytes that are read: other programs may have encrypted the file with a longer passphrase.
    private static let limit = 1024

    /// The passphrase of a new backup; `nil`: the backup is not encrypted.
    var new: AgePassphrase? {
        get throws {
            guard let text = try content.map({ String(validating: $0, as: UTF8.self) }) else { return nil }
            guard let passphrase = text.flatMap(AgePassphrase.init) else {
                throw CommandFailure(
                    "the passphrase is not suitable; write one of \(AgePassphrase.expected) into the file",
                    status: Exit.usage)
            }
            return passphrase
        }
    }

    /// Returns the passphrase of a backup that exists: from the file, or typed without echo; `nil`: the backup needs none.
    ///
    /// - Parameter asks: Whether the user may be asked.
    func bytes(isEncrypted: Bool, asks: Bool) async throws -> [UInt8]? {
        if let content = try content { return content }
        guard isEncrypted else { return nil }
        guard asks, Terminal.canAsk else {
            throw CommandFailure(
                "the backup is encrypted, and there is no terminal to ask on; use `--passphrase-file FILE`",
                status: Exit.usage)
        }
        return Array(try await TerminalConsole().askSecret("Passphrase of the backup: ").utf8)
    }

    private var content: [UInt8]? {
        get throws {
            guard let passphraseFile else { return nil }
            return try SecretFile.withContents(
                of: SocketPath.absolute(passphraseFile), limit: Self.limit, user: ServiceAccount.sudoCaller,
                failure: { problem in
                    CommandFailure(
                        problem.sentence(of: passphraseFile, holding: "passphrase").escapedName,
                        status: Exit.noPermission)
                }
            ) { (bytes: UnsafeRawBufferPointer) throws(CommandFailure) in Array(bytes) }
        }
    }
}
