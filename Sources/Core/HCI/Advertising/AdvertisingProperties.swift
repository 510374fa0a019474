/// The properties of an advertising PDU, as bits: the low five of the extended report's event type.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.65.13.
public struct AdvertisingProperties: OptionSet, Hashable, Sendable {
    /// Bits 0 to 4 of the event type. What is beyond means nothing here.
    public let rawValue: UInt16

    /// Properties from the bits of an extended report's event type.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Bit 0: the advertiser takes connections.
    public static let connectable = AdvertisingProperties(rawValue: 1 << 0)

    /// Bit 1: the advertiser answers scan requests, and so has more for an active scan.
    public static let scannable = AdvertisingProperties(rawValue: 1 << 1)

    /// Bit 2: the PDU is meant for one device.
    public static let directed = AdvertisingProperties(rawValue: 1 << 2)

    /// Bit 3: the PDU is an answer to a scan request; its data is beside that of the advertisement.
    public static let scanResponse = AdvertisingProperties(rawValue: 1 << 3)

    /// One of Bluetooth 4's PDUs, which carry at most 31 bytes.
    public static let legacy = AdvertisingProperties(rawValue: 1 << 4)

    /// All bits that have a meaning here.
    static let mask: UInt16 = 0x1F

    /// The properties of a legacy report's event type (Section 7.7.65.2); reserved types have only `legacy`.
    @usableFromInline
    init(legacyEventType: UInt8) {
        switch legacyEventType {
        case 0x00: self = [.legacy, .connectable, .scannable]
        case 0x01: self = [.legacy, .connectable, .directed]
        case 0x02: self = [.legacy, .scannable]
        case 0x04: self = [.legacy, .scannable, .scanResponse]
        default: self = [.legacy]
        }
    }

    var legacyEventType: UInt8 {
        if contains(.scanResponse) { return 0x04 }
        if contains(.directed) { return 0x01 }
        if contains(.connectable) { return 0x00 }
        return contains(.scannable) ? 0x02 : 0x03
    }
}
