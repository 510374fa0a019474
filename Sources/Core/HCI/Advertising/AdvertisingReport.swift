import OkaeriPlumbing

/// An advertising report as a value: for tests and software controllers. Scanners read `LEAdvertisingReport`.
public struct AdvertisingReport: Hashable, Sendable {
    /// The longest data in a legacy PDU (Core Specification 5.4, Vol 6, Part B, Section 2.3.1).
    public static let maximumLegacyDataLength = 31

    /// The longest data in one extended report (Vol 4, Part E, Section 7.7.65.13).
    public static let maximumExtendedDataLength = 229

    /// The advertiser's address; all zero if the advertiser is anonymous.
    public var address: BluetoothAddress

    /// The type of the address.
    public var addressType: BluetoothAddressType

    /// The type of the PDU. The legacy form keeps what its five event types can express.
    public var properties: AdvertisingProperties

    /// Whether `data` is all there is. The legacy form has no room for it.
    public var dataStatus: AdvertisingDataStatus

    /// The PHY: 1 for LE 1M, 3 for LE Coded (Section 7.7.65.13); only in the extended form, as the next three.
    public var primaryPHY: UInt8

    /// The PHY of the data channel: 0 for none, 1 for LE 1M, 2 for LE 2M, 3 for LE Coded.
    public var secondaryPHY: UInt8

    /// The advertising set's number, 0 to 15; nil, sent as 0xFF, when the PDU has none.
    public var advertisingSID: UInt8?

    /// The transmit power in dBm, -127 to 20; nil, sent as 127, when it is not available.
    public var transmitPower: Int8?

    /// The signal strength in dBm, -127 to 20; nil, sent as 127, when it is not available.
    public var rssi: Int8?

    /// The AD structures, up to ``maximumLegacyDataLength`` or ``maximumExtendedDataLength`` bytes.
    public var data: [UInt8]

    /// A report. Without further fields it is what a beacon sends: ADV_NONCONN_IND on LE 1M.
    public init(
        address: BluetoothAddress, addressType: BluetoothAddressType = .public,
        properties: AdvertisingProperties = .legacy, dataStatus: AdvertisingDataStatus = .complete,
        primaryPHY: UInt8 = 1, secondaryPHY: UInt8 = 0, advertisingSID: UInt8? = nil, transmitPower: Int8? = nil,
        rssi: Int8?, data: [UInt8]
    ) {
        self.address = address
        self.addressType = addressType
        self.properties = properties
        self.dataStatus = dataStatus
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.advertisingSID = advertisingSID
        self.transmitPower = transmitPower
        self.rssi = rssi
        self.data = data
    }

    /// A copy of a report that lies in a packet.
    public init(_ report: borrowing LEAdvertisingReport) {
        self.init(
            address: report.address, addressType: report.addressType, properties: report.properties,
            dataStatus: report.dataStatus, primaryPHY: report.primaryPHY, secondaryPHY: report.secondaryPHY,
            advertisingSID: report.advertisingSID, transmitPower: report.transmitPower, rssi: report.rssi,
            data: [UInt8](report.data))
    }

    func encodeLegacy(into bytes: inout [UInt8]) {
        bytes.append(properties.legacyEventType)
        bytes.append(addressType.rawValue)
        bytes += address.bytes
        bytes.append(UInt8(truncatingIfNeeded: data.count))
        bytes += data
        bytes.append(UInt8(bitPattern: rssi ?? LEAdvertisingReport.notAvailable))
    }

    func encodeExtended(into bytes: inout [UInt8]) {
        bytes.append(littleEndian: properties.rawValue & AdvertisingProperties.mask | dataStatus.eventType)
        bytes.append(addressType.rawValue)
        bytes += address.bytes
        bytes.append(primaryPHY)
        bytes.append(secondaryPHY)
        bytes.append(advertisingSID ?? LEAdvertisingReport.noSID)
        bytes.append(UInt8(bitPattern: transmitPower ?? LEAdvertisingReport.notAvailable))
        bytes.append(UInt8(bitPattern: rssi ?? LEAdvertisingReport.notAvailable))
        // No periodic advertising, no direct address.
        bytes += [UInt8](repeating: 0, count: 9)
        bytes.append(UInt8(truncatingIfNeeded: data.count))
        bytes += data
    }
}

/// Whether a report holds all of the advertising data.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.65.13, bits 5 and 6 of the event type.
public enum AdvertisingDataStatus: Hashable, Sendable {
    /// It does, or these are the last of the data.
    case complete

    /// The next report of this advertiser goes on.
    case incomplete

    /// The rest was lost.
    case truncated

    init(eventType: UInt16) {
        switch eventType >> 5 & 0b11 {
        case 0b00: self = .complete
        case 0b01: self = .incomplete
        // 0b11 is reserved: nothing announces more.
        default: self = .truncated
        }
    }

    var eventType: UInt16 {
        switch self {
        case .complete: 0b00 << 5
        case .incomplete: 0b01 << 5
        case .truncated: 0b10 << 5
        }
    }
}

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
