/// The advertising reports of one event, one after another, without a copy.
///
///     if var reports = LEAdvertisingReports(packet) {
///         while let report = try reports.next() { … }
///     }
///
/// The specification draws fields as arrays; controllers send, and Linux reads, report after report.
///
/// Reading is inlinable: handing each word of a report through memory would cost as much as reading it.
public struct LEAdvertisingReports: ~Copyable, ~Escapable {
    @usableFromInline var reader: ByteReader
    @usableFromInline let isExtended: Bool

    /// The number of announced reports that were not read yet; 0 after an error.
    @inlinable public var remaining: Int { announced }

    @usableFromInline var announced: Int

    /// The reports of an H4 event packet; nil when it is not an LE Advertising Report or LE Extended Advertising Report.
    ///
    /// A packet that is shorter than its own length field is read as far as it goes.
    @_lifetime(copy packet)
    public init?(_ packet: RawSpan) {
        // Safe: the bounds are checked.
        guard !packet.isEmpty,
            unsafe packet.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt8.self)
                == HCIPacketType.event.rawValue,
            let header = Header(packet, eventAt: 1)
        else { return nil }
        reader = ByteReader(packet, header.reports)
        isExtended = header.isExtended
        announced = header.count
    }

    /// The same for an event without the H4 packet type, from its event code on.
    @_lifetime(copy event)
    public init?(event: RawSpan) {
        guard let header = Header(event, eventAt: 0) else { return nil }
        reader = ByteReader(event, header.reports)
        isExtended = header.isExtended
        announced = header.count
    }

    /// Event code, length, subevent, number of reports.
    private struct Header {
        let isExtended: Bool
        let count: Int

        /// The range of the reports: as far as the event announces them and there are bytes.
        let reports: Range<Int>

        private static let length = 4
        private static let parameterOffset = 2

        @inline(__always)
        init?(_ bytes: RawSpan, eventAt start: Int) {
            let firstReport = start + Self.length
            guard bytes.byteCount >= firstReport else { return nil }
            // Safe: the guard has checked the bounds of all four.
            let head = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt32.self).littleEndian
            guard UInt8(truncatingIfNeeded: head) == HCIEventCode.leMeta.rawValue else { return nil }
            switch UInt8(truncatingIfNeeded: head >> 16) {
            case LESubevent.advertisingReport.rawValue: isExtended = false
            case LESubevent.extendedAdvertisingReport.rawValue: isExtended = true
            default: return nil
            }
            let announced = start + Self.parameterOffset + Int(UInt8(truncatingIfNeeded: head >> 8))
            guard announced >= firstReport else { return nil }
            count = Int(UInt8(truncatingIfNeeded: head >> 24))
            reports = firstReport..<min(announced, bytes.byteCount)
        }
    }

    /// The next report, nil after the last one. A report that is cut throws, with its offset, and ends the sequence.
    @_lifetime(copy self)
    @inlinable
    public mutating func next() throws(Truncation) -> LEAdvertisingReport? {
        guard remaining > 0 else { return nil }
        let left = announced - 1
        // What follows a cut report cannot be found.
        announced = 0
        let report = isExtended ? try extendedReport() : try legacyReport()
        announced = left
        return report
    }

    @_lifetime(copy self)
    @inlinable
    @inline(__always)
    mutating func legacyReport() throws(Truncation) -> LEAdvertisingReport {
        let header = try reader.take(Self.legacyHeaderLength)
        // Safe, here and below: the offsets are constants within the header, which is all there.
        let type = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt8.self)
        let addressType = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 1, as: UInt8.self)
        let low = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 2, as: UInt32.self).littleEndian
        let high = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 6, as: UInt16.self).littleEndian
        let length = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 8, as: UInt8.self)
        let data = try reader.take(Int(length))
        let rssi = try reader.int8()
        return LEAdvertisingReport(
            address: BluetoothAddress(low: low, high: high), addressType: BluetoothAddressType(rawValue: addressType),
            properties: AdvertisingProperties(legacyEventType: type), dataStatus: .complete, primaryPHY: 1,
            secondaryPHY: 0, sid: LEAdvertisingReport.noSID, transmitPower: LEAdvertisingReport.notAvailable,
            rssi: rssi,
            data: data)
    }

    @_lifetime(copy self)
    @usableFromInline
    mutating func extendedReport() throws(Truncation) -> LEAdvertisingReport {
        // The periodic interval and the destination of a directed advertisement have no meaning for presence.
        let header = try reader.take(Self.extendedHeaderLength)
        let type = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt16.self).littleEndian
        let addressType = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 2, as: UInt8.self)
        let low = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 3, as: UInt32.self).littleEndian
        let high = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 7, as: UInt16.self).littleEndian
        let primaryPHY = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 9, as: UInt8.self)
        let secondaryPHY = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 10, as: UInt8.self)
        let sid = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 11, as: UInt8.self)
        let transmitPower = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 12, as: Int8.self)
        let rssi = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 13, as: Int8.self)
        let length = unsafe header.unsafeLoadUnaligned(fromUncheckedByteOffset: 23, as: UInt8.self)
        let data = try reader.take(Int(length))
        return LEAdvertisingReport(
            address: BluetoothAddress(low: low, high: high), addressType: BluetoothAddressType(rawValue: addressType),
            properties: AdvertisingProperties(rawValue: type & AdvertisingProperties.mask),
            dataStatus: AdvertisingDataStatus(eventType: type), primaryPHY: primaryPHY, secondaryPHY: secondaryPHY,
            sid: sid, transmitPower: transmitPower, rssi: rssi, data: data)
    }

    /// The length of the fields before the data, with its length field.
    @usableFromInline static var legacyHeaderLength: Int { 9 }
    private static let extendedHeaderLength = 24
}

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
    @inlinable public var transmitPower: Int8? {
        let power = Int8(truncatingIfNeeded: packed >> 8)
        return power == Self.notAvailable ? nil : power
    }

    /// The signal strength in dBm; nil when the controller did not measure it, which still proves presence. Beside 127, that are 0
    /// and all values outside -127 to 20, which some controllers send in its place.
    @inlinable public var rssi: Int8? { RSSI.measured(Int8(truncatingIfNeeded: packed >> 16)) }

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
    @inlinable static var notAvailable: Int8 { 127 }
    @inlinable static var noSID: UInt8 { 0xFF }
}

/// The signal strength of a received packet, as radios report it.
@usableFromInline package enum RSSI {
    /// Returns the strength in dBm; `nil` for a value that no receiver measures.
    ///
    /// The specification has -127 to 20 dBm, and 127 for "not available" (Vol 4, Part E, Section 7.7.65.2). Some controllers
    /// send 0 or -128 instead: taken as a strength, 0 is the nearest that a beacon can be.
    @inlinable
    @inline(__always)
    package static func measured(_ value: Int8) -> Int8? {
        value == 0 || !(-127...20).contains(value) ? nil : value
    }
}
