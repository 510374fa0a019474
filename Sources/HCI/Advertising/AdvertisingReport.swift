/// An advertising report as a value of its own: for tests, and for a controller in software. Scanners read
/// `LEAdvertisingReport`.
public struct AdvertisingReport: Hashable, Sendable {
    /// The longest data in a legacy PDU (Core Specification 5.4, Vol 6, Part B, Section 2.3.1).
    public static let maximumLegacyDataLength = 31

    /// The longest data in one extended report (Vol 4, Part E, Section 7.7.65.13).
    public static let maximumExtendedDataLength = 229

    public var address: BluetoothAddress
    public var addressType: BluetoothAddressType
    public var properties: AdvertisingProperties
    public var dataStatus: AdvertisingDataStatus
    public var primaryPHY: UInt8
    public var secondaryPHY: UInt8
    public var advertisingSID: UInt8?
    public var transmitPower: Int8?
    public var rssi: Int8?
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
        address.encode(into: &bytes)
        bytes.append(UInt8(truncatingIfNeeded: data.count))
        bytes += data
        bytes.append(UInt8(bitPattern: rssi ?? LEAdvertisingReport.notAvailable))
    }

    func encodeExtended(into bytes: inout [UInt8]) {
        bytes.append(littleEndian: properties.rawValue & AdvertisingProperties.mask | dataStatus.eventType)
        bytes.append(addressType.rawValue)
        address.encode(into: &bytes)
        bytes.append(primaryPHY)
        bytes.append(secondaryPHY)
        bytes.append(advertisingSID ?? LEAdvertisingReport.noSID)
        bytes.append(UInt8(bitPattern: transmitPower ?? LEAdvertisingReport.notAvailable))
        bytes.append(UInt8(bitPattern: rssi ?? LEAdvertisingReport.notAvailable))
        // No periodic advertising, directed at nobody.
        bytes += [UInt8](repeating: 0, count: 9)
        bytes.append(UInt8(truncatingIfNeeded: data.count))
        bytes += data
    }
}
