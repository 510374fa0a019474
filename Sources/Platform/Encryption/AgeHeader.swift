import FoundationEssentials
import Glibc
import OkaeriPlumbing

/// The header of a file in the format of age v1 that is encrypted with a passphrase (https://c2sp.org/age).
///
/// It has the version, one stanza of scrypt with the wrapped key of the file, and an authenticator:
///
///     age-encryption.org/v1
///     -> scrypt SALT LOG-N
///     WRAPPED-KEY
///     --- AUTHENTICATOR
struct AgeHeader: Equatable {
    /// The first line.
    static let version = "age-encryption.org/v1"
    /// Begins the first line of each version.
    private static let family = "age-encryption.org/"
    private static let stanza = "-> "
    static let kind = "scrypt"
    private static let end = "---"

    static let saltSize = 16
    static let wrappedKeySize = AgeKey.size + Sodium.tagSize
    /// More bytes than the longest header that is read, which has 155.
    static let sizeLimit = 1024

    var salt: [UInt8]
    /// The binary logarithm of the parameter N of scrypt.
    var logN: Int
    var wrappedKey: [UInt8]
    var authenticator: [UInt8] = []

    /// The text before the authenticator, which it authenticates.
    var authenticated: [UInt8] {
        Array(
            """
            \(Self.version)
            \(Self.stanza)\(Self.kind) \(Self.base64(salt)) \(logN)
            \(Self.base64(wrappedKey))
            \(Self.end)
            """.utf8)
    }

    var text: [UInt8] { authenticated + Array(" \(Self.base64(authenticator))\n".utf8) }

    init(salt: [UInt8], logN: Int, wrappedKey: [UInt8]) {
        (self.salt, self.logN, self.wrappedKey) = (salt, logN, wrappedKey)
    }

    /// Reads the header at the beginning of a file. Only what ``text`` writes is read.
    ///
    /// - Parameter beginning: The first bytes of the file, up to ``sizeLimit``.
    init(of beginning: [UInt8]) throws(AgeFailure) {
        var lines = beginning.prefix(Self.sizeLimit).split(
            separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false
        ).dropLast().map { String(decoding: $0, as: UTF8.self) }[...]
        guard let version = lines.popFirst(), version.hasPrefix(Self.family) else { throw .foreign }
        guard version == Self.version else { throw .version }
        guard let recipient = lines.popFirst(), recipient.hasPrefix(Self.stanza) else { throw .header }
        let words = recipient.split(separator: " ", omittingEmptySubsequences: false)
        guard words[1] == Self.kind else { throw .recipient }
        guard words.count == 4, let salt = Self.bytes(words[2], count: Self.saltSize) else { throw .header }
        guard !words[3].isEmpty, words[3].utf8.allSatisfy({ (0x30...0x39).contains($0) }), words[3].first != "0" else {
            throw .header
        }
        guard let logN = Int(words[3]), logN <= AgeKey.mostLogN else { throw .work }
        guard let key = lines.popFirst(), let wrappedKey = Self.bytes(key[...], count: Self.wrappedKeySize) else {
            throw .header
        }
        guard let last = lines.popFirst() else { throw .header }
        guard !last.hasPrefix(Self.stanza) else { throw .recipient }
        guard last.hasPrefix("\(Self.end) "),
            let authenticator = Self.bytes(last.dropFirst(Self.end.count + 1), count: Sodium.digestSize)
        else { throw .header }
        self.init(salt: salt, logN: logN, wrappedKey: wrappedKey)
        self.authenticator = authenticator
        // Bytes that are not UTF-8 were replaced.
        guard beginning.starts(with: text) else { throw .header }
    }

    /// Whether a file begins as one of age, of whatever version.
    static func isBegin(_ beginning: [UInt8]) -> Bool { beginning.starts(with: Array(family.utf8)) }

    /// Returns base64 without padding (RFC 4648, 4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString()
        return String(text.prefix { $0 != "=" })
    }

    /// Returns the bytes of a text that ``base64(_:)`` writes; `nil` for another one.
    private static func bytes(_ text: Substring, count: Int) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding), data.count == count, base64(Array(data)) == text else {
            return nil
        }
        return Array(data)
    }
}

/// The key of a file, from which the keys of its header and its content are derived.
struct AgeKey {
    static let size = 16
    /// The highest work that is read: scrypt takes 1 GiB for it.
    static let mostLogN = 20

    /// Three quarters of the memory of this machine, in bytes. The kernel grants more, and ends a process that uses it.
    private static let memoryLimit = sysconf(Int32(_SC_PHYS_PAGES)) / 4 * 3 * sysconf(Int32(_SC_PAGESIZE))

    private let bytes: [UInt8]

    /// A new key.
    init() { bytes = Sodium.random(Self.size) }

    /// Returns the header of a file with this key.
    func header(for passphrase: [UInt8], logN: Int) throws(AgeFailure) -> AgeHeader {
        let salt = Sodium.random(AgeHeader.saltSize)
        let key = try Self.wrappingKey(of: passphrase, salt: salt, logN: logN)
        let wrapped = Sodium.sealed(bytes[...], nonce: Self.zeroNonce, key: key)
        var header = AgeHeader(salt: salt, logN: logN, wrappedKey: wrapped)
        header.authenticator = authenticator(of: header)
        return header
    }

    /// Unwraps the key of a header.
    init(of header: AgeHeader, passphrase: [UInt8]) throws(AgeFailure) {
        let key = try Self.wrappingKey(of: passphrase, salt: header.salt, logN: header.logN)
        guard let bytes = Sodium.opened(header.wrappedKey, nonce: Self.zeroNonce, key: key) else {
            throw .passphrase
        }
        self.bytes = bytes
        guard Sodium.isEqual(authenticator(of: header), header.authenticator) else { throw .header }
    }

    /// Returns the key of the content.
    func contentKey(nonce: [UInt8]) -> [UInt8] { Sodium.derivedKey(from: bytes, salt: nonce, purpose: "payload") }

    private func authenticator(of header: AgeHeader) -> [UInt8] {
        let key = Sodium.derivedKey(from: bytes, salt: [], purpose: "header")
        return Sodium.authenticator(of: header.authenticated, key: key)
    }

    /// Each wrapping key is for one text.
    private static let zeroNonce = [UInt8](repeating: 0, count: Sodium.nonceSize)

    private static func wrappingKey(of passphrase: [UInt8], salt: [UInt8], logN: Int) throws(AgeFailure) -> [UInt8] {
        guard logN <= mostLogN, Sodium.stretchingMemory(logN: logN) <= memoryLimit else { throw .work }
        let label = Array("\(AgeHeader.version)/\(AgeHeader.kind)".utf8)
        guard let key = Sodium.stretchedKey(from: passphrase, salt: label + salt, logN: logN) else { throw .memory }
        return key
    }
}
