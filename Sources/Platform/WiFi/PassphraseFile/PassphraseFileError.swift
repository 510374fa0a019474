public import Plumbing

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
