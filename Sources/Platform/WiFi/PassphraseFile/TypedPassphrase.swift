import Plumbing

/// A passphrase that a user typed. It is never printed: its description has nothing of it.
public struct TypedPassphrase: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The reason why a text is no passphrase. It holds nothing of the text but its length.
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
