public import OkaeriPlumbing

/// The identity behind a device's changing addresses: its key and, if it is known, its identity address.
public struct DeviceIdentity: Equatable, Sendable {
    /// The key by which addresses are resolved.
    public var key: IdentityResolvingKey

    /// The identity address. A controller that resolves addresses itself reports it instead of the changing one.
    public var address: BluetoothAddress?

    /// An identity; without an address, a controller must not resolve addresses itself.
    public init(key: IdentityResolvingKey, address: BluetoothAddress? = nil) {
        (self.key, self.address) = (key, address)
    }

    /// Parses a key and, after a space or on the next line, an identity address; `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard (1...2).contains(words.count), let key = IdentityResolvingKey(words[0]) else { return nil }
        let address = words.count == 2 ? BluetoothAddress(words[1]) : nil
        guard words.count == 1 || address != nil else { return nil }
        self.init(key: key, address: address)
    }
}

/// A file that holds the identity of one device and nothing else, such as `/etc/okaeri/anna.irk`. It is guarded as every
/// secret's (`SecretFile`), or a credential of systemd.
public enum IdentityFile {
    /// The longest content: `irk:`, a key in digits, and an address, with a few bytes of white space.
    package static let limit = 64

    /// Reads the identity in a file. Blocking.
    package static func load(
        _ path: String, user: UInt32? = nil, credentials: String? = SecretFile.credentialsDirectory
    ) throws(IdentityFileError) -> DeviceIdentity {
        try unsafe SecretFile.withContents(
            of: path, limit: limit, user: user, credentials: credentials,
            failure: { IdentityFileError(path: path, problem: .file($0)) }
        ) { bytes throws(IdentityFileError) in
            guard let identity = DeviceIdentity(unsafe String(decoding: bytes, as: UTF8.self)) else {
                throw IdentityFileError(path: path, problem: .noKey)
            }
            return identity
        }
    }
}

/// The reason why the file of an identity cannot be used. It holds nothing of the content.
public struct IdentityFileError: Error, Hashable, Sendable {
    /// The kinds of problems.
    public enum Problem: Hashable, Sendable {
        /// No secret can be read from it.
        case file(SecretFileProblem)

        /// The content is not a key, or more than a key and an address.
        case noKey
    }

    /// The file, as it was named.
    public let path: String

    /// The kind of problem.
    public let problem: Problem
}

extension IdentityFileError: CustomStringConvertible {
    /// The file, the reason, and the remedy.
    public var description: String {
        switch problem {
        case .file(let problem): problem.sentence(of: path, holding: "key")
        case .noKey:
            "the key file \(path) cannot be used: its content is not an identity resolving key; write 32 hexadecimal digits, or the "
                + "key in base64, into it"
        }
    }
}
