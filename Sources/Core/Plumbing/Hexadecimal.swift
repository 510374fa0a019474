/// A number in hexadecimal digits: `0x0C` for 12 as a byte, how the Core Specification writes codes.
///
/// - Parameters:
///   - digits: The minimum number of digits, with leading zeros; by default all that the type has.
///   - uppercase: whether ten to fifteen are A to F.
package func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(
    _ number: Number, prefix: String = "0x", digits: Int = Number.bitWidth / 4, uppercase: Bool = true
) -> String {
    let text = String(number, radix: 16, uppercase: uppercase)
    return prefix + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}

extension UInt8 {
    /// The value of a hexadecimal digit of ASCII, in either case: 10 for `A`; nil for any other byte.
    @inlinable
    package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// A number from hexadecimal ASCII digits; nil for other characters, no digits or a number that is too big.
    package init?(hexadecimal text: some StringProtocol) {
        guard text.utf8.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
        self.init(text, radix: 16)
    }
}

extension [UInt8] {
    /// Bytes from digits, two a byte, in either case: `02011A`; nil for anything else, and for half a byte.
    package init?(hexadecimal text: some StringProtocol) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = digit.hexadecimalValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        self = bytes
    }

    /// Two digits a byte: `02011A`.
    package var hexadecimal: String { map { Plumbing.hexadecimal($0, prefix: "") }.joined() }
}
