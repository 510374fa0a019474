extension [UInt8] {
    /// The bytes of an integer, least significant first.
    package init(littleEndian value: some FixedWidthInteger) {
        self = []
        append(littleEndian: value)
    }

    @inlinable
    package init(_ bytes: borrowing RawSpan) {
        // Safe: the pointer does not leave the closure.
        self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// Appends an integer, least significant byte first: the order of HCI.
    @inlinable
    package mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        var rest = value
        for _ in 0..<MemoryLayout<T>.size {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    #if compiler(>=6.3)
        @inlinable
        package var rawSpan: RawSpan {
            // Safe: what makes it unsafe in general is padding, and a byte has none.
            @_lifetime(borrow self) get { unsafe span.bytes }
        }
    #else
        @inlinable
        package var rawSpan: RawSpan {
            @_lifetime(borrow self) get { span.bytes }
        }
    #endif
}

extension Sequence<UInt8> {
    /// FNV-1a of 64 bits (RFC 9923): the same everywhere and after every upgrade, which Swift's own hash is not. Not for secrets.
    @inlinable
    package var fnv1a: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}

extension FixedWidthInteger {
    /// A number as its `description` writes it, in digits of ASCII; nil for anything else: a plus, zeros in front, and
    /// for a number that is too big. `Int(_:)` accepts `+5` and `05`, which are typing errors or octal numbers.
    package init?(decimal text: some StringProtocol) {
        guard let number = Self(text), String(number) == text else { return nil }
        self = number
    }
}

extension UInt16 {
    /// The same of bytes: a hub reads two with each reception of a beacon by ESPresense.
    package init?(decimal octets: ArraySlice<UInt8>) {
        guard 1...5 ~= octets.count, octets.count == 1 || octets.first != UInt8(ascii: "0") else { return nil }
        var number: UInt32 = 0
        for octet in octets {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet else { return nil }
            number = 10 * number + UInt32(octet - UInt8(ascii: "0"))
        }
        guard let number = UInt16(exactly: number) else { return nil }
        self = number
    }
}

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
    package var hexadecimal: String { map { OkaeriPlumbing.hexadecimal($0, prefix: "") }.joined() }
}

/// The text of a UUID (RFC 9562, Section 4), whose 128 bits are two numbers here.
package enum UUIDText {
    private static let groups = [8, 4, 4, 4, 12]

    /// Reads 32 hexadecimal digits in either case, hyphenated in the usual groups or not at all; nil for anything else.
    package static func halves(_ text: some StringProtocol) -> (high: UInt64, low: UInt64)? {
        halves(Array(text.utf8)[...])
    }

    /// The same of bytes. A hub reads one with each reception of a beacon; a generic loop over the text takes twenty times as long.
    package static func halves(_ octets: ArraySlice<UInt8>) -> (high: UInt64, low: UInt64)? {
        let isHyphenated = octets.count == 36
        guard isHyphenated || octets.count == 32 else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for place in octets.indices {
            let offset = place - octets.startIndex
            if isHyphenated, offset == 8 || offset == 13 || offset == 18 || offset == 23 {
                guard octets[place] == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = octets[place].hexadecimalValue else { return nil }
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
