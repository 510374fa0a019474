import Plumbing

/// A UUID of a service, a characteristic or a descriptor (Core Specification, Vol 3, Part B, 2.5.1).
///
/// Those that the Bluetooth SIG has assigned are 16 or 32 bits long and stand for a UUID of 128 bits, with the Base UUID
/// around them. Two that stand for the same are equal, however they were written.
public struct BluetoothUUID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// xxxxxxxx-0000-1000-8000-00805F9B34FB.
    private static let base: (high: UInt64, low: UInt64) = (0x0000_0000_0000_1000, 0x8000_0080_5F9B_34FB)

    /// One that was assigned by the Bluetooth SIG.
    public init(_ assigned: UInt32) {
        self.init(high: UInt64(assigned) << 32 | Self.base.high, low: Self.base.low)
    }

    /// One of 128 bits, most significant first.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 4, 8 or 32 hexadecimal digits: `180F`, `0000180F`, `0000180F-0000-1000-8000-00805F9B34FB`. Upper and lower
    /// case are the same; the hyphens stand where they belong, or not at all; `0x` may stand before a short one.
    public init?(_ text: some StringProtocol) {
        if let (high, low) = UUIDText.halves(text) {
            self.init(high: high, low: low)
        } else {
            let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
            guard [4, 8].contains(digits.utf8.count), let assigned = UInt32(hexadecimal: digits) else { return nil }
            self.init(assigned)
        }
    }

    /// The number that the Bluetooth SIG has assigned, if it is one of theirs.
    public var assigned: UInt32? {
        guard low == Self.base.low, high & 0xFFFF_FFFF == Self.base.high else { return nil }
        return UInt32(high >> 32)
    }

    /// All of its 128 bits, as D-Bus carries them: `0000180f-0000-1000-8000-00805f9b34fb`.
    public var full: String { UUIDText.text(high: high, low: low, uppercase: false) }
}

extension BluetoothUUID: CustomStringConvertible {
    /// As short as it can be: `180F`, or all 128 bits.
    public var description: String {
        guard let assigned else { return full.uppercased() }
        return hexadecimal(assigned, prefix: "", digits: assigned > 0xFFFF ? 8 : 4)
    }
}
