import OkaeriPlumbing

/// A device's address, 48 bits, as the Bluetooth Core Specification calls BD_ADDR.
public struct BluetoothAddress: RawRepresentable, Hashable, Sendable {
    /// The address as a number; the byte that is written first is the most significant one.
    public let rawValue: UInt64

    /// An address from a number; nil when it does not fit 48 bits.
    public init?(rawValue: UInt64) {
        guard rawValue <= 0xFFFF_FFFF_FFFF else { return nil }
        self.rawValue = rawValue
    }

    /// An address from its two parts as they lie in a packet, which cannot be too big.
    @inlinable
    @inline(__always)
    public init(low: UInt32, high: UInt16) {
        rawValue = UInt64(high) << 32 | UInt64(low)
    }

    /// An address as people write it, `AA:BB:CC:DD:EE:FF`; nil when the text is anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var value: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, let byte = UInt8(hexadecimal: part) else { return nil }
            value = value << 8 | UInt64(byte)
        }
        rawValue = value
    }

    /// The six bytes as HCI sends them, least significant first.
    public var bytes: [UInt8] { Array([UInt8](littleEndian: rawValue).prefix(6)) }
}

extension BluetoothAddress: CustomStringConvertible {
    public var description: String {
        stride(from: 40, through: 0, by: -8)
            .map { hexadecimal(UInt8(truncatingIfNeeded: rawValue >> UInt64($0)), prefix: "") }
            .joined(separator: ":")
    }
}

/// The type of the address in a report.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Sections 7.7.65.2 and 7.7.65.13. Reserved values keep their number.
public struct BluetoothAddressType: RawRepresentable, Hashable, Sendable {
    /// The address type as it is sent.
    public let rawValue: UInt8

    /// An address type, whether it has a name here or not.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Assigned to the manufacturer for good.
    public static let `public` = BluetoothAddressType(rawValue: 0x00)

    /// Made up by the device; it may change at any time.
    public static let random = BluetoothAddressType(rawValue: 0x01)

    /// A public address which the controller has resolved from a random one.
    public static let publicIdentity = BluetoothAddressType(rawValue: 0x02)

    /// A static random address which the controller has resolved from another one.
    public static let randomIdentity = BluetoothAddressType(rawValue: 0x03)

    /// The advertiser sent no address.
    public static let anonymous = BluetoothAddressType(rawValue: 0xFF)
}

extension BluetoothAddressType: CustomStringConvertible {
    public var description: String {
        switch self {
        case .public: "public"
        case .random: "random"
        case .publicIdentity: "public identity"
        case .randomIdentity: "random identity"
        case .anonymous: "anonymous"
        default: "reserved \(hexadecimal(rawValue))"
        }
    }
}
