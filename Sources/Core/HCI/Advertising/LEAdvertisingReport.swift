/// One advertising report, read where it lies: nothing is copied but the header's fields.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Sections 7.7.65.2 (legacy) and 7.7.65.13 (extended).
public struct LEAdvertisingReport: ~Escapable {
    /// The advertiser's address, which may rotate; all zero if the advertiser is anonymous.
    public let address: BluetoothAddress

    /// The type of the address.
    public let addressType: BluetoothAddressType

    /// The type of the PDU.
    public let properties: AdvertisingProperties

    /// Whether `data` is all there is.
    public let dataStatus: AdvertisingDataStatus

    /// The PHY's number in the specification: 1 for LE 1M, 3 for LE Coded.
    public let primaryPHY: UInt8

    /// The PHY of the data channel, 0 for none.
    public let secondaryPHY: UInt8

    /// The advertising set's number; nil when the PDU has none.
    public var advertisingSID: UInt8? {
        let sid = UInt8(truncatingIfNeeded: packed)
        return sid == Self.noSID ? nil : sid
    }

    /// The transmit power in dBm; `nil` if the advertiser does not give it.
    @inlinable public var transmitPower: Int8? { Self.power(Int8(truncatingIfNeeded: packed >> 8)) }

    /// The signal strength in dBm; nil when the controller could not measure it, which still proves presence.
    @inlinable public var rssi: Int8? { Self.power(Int8(truncatingIfNeeded: packed >> 16)) }

    /// The AD structures.
    public let data: RawSpan

    /// SID, transmit power and RSSI as they were received, in one word: a report is passed on in registers' widths, and bytes
    /// that were just written one by one would have to be waited for.
    @usableFromInline let packed: UInt32

    @_lifetime(copy data)
    @inlinable
    @inline(__always)
    init(
        address: BluetoothAddress, addressType: BluetoothAddressType, properties: AdvertisingProperties,
        dataStatus: AdvertisingDataStatus, primaryPHY: UInt8, secondaryPHY: UInt8, sid: UInt8, transmitPower: Int8,
        rssi: Int8, data: RawSpan
    ) {
        self.address = address
        self.addressType = addressType
        self.properties = properties
        self.dataStatus = dataStatus
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        packed =
            UInt32(sid) | UInt32(UInt8(bitPattern: transmitPower)) << 8 | UInt32(UInt8(bitPattern: rssi)) << 16
        self.data = data
    }

    /// The same report with more data, that of earlier ones.
    @_lifetime(copy data)
    init(_ report: borrowing LEAdvertisingReport, dataStatus: AdvertisingDataStatus, data: RawSpan) {
        address = report.address
        addressType = report.addressType
        properties = report.properties
        self.dataStatus = dataStatus
        primaryPHY = report.primaryPHY
        secondaryPHY = report.secondaryPHY
        packed = report.packed
        self.data = data
    }

    /// RSSI and transmit power both have 127 for "not available".
    @inlinable
    @inline(__always)
    static func power(_ value: Int8) -> Int8? {
        value == notAvailable ? nil : value
    }

    @inlinable static var notAvailable: Int8 { 127 }
    @inlinable static var noSID: UInt8 { 0xFF }
}
