/// The reason why a file in the format of age is not read or not written, and the remedy.
package enum AgeFailure: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The file does not begin as one of age.
    case foreign
    /// The file is of another version of the format.
    case version
    /// The file is encrypted for a key, or has a second recipient.
    case recipient
    /// The passphrase would need more work, or more memory, than is allowed here.
    case work
    /// There is not enough memory for the key.
    case memory
    /// The key of the file cannot be unwrapped.
    case passphrase
    /// The header is malformed, or its authenticator is wrong.
    case header
    /// A part of the content is not authentic.
    case content
    /// The end is missing.
    case truncated
    /// The file goes on after its end.
    case trailing

    package var description: String {
        switch self {
        case .foreign: "it is not a file of age"
        case .version: "it is encrypted in another version of the format of age; decrypt it with `age -d`"
        case .recipient: "it is not encrypted with a passphrase alone; decrypt it with `age -d`"
        case .work:
            "its passphrase needs too much memory or work for this machine (scrypt beyond N = 2^20, or beyond 3/4 of the memory); "
                + "decrypt it with `age -d` on another one"
        case .memory: "there is not enough memory for its passphrase; end other programs"
        case .passphrase: "the passphrase is wrong, or the file is damaged; try again"
        case .header: "its header is damaged; use another copy"
        case .content: "its content is damaged; use another copy"
        case .truncated: "its end is missing; use another copy"
        case .trailing: "there is more after its end; use another copy"
        }
    }
}
