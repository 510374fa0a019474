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

    /// Parses a key and, after a space or on the next line, an identity address; or the file in which BlueZ or Windows keeps the
    /// key, see ``KeyStore``. Returns `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        switch KeyStore.keys(in: text) {
        case nil: break
        case let keys?:
            // Of several devices, the one that is meant is not known.
            guard let key = keys.first, keys.allSatisfy({ $0 == key }) else { return nil }
            self.init(key: key)
            return
        }
        var words = text.split(whereSeparator: \.isWhitespace)
        // The bytes of an address are not those of a key, however many are missing there.
        let address = words.last.flatMap { BluetoothAddress($0) }
        if address != nil { words.removeLast() }
        guard let key = IdentityResolvingKey(words.joined(separator: " ")) else { return nil }
        self.init(key: key, address: address)
    }
}

/// A file that holds the identity of one device and nothing else, such as `/etc/okaeri/anna.irk`. It is guarded as every
/// secret's (`SecretFile`), or a credential of systemd.
public enum IdentityFile {
    /// The longest content, 64 KiB: BlueZ's file of a device has about 1 KiB, an export of the registry a few.
    package static let limit = 1 << 16

    /// Reads the identity in a file. Blocking.
    package static func load(
        _ path: String, user: UInt32? = nil, credentials: String? = SecretFile.credentialsDirectory
    ) throws(IdentityFileError) -> DeviceIdentity {
        try unsafe SecretFile.withContents(
            of: path, limit: limit, user: user, credentials: credentials,
            failure: { IdentityFileError(path: path, problem: .file($0)) }
        ) { bytes throws(IdentityFileError) in
            guard let identity = DeviceIdentity(unsafe KeyStore.text(of: bytes)) else {
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
                + "key in base64, into it, or use BlueZ's file of the device"
        }
    }
}
