import Glibc
import Plumbing

/// A file that holds the passphrase of one network and nothing else, such as `/etc/okaeri/HomeNet.psk`.
///
/// It belongs to root or to the user the program runs as, nobody else may read or write it, and it is no symbolic link.
/// Inside are 8 to 63 characters of printable ASCII (IEEE Std 802.11-2020, J.4.1) or the key itself as 64 hexadecimal
/// digits, with or without a newline at the end.
///
/// `$CREDENTIALS_DIRECTORY/NAME` is the credential of that name which systemd gives its service (systemd.exec(5)). It may
/// be readable to the group: systemd lends it to the service by an access control list, whose mask is shown there.
public enum PassphraseFile {
    /// What the path of a credential begins with.
    public static let credentialPrefix = "$CREDENTIALS_DIRECTORY/"

    /// How long a passphrase may be, in characters.
    public static let passphraseLength = 8...63

    /// How many hexadecimal digits stand for the key itself.
    public static let rawKeyLength = 64

    /// Whether `path` can be used, without keeping what is in it.
    ///
    /// - Parameters:
    ///   - user: who must own the file, if not root; nil: who runs this program.
    ///   - credentials: where systemd has put the service's credentials.
    public static func check(
        _ path: String, user: UInt32? = nil, credentials: String? = credentialsDirectory
    ) throws(PassphraseFileError) {
        _ = try load(path, user: user, credentials: credentials)
    }

    /// `$CREDENTIALS_DIRECTORY`; nil when systemd gave this process none.
    public static var credentialsDirectory: String? { getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } }

    package static func load(
        _ path: String, user: UInt32? = nil, credentials: String? = credentialsDirectory
    ) throws(PassphraseFileError) -> Passphrase {
        let user = user ?? geteuid()
        // The longest content, its newline, and one byte that proves there is more.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: rawKeyLength + 2, alignment: 1)
        defer {
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
            buffer.deallocate()
        }
        do throws(PassphraseFileError.Problem) {
            let length: Int
            if path.hasPrefix(credentialPrefix) {
                guard let credentials else { throw .noCredentials }
                let file = "\(credentials)/\(path.dropFirst(credentialPrefix.count))"
                length = try read(file, into: buffer, user: user, forbidden: 0o037)
            } else {
                length = try read(path, into: buffer, user: user, forbidden: 0o077)
            }
            return try parse(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
        } catch {
            throw PassphraseFileError(path: path, problem: error)
        }
    }

    /// Opens first and asks the descriptor, so that nobody can change the file in between. A FIFO does not block.
    private static func read(
        _ path: String, into buffer: UnsafeMutableRawBufferPointer, user: uid_t, forbidden: mode_t
    ) throws(PassphraseFileError.Problem) -> Int {
        guard !path.utf8.contains(0) else { throw .unreadable(errno: EINVAL) }
        func unreadable(_ code: Int32) -> PassphraseFileError.Problem { .unreadable(errno: code) }
        let file = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying({ $0 == ELOOP ? .symbolicLink : unreadable($0) }) {
                open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            })
        let descriptor = file.number

        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile }
        guard status.st_uid == 0 || status.st_uid == user else { throw .foreignOwner(uid: status.st_uid) }
        guard status.st_mode & forbidden == 0 else { throw .open(mode: status.st_mode & 0o7777) }

        var length = 0
        while length < buffer.count {
            let count = try OwnedDescriptor.retrying(unreadable) {
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length)
            }
            if count == 0 { break }
            length += count
        }
        guard length < buffer.count else { throw .tooLarge(limit: rawKeyLength + 1) }
        return length
    }

    private static func parse(_ content: UnsafeRawBufferPointer) throws(PassphraseFileError.Problem) -> Passphrase {
        let newline = UInt8(ascii: "\n")
        let text = content.last == newline ? UnsafeRawBufferPointer(rebasing: content.dropLast()) : content
        guard !text.isEmpty else { throw .empty }
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
