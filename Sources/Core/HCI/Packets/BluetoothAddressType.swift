import Plumbing

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
