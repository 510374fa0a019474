import Glibc
public import OkaeriPlumbing

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

/// A passphrase on its way to NetworkManager. It cannot be copied or printed, and its bytes are wiped with it.
package struct Passphrase: ~Copyable {
    /// 64 hexadecimal digits are the key itself, which SAE cannot use.
    package let isRawKey: Bool

    private let bytes: UnsafeMutablePointer<CChar>
    private let capacity: Int

    /// Takes printable ASCII; the caller has checked it.
    init(_ text: UnsafeRawBufferPointer, isRawKey: Bool) {
        capacity = text.count + 1
        bytes = .allocate(capacity: capacity)
        bytes.initialize(repeating: 0, count: capacity)
        for (index, byte) in text.enumerated() { bytes[index] = CChar(bitPattern: byte) }
        self.isRawKey = isRawKey
    }

    /// Lends the passphrase as a C string. A function that copies it wipes the copy.
    package borrowing func withCString<T>(_ body: (UnsafePointer<CChar>) -> T) -> T {
        body(UnsafePointer(bytes))
    }

    deinit {
        explicit_bzero(bytes, capacity)
        bytes.deallocate()
    }
}

/// The reason why a passphrase file cannot be used. It never holds anything of the passphrase but its length.
public struct PassphraseFileError: Error, Hashable, Sendable {
    public let path: String

    public let problem: Problem

    public init(path: String, problem: Problem) {
        self.path = path
        self.problem = problem
    }

    public enum Problem: Error, Hashable, Sendable {
        /// No secret can be read from it.
        case file(SecretFileProblem)

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
        let file = "the passphrase file \(path) cannot be used:"
        switch problem {
        case .file(let problem):
            return problem.sentence(of: path, holding: "passphrase")
        case .length(let length):
            return
                "\(file) it has \(length) characters, and a passphrase has \(PassphraseFile.passphraseLength.lowerBound) "
                + "to \(PassphraseFile.passphraseLength.upperBound), a raw key \(PassphraseFile.rawKeyLength) "
                + "hexadecimal digits; write it again"
        case .notPrintable(let position):
            return
                "\(file) character \(position) is not printable ASCII; write the passphrase as plain text on one line"
        case .notHexadecimal:
            return
                "\(file) its \(PassphraseFile.rawKeyLength) characters are not all hexadecimal digits, and a passphrase "
                + "has at most \(PassphraseFile.passphraseLength.upperBound); write it again"
        case .rawKeyForSAE:
            return
                "\(file) it has a raw key, and the network has only WPA3, which needs the passphrase itself; write the "
                + "passphrase into it"
        }
    }
}

/// A passphrase that a user typed. It is never printed: its description has nothing of it.
public struct TypedPassphrase: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The reason why a text is not a passphrase. It holds nothing of the text but its length.
    package enum Mistake: Error, Equatable, CustomStringConvertible {
        case length(Int)
        case notPrintable
        case notHexadecimal

        package var description: String {
            let (length, key) = (PassphraseFile.passphraseLength, PassphraseFile.rawKeyLength)
            return switch self {
            case .length(let count):
                "that has \(count) characters, and a passphrase has \(length.lowerBound) to \(length.upperBound), or \(key) "
                    + "hexadecimal digits"
            case .notPrintable: "a passphrase has only letters, digits and signs of ASCII"
            case .notHexadecimal: "the \(key) digits of a key are hexadecimal"
            }
        }

        /// The mistake in Japanese.
        package var japanese: String {
            let (length, key) = (PassphraseFile.passphraseLength, PassphraseFile.rawKeyLength)
            return switch self {
            case .length(let count):
                "\(count) 文字です。パスフレーズは \(length.lowerBound)～\(length.upperBound) 文字か、16 進数 \(key) 桁です"
            case .notPrintable: "パスフレーズに使えるのは、ASCII の英字、数字、記号だけです"
            case .notHexadecimal: "\(key) 桁の鍵は 16 進数です"
            }
        }
    }

    private let text: String

    /// Whether it is the key itself, which SAE cannot use.
    package var isRawKey: Bool { text.utf8.count == PassphraseFile.rawKeyLength }

    package init(_ text: String) throws(Mistake) {
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .notPrintable }
        let count = text.utf8.count
        if count == PassphraseFile.rawKeyLength {
            guard text.utf8.allSatisfy({ $0.hexadecimalValue != nil }) else { throw .notHexadecimal }
        } else if !PassphraseFile.passphraseLength.contains(count) {
            throw .length(count)
        }
        self.text = text
    }

    /// Lends the passphrase as a C string.
    package func withCString<T>(_ body: (UnsafePointer<CChar>) -> T) -> T { text.withCString(body) }

    public var description: String { "(not shown)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
