/// The text of a UUID (RFC 9562, Section 4), whose 128 bits are two numbers here.
package enum UUIDText {
    private static let groups = [8, 4, 4, 4, 12]

    /// Reads 32 hexadecimal digits in either case, hyphenated in the usual groups or not at all; nil for anything else.
    package static func halves(_ text: some StringProtocol) -> (high: UInt64, low: UInt64)? {
        // Octet by octet: a hub reads one with each reception of a beacon.
        let isHyphenated = text.utf8.count == 36
        guard isHyphenated || text.utf8.count == 32 else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for (place, octet) in text.utf8.enumerated() {
            if isHyphenated, [8, 13, 18, 23].contains(place) {
                guard octet == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = octet.hexadecimalValue else { return nil }
            (high, low) = (high << 4 | low >> 60, low << 4 | UInt64(digit))
        }
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
