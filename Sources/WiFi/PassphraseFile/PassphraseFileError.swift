import Glibc

/// Why a passphrase file cannot be used. It never holds anything of the passphrase but its length.
public struct PassphraseFileError: Error, Hashable, Sendable {
    /// The file.
    public let path: String

    /// What is wrong with it.
    public let problem: Problem

    public init(path: String, problem: Problem) {
        self.path = path
        self.problem = problem
    }

    /// What can be wrong with a passphrase file.
    public enum Problem: Error, Hashable, Sendable {
        /// It cannot be opened or read.
        case unreadable(errno: Int32)

        /// It is a credential, and systemd gave this process none.
        case noCredentials

        /// The path ends in a symbolic link.
        case symbolicLink

        /// It is a directory, a device, a FIFO or a socket.
        case notARegularFile

        /// It belongs to somebody who is neither root nor the user the program runs as.
        case foreignOwner(uid: UInt32)

        /// Its group or others may do something with it.
        case open(mode: UInt32)

        /// There is more in it than a passphrase. The limit is in bytes.
        case tooLarge(limit: Int)

        /// There is nothing in it.
        case empty

        /// The passphrase is shorter than 8 or longer than 63 characters.
        case length(Int)

        /// A character is not printable ASCII. The position counts from 1.
        case notPrintable(position: Int)

        /// There are 64 characters, and not all are hexadecimal digits.
        case notHexadecimal

        /// It holds the key itself, and the access points have only WPA3, which starts from the passphrase.
        case rawKeyForSAE
    }
}

extension PassphraseFileError: CustomStringConvertible {
    public var description: String {
        let file = "the passphrase file \(path)"
        switch problem {
        case .unreadable(let code) where path.hasPrefix(PassphraseFile.credentialPrefix):
            return "\(file) cannot be read: \(String(cString: strerror(code))); name it in the unit: \(loadCredential)"
        case .noCredentials:
            return
                "\(file) is a credential, and systemd gave this process none; run it as a service, with \(loadCredential)"
        case .unreadable(EACCES):
            return
                "\(file) may not be read by user \(geteuid()), who the program runs as; `sudo chown \(geteuid()) \(path)`"
        case .unreadable(let code):
            return "\(file) cannot be read: \(String(cString: strerror(code))); create it with "
                + "`sudo install -m 0600 /dev/stdin \(path)`"
        case .symbolicLink:
            return "\(file) is a symbolic link, which is not followed; name the file itself"
        case .notARegularFile:
            return "\(file) is not a regular file; put the passphrase into a file of its own"
        case .foreignOwner(let uid):
            return "\(file) belongs to user \(uid), who could change it; `sudo chown root \(path)`, or to the user "
                + "the program runs as"
        case .open(let mode):
            return "\(file) has mode 0\(String(mode, radix: 8)), so others can get at it; `sudo chmod 0600 \(path)`"
        case .tooLarge(let limit):
            return "\(file) is larger than \(limit) bytes; it holds the passphrase and nothing else"
        case .empty:
            return "\(file) is empty; write the passphrase into it"
        case .length(let length):
            return "\(file) holds \(length) characters; a passphrase has \(PassphraseFile.passphraseLength.lowerBound) "
                + "to \(PassphraseFile.passphraseLength.upperBound), a raw key \(PassphraseFile.rawKeyLength) "
                + "hexadecimal digits; write it anew"
        case .notPrintable(let position):
            return "\(file) holds a character that is not printable ASCII, at position \(position); write the "
                + "passphrase as plain text on one line"
        case .notHexadecimal:
            return "\(file) holds \(PassphraseFile.rawKeyLength) characters that are not all hexadecimal digits; "
                + "a passphrase has at most \(PassphraseFile.passphraseLength.upperBound); write it anew"
        case .rawKeyForSAE:
            return "\(file) holds a raw key, and the network has only WPA3, which needs the passphrase itself; "
                + "write the passphrase into it"
        }
    }

    /// What the unit says to give the credential.
    private var loadCredential: String {
        let name = path.dropFirst(PassphraseFile.credentialPrefix.count)
        return "`LoadCredential=\(name):/etc/okaeri/\(name)` under [Service] (`sudo systemctl edit okaeri`)"
    }
}
