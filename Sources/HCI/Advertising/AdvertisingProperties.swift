/// What an advertising PDU is, as bits: the low five of the extended report's event type.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.65.13.
public struct AdvertisingProperties: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let connectable = AdvertisingProperties(rawValue: 1 << 0)
    public static let scannable = AdvertisingProperties(rawValue: 1 << 1)
    public static let directed = AdvertisingProperties(rawValue: 1 << 2)
    public static let scanResponse = AdvertisingProperties(rawValue: 1 << 3)

    /// One of Bluetooth 4's PDUs, which carry at most 31 bytes.
    public static let legacy = AdvertisingProperties(rawValue: 1 << 4)

    /// All bits that have a meaning here.
    static let mask: UInt16 = 0x1F

    /// The properties of a legacy report's event type (Section 7.7.65.2). Reserved types have none but `legacy`: what
    /// they carry may still be an advert.
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

    /// The event type of a legacy report.
    var legacyEventType: UInt8 {
        if contains(.scanResponse) { return 0x04 }
        if contains(.directed) { return 0x01 }
        if contains(.connectable) { return 0x00 }
        return contains(.scannable) ? 0x02 : 0x03
    }
}
