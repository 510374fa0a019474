/// The text of a UUID (RFC 9562, Section 4), whose 128 bits are two numbers here.
package enum UUIDText {
    private static let groups = [8, 4, 4, 4, 12]

    /// Reads 32 hexadecimal digits in either case, hyphenated in the usual groups or not at all; nil for anything else.
    package static func halves(_ text: some StringProtocol) -> (high: UInt64, low: UInt64)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard [[32], groups].contains(parts.map(\.utf8.count)) else { return nil }
        let digits = parts.joined()
        guard let high = UInt64(hexadecimal: digits.prefix(16)), let low = UInt64(hexadecimal: digits.suffix(16))
        else { return nil }
        return (high, low)
    }

    /// Writes the digits in their groups, hyphenated.
    package static func text(high: UInt64, low: UInt64, uppercase: Bool) -> String {
        var digits = [high, low].map { hexadecimal($0, prefix: "", uppercase: uppercase) }.joined()[...]
        let parts = groups.map { length in
            defer { digits = digits.dropFirst(length) }
            return digits.prefix(length)
        }
        return parts.joined(separator: "-")
    }
}
