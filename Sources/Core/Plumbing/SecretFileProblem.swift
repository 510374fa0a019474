import Glibc

/// The reason why a file with a secret cannot be used. It holds nothing of the secret.
public enum SecretFileProblem: Error, Hashable, Sendable {
    /// It cannot be opened or read.
    case unreadable(errno: Int32)

    /// It is a credential, and systemd gave this process none.
    case noCredentials

    case symbolicLink

    /// It is a directory, a device, a FIFO or a socket.
    case notARegularFile

    /// It belongs neither to root nor to the user of the program.
    case foreignOwner(uid: UInt32)

    /// Its group or others may do something with it.
    case open(mode: UInt32)

    /// There is more in it than a secret. The limit is in bytes.
    case tooLarge(limit: Int)

    case empty

    /// A sentence for a person, with the command that fixes it.
    ///
    /// - Parameters:
    ///   - path: the file, as it is configured.
    ///   - secret: The kind of secret, such as `passphrase`.
    package func sentence(of path: String, holding secret: String) -> String {
        let file = "the \(secret) file \(path)"
        switch self {
        case .unreadable(let code) where path.hasPrefix(SecretFile.credentialPrefix):
            return "\(file) cannot be read: \(Self.text(code)); name it in the unit: \(Self.loadCredential(path))"
        case .noCredentials:
            return "\(file) cannot be read: systemd passed no credentials to this process; run it as a service, with "
                + Self.loadCredential(path)
        case .unreadable(EACCES):
            return
                "\(file) cannot be read: user \(geteuid()), as which the program runs, has no permission; run the "
                + "command with `sudo`, or, if the daemon runs as this user, `sudo chown \(geteuid()) \(path)`"
        case .unreadable(let code):
            return
                "\(file) cannot be read: \(Self.text(code)); create it with `sudo install -m 0600 /dev/stdin \(path)`"
        case .symbolicLink:
            return "\(file) is a symbolic link, which is not followed; name the file itself"
        case .notARegularFile:
            return "\(file) is not a regular file; put the \(secret) into a file of its own"
        case .foreignOwner(let uid):
            return
                "\(file) cannot be used: it belongs to user \(uid), who could change it; run `sudo chown root \(path)`, or "
                + "make the user its owner as which the program runs"
        case .open(let mode):
            return "\(file) cannot be used: it has mode 0\(String(mode, radix: 8)), so other users can access it; run "
                + "`sudo chmod 0600 \(path)`"
        case .tooLarge(let limit):
            return "\(file) is larger than \(limit) bytes; write only the \(secret) into it"
        case .empty:
            return "\(file) is empty; write the \(secret) into it"
        }
    }

    private static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    private static func loadCredential(_ path: String) -> String {
        let name = path.dropFirst(SecretFile.credentialPrefix.count)
        return "`LoadCredential=\(name):/etc/okaeri/\(name)` under [Service] (`sudo systemctl edit okaeri`)"
    }
}
