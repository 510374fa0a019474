import HCI
import Plumbing

struct AdvertiserDescription: Hashable, Sendable {
    enum PDU: String, Hashable, Sendable, CaseIterable {
        case nonconnectable
        case scannable
        case connectable

        var properties: AdvertisingProperties {
            switch self {
            case .nonconnectable: []
            case .scannable: .scannable
            case .connectable: [.connectable, .scannable]
            }
        }

        var isScannable: Bool { properties.contains(.scannable) }
    }

    var name: String
    var address: BluetoothAddress
    var addressType: BluetoothAddressType
    var pdu: PDU
    var data: [UInt8]

    var response: [UInt8]?

    /// From one advert to the next, in nanoseconds.
    var interval: Int64

    /// In dBm.
    var level: Int8?

    /// A static random address that is made from a name, the same each time (Vol 6, Part B, Section 1.3.2.1).
    static func address(for name: String) -> BluetoothAddress {
        randomStatic(name.utf8.fnv1a)
    }

    static func randomStatic(_ bits: UInt64) -> BluetoothAddress {
        BluetoothAddress(
            low: UInt32(truncatingIfNeeded: bits), high: 0xC000 | UInt16(truncatingIfNeeded: bits >> 32))
    }
}
