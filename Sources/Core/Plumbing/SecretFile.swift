import Glibc

/// A file that holds one secret and nothing else: a passphrase, a password.
///
/// It belongs to root or to the user the program runs as, no other user may read or write it, and it is not a symbolic
/// link. Root also accepts the files of the service's user, which `okaeri enroll` and `okaeri join` write. A newline at
/// its end is not a part of the secret.
///
/// `$CREDENTIALS_DIRECTORY/NAME` is the credential of that name which systemd gives its service (systemd.exec(5)). It
/// may be readable to the group: systemd lends it to the service by an access control list, whose mask is shown there.
package enum SecretFile {
    /// The beginning of a credential's path.
    package static let credentialPrefix = "$CREDENTIALS_DIRECTORY/"

    /// The description of a valid value in the configuration.
    package static let expected = "an absolute path, or \(credentialPrefix)NAME"

    /// Whether a configuration may name it: an absolute path, or a credential, without control characters.
    package static func isPath(_ path: String) -> Bool {
        guard path.isPlainName else { return false }
        guard path.hasPrefix(credentialPrefix) else { return path.hasPrefix("/") }
        let name = path.dropFirst(credentialPrefix.count)
        return !name.isEmpty && !name.contains("/")
    }

    /// `$CREDENTIALS_DIRECTORY`; nil when systemd gave this process none.
    package static var credentialsDirectory: String? {
        unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
    }

    /// Lends what is in the file. The memory it was read into is wiped afterwards.
    ///
    /// - Parameters:
    ///   - limit: The maximum length of the secret in bytes.
    ///   - user: The owner of the file, if not root; `nil`: the user of this process.
    ///   - service: The service's user, whose files root accepts too.
    ///   - credentials: The directory of the service's credentials, from systemd.
    ///   - body: takes the secret, one byte at least; it must not keep the memory.
    package static func withContents<Value: ~Copyable, Failure>(
        of path: String, limit: Int, user: UInt32? = nil,
        service: @autoclosure () -> UInt32? = ServiceAccount.service?.user,
        credentials: String? = credentialsDirectory, failure: (SecretFileProblem) -> Failure,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // The longest secret, its newline, and one byte that proves there is more.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + 2, alignment: 1)
        defer {
            if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
            unsafe buffer.deallocate()
        }
        let length: Int
        do throws(SecretFileProblem) {
            let (file, forbidden) = try place(of: path, credentials: credentials)
            let user = user ?? geteuid()
            length = try unsafe secretLength(file, in: buffer, forbidden: forbidden) {
                $0 == 0 || $0 == user || user == 0 && $0 == service()
            }
        } catch {
            throw failure(error)
        }
        // Safe: the bytes were read, and stay until the body has returned.
        return try unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
    }

    private static func secretLength(
        _ path: String, in buffer: UnsafeMutableRawBufferPointer, forbidden: mode_t, mayOwn: (uid_t) -> Bool
    ) throws(SecretFileProblem) -> Int {
        var length = try unsafe read(path, into: buffer, forbidden: forbidden, mayOwn: mayOwn)
        if unsafe length > 0 && buffer[length - 1] == UInt8(ascii: "\n") { length -= 1 }
        guard length > 0 else { throw .empty }
        return length
    }

    /// The file to open, and the bits that its mode must not have.
    private static func place(
        of path: String, credentials: String?
    ) throws(SecretFileProblem) -> (file: String, forbidden: mode_t) {
        guard path.hasPrefix(credentialPrefix) else { return (path, 0o077) }
        guard let credentials else { throw .noCredentials }
        return ("\(credentials)/\(path.dropFirst(credentialPrefix.count))", 0o037)
    }

    /// Opens first and examines the descriptor, so that the file cannot be replaced. A FIFO does not block.
    private static func read(
        _ path: String, into buffer: UnsafeMutableRawBufferPointer, forbidden: mode_t, mayOwn: (uid_t) -> Bool
    ) throws(SecretFileProblem) -> Int {
        guard !path.utf8.contains(0) else { throw .unreadable(errno: EINVAL) }
        func unreadable(_ code: Int32) -> SecretFileProblem { .unreadable(errno: code) }
        let file = OwnedDescriptor(
            owning: try OwnedDescriptor.retrying({ $0 == ELOOP ? .symbolicLink : unreadable($0) }) {
                unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            })
        let descriptor = file.number

        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile }
        guard mayOwn(status.st_uid) else { throw .foreignOwner(uid: status.st_uid) }
        guard status.st_mode & forbidden == 0 else { throw .open(mode: status.st_mode & 0o7777) }

        var length = 0
        while length < buffer.count {
            let count = try OwnedDescriptor.retrying(unreadable) {
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length)
            }
            if count == 0 { break }
            length += count
        }
        guard length < buffer.count else { throw .tooLarge(limit: buffer.count - 1) }
        return length
    }
}

/// The reason why a file with a secret cannot be used. It holds nothing of the secret.
public enum SecretFileProblem: Error, Hashable, Sendable {
    /// It cannot be opened or read.
    case unreadable(errno: Int32)

    /// It is a credential, and systemd gave this process none.
    case noCredentials

    /// It is a symbolic link.
    case symbolicLink

    /// It is a directory, a device, a FIFO or a socket.
    case notARegularFile

    /// It belongs neither to root nor to the user of the program.
    case foreignOwner(uid: UInt32)

    /// Its group or others may do something with it.
    case open(mode: UInt32)

    /// There is more in it than a secret. The limit is in bytes.
    case tooLarge(limit: Int)

    /// It is empty.
    case empty

    /// The option of `install` for the user that reads the file: that of this program, or that of the service for its folder.
    private static func owner(of path: String) -> String {
        guard geteuid() == 0 else { return "-o \(geteuid()) " }
        return path.hasPrefix("/etc/okaeri/") ? "-o \(ServiceAccount.name) " : ""
    }

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
                + "command \(Installation.words("with `sudo`", or: "as root")), or, if the daemon runs as this user, "
                + "\(Remedy.root("chown \(geteuid()) \(path)"))"
        case .unreadable(let code):
            return
                "\(file) cannot be read: \(Self.text(code)); create it with "
                + "\(Remedy.root("install \(Self.owner(of: path))-m 0600 /dev/stdin \(path)"))"
        case .symbolicLink:
            return "\(file) is a symbolic link, which is not followed; name the file itself"
        case .notARegularFile:
            return "\(file) is not a regular file; put the \(secret) into a file of its own"
        case .foreignOwner(let uid):
            return
                "\(file) cannot be used: it belongs to user \(uid), who could change it; run \(Remedy.root("chown root \(path)")), or "
                + "make the user its owner as which the program runs"
        case .open(let mode):
            return "\(file) cannot be used: it has mode 0\(String(mode, radix: 8)), so other users can access it; run "
                + "\(Remedy.root("chmod 0600 \(path)"))"
        case .tooLarge(let limit):
            return "\(file) is larger than \(limit) bytes; write only the \(secret) into it"
        case .empty:
            return "\(file) is empty; write the \(secret) into it"
        }
    }

    private static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    private static func loadCredential(_ path: String) -> String {
        let name = path.dropFirst(SecretFile.credentialPrefix.count)
        return "`LoadCredential=\(name):/etc/okaeri/\(name)` under [Service] (\(Remedy.unit()))"
    }
}
