import OkaeriPlumbing

/// A passphrase that a file is encrypted with.
///
/// Its bytes are UTF-8 as they were typed: `age` does not normalize them either.
package struct AgePassphrase: Sendable {
    /// The shortest passphrase in characters: a finder of the file has any time to guess it.
    package static let shortest = 12
    /// The longest passphrase in bytes.
    package static let longest = 256

    /// The description of a valid passphrase.
    package static let expected =
        "\(shortest) characters or more, at most \(longest) bytes, without control characters"

    package let bytes: [UInt8]

    /// Returns `nil` unless the passphrase is one of ``expected``.
    package init?(_ text: String) {
        guard text.count >= Self.shortest, text.utf8.count <= Self.longest, text.isPlainName else { return nil }
        bytes = Array(text.utf8)
    }
}
