import Plumbing

/// A file that holds the passphrase of one network and nothing else, such as `/etc/okaeri/HomeNet.psk`.
///
/// It is guarded as every secret's (`SecretFile`), or a credential of systemd. Inside are 8 to 63 characters of printable
/// ASCII (IEEE Std 802.11-2020, J.4.1) or the key itself as 64 hexadecimal digits, with or without a newline at the end.
public enum PassphraseFile {
    public static let passphraseLength = 8...63

    public static let rawKeyLength = 64

    package static func load(
        _ path: String, user: UInt32? = nil, credentials: String? = SecretFile.credentialsDirectory
    ) throws(PassphraseFileError) -> Passphrase {
        try SecretFile.withContents(
            of: path, limit: rawKeyLength, user: user, credentials: credentials,
            failure: { PassphraseFileError(path: path, problem: .file($0)) }
        ) { text throws(PassphraseFileError) in
            do throws(PassphraseFileError.Problem) {
                return try parse(text)
            } catch {
                throw PassphraseFileError(path: path, problem: error)
            }
        }
    }

    private static func parse(_ text: UnsafeRawBufferPointer) throws(PassphraseFileError.Problem) -> Passphrase {
        if let index = text.firstIndex(where: { !(0x20...0x7E).contains($0) }) {
            throw .notPrintable(position: index + 1)
        }
        if text.count == rawKeyLength {
            guard text.allSatisfy({ $0.hexadecimalValue != nil }) else { throw .notHexadecimal }
            return Passphrase(text, isRawKey: true)
        }
        guard passphraseLength.contains(text.count) else { throw .length(text.count) }
        return Passphrase(text, isRawKey: false)
    }
}
