import OkaeriPlumbing

/// The key by which one device's resolvable private addresses are recognized: its IRK (Core Specification 5.4, Vol 3, Part H,
/// Section 2.4.2.1). It is never printed, and it cannot be encoded: its description has nothing of it.
public struct IdentityResolvingKey: Equatable, Sendable {
    /// The length of a key in bytes.
    public static let byteCount = 16

    /// The first eight bytes, most significant first.
    package let high: UInt64

    /// The last eight bytes.
    package let low: UInt64

    private init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// Creates a key from its bytes, the most significant first; `nil` if they are not 16, or all zero, which stands for no key.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.contains(where: { $0 != 0 }) else { return nil }
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(bytes[..<8]), low: half(bytes[8...]))
    }

    /// Parses 32 hexadecimal digits, the most significant byte first, or base64, which programs write with the least significant
    /// byte first. `irk:` may precede both. The bytes may be separated by colons, hyphens, commas or white space, and `0x` may
    /// precede each of them. Returns `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        let text = text.hasPrefix(Self.prefix) ? text.dropFirst(Self.prefix.count) : text[...]
        if let bytes = [UInt8](hexadecimal: text), let key = Self(bytes) {
            self = key
        } else if let bytes = [UInt8](base64: text), let key = Self(bytes.reversed()) {
            self = key
        } else if let bytes = [UInt8](separated: text), let key = Self(bytes) {
            self = key
        } else {
            return nil
        }
    }

    /// The text before a key in the files and topics of ESPresense and Home Assistant.
    package static let prefix = "irk:"

    /// Returns a new key.
    package static func random() -> Self { Self(high: .random(in: 1 ... .max), low: .random(in: 0 ... .max)) }

    /// The same key in the other order of bytes.
    package var reversed: Self { Self(high: low.byteSwapped, low: high.byteSwapped) }

    /// The 32 digits of a key, for the file that keeps it.
    package var secretText: String { hexadecimal(high, prefix: "") + hexadecimal(low, prefix: "") }
}

extension IdentityResolvingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text that has nothing of the key.
    public var description: String { "(not shown)" }

    /// A text that has nothing of the key.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension [UInt8] {
    /// Bytes from hexadecimal digits in groups of whole bytes, each group perhaps behind `0x`; `nil` for anything else.
    fileprivate init?(separated text: some StringProtocol) {
        let groups = text.split { $0.isWhitespace || [":", "-", ","].contains($0) }
        self = []
        for group in groups {
            let digits = group.hasPrefix("0x") || group.hasPrefix("0X") ? group.dropFirst(2) : group[...]
            guard !digits.isEmpty, let bytes = [UInt8](hexadecimal: digits) else { return nil }
            self += bytes
        }
    }

    /// The bytes of a text in base64 (RFC 4648, Section 4), with or without padding; `nil` for other characters or bits that are
    /// left over.
    fileprivate init?(base64 text: some StringProtocol) {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.utf8.dropFirst(digits.count)
        guard padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        for digit in digits {
            guard let value = digit.base64Value else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= 1 << UInt32(count) - 1
        }
        guard count < 6, bits == 0 else { return nil }
        self = bytes
    }
}

extension UInt8 {
    fileprivate var base64Value: UInt8? {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
