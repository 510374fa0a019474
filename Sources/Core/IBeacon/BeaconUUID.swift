import Plumbing

/// The 128-bit identifier that an owner gives to all their beacons; an RFC 9562 UUID without Foundation.
public struct BeaconUUID: Hashable, Sendable {
    /// The first eight bytes, most significant first, as they are sent.
    public let high: UInt64

    /// The last eight bytes.
    public let low: UInt64

    /// An identifier from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

extension BeaconUUID: Comparable {
    /// The order of the bytes, which is that of the text.
    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension BeaconUUID: LosslessStringConvertible {
    /// The positions of the hyphens in the usual text.
    private static let hyphens: Set<Int> = [8, 13, 18, 23]

    /// Reads `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`, or the 32 digits without hyphens, in either case.
    public init?(_ text: String) {
        let hyphenated = text.utf8.count == 36
        guard hyphenated || text.utf8.count == 32 else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        var digits = 0
        for (position, character) in text.utf8.enumerated() {
            if hyphenated, Self.hyphens.contains(position) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = character.hexadecimalValue else { return nil }
            if digits < 16 {
                words.high = words.high << 4 | UInt64(digit)
            } else {
                words.low = words.low << 4 | UInt64(digit)
            }
            digits += 1
        }
        guard digits == 32 else { return nil }
        self.init(high: words.high, low: words.low)
    }

    /// `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`: upper case, hyphenated, as beacon makers print it.
    public var description: String {
        let digits = hexadecimal(high, prefix: "") + hexadecimal(low, prefix: "")
        var text = ""
        text.reserveCapacity(36)
        for (position, digit) in digits.enumerated() {
            if position == 8 || position == 12 || position == 16 || position == 20 { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
