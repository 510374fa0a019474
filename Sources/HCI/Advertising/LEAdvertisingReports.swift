/// The advertising reports of one event, one after another, without a copy.
///
///     if var reports = LEAdvertisingReports(packet) {
///         while let report = try reports.next() { … }
///     }
///
/// The specification draws the fields of several reports as arrays; controllers send, and Linux reads, report after
/// report.
public struct LEAdvertisingReports: ~Escapable {
    private var reader: ByteReader
    private let isExtended: Bool

    /// How many reports the event announces that were not read yet; 0 after an error.
    public private(set) var remaining: Int

    /// The reports of an H4 event packet; nil when it is no LE Advertising Report or LE Extended Advertising Report.
    ///
    /// A packet that is shorter than its own length field is read as far as it goes.
    @_lifetime(copy packet)
    public init?(_ packet: RawSpan) {
        // Safe: the bounds are checked.
        guard !packet.isEmpty,
            unsafe packet.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt8.self)
                == HCIPacketType.event.rawValue
        else { return nil }
        self.init(packet, eventAt: 1)
    }

    /// The same for an event without the H4 packet type, from its event code on.
    @_lifetime(copy event)
    public init?(event: RawSpan) {
        self.init(event, eventAt: 0)
    }

    @_lifetime(copy bytes)
    private init?(_ bytes: RawSpan, eventAt start: Int) {
        let parameters = start + Self.parameterOffset
        let firstReport = start + Self.headerLength
        guard bytes.byteCount >= firstReport else { return nil }
        // Safe: the guard has checked the bounds of all four.
        let head = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt32.self).littleEndian
        guard UInt8(truncatingIfNeeded: head) == HCIEventCode.leMeta.rawValue else { return nil }
        switch UInt8(truncatingIfNeeded: head >> 16) {
        case LESubevent.advertisingReport.rawValue: isExtended = false
        case LESubevent.extendedAdvertisingReport.rawValue: isExtended = true
        default: return nil
        }
        let announced = parameters + Int(UInt8(truncatingIfNeeded: head >> 8))
        guard announced >= firstReport else { return nil }
        remaining = Int(UInt8(truncatingIfNeeded: head >> 24))
        reader = ByteReader(bytes.extracting(first: announced))
        // Cannot fail: both bounds are at least the header.
        try? reader.skip(firstReport)
    }

    /// The next report, nil after the last one. A report that is cut throws, with its offset in the packet; there is no
    /// next one then.
    @_lifetime(copy self)
    public mutating func next() throws(Truncation) -> LEAdvertisingReport? {
        guard remaining > 0 else { return nil }
        let left = remaining - 1
        // What follows a cut report cannot be found.
        remaining = 0
        let report = isExtended ? try extendedReport() : try legacyReport()
        remaining = left
        return report
    }

    @_lifetime(copy self)
    @inline(__always)
    private mutating func legacyReport() throws(Truncation) -> LEAdvertisingReport {
        let type = try reader.uint8()
        let addressType = try reader.uint8()
        let low: UInt32 = try reader.littleEndian()
        let high: UInt16 = try reader.littleEndian()
        let length = Int(try reader.uint8())
        let data = try reader.take(length)
        let rssi = try reader.int8()
        return LEAdvertisingReport(
            address: BluetoothAddress(low: low, high: high), addressType: BluetoothAddressType(rawValue: addressType),
            properties: AdvertisingProperties(legacyEventType: type), dataStatus: .complete, primaryPHY: 1,
            secondaryPHY: 0, advertisingSID: nil, transmitPower: nil, rssi: LEAdvertisingReport.power(rssi), data: data)
    }

    @_lifetime(copy self)
    @inline(__always)
    private mutating func extendedReport() throws(Truncation) -> LEAdvertisingReport {
        let type: UInt16 = try reader.littleEndian()
        let addressType = try reader.uint8()
        let low: UInt32 = try reader.littleEndian()
        let high: UInt16 = try reader.littleEndian()
        let primaryPHY = try reader.uint8()
        let secondaryPHY = try reader.uint8()
        let sid = try reader.uint8()
        let transmitPower = try reader.int8()
        let rssi = try reader.int8()
        // The periodic interval and the address a directed advert is meant for say nothing about presence.
        try reader.skip(Self.periodicIntervalAndDirectAddress)
        let length = Int(try reader.uint8())
        let data = try reader.take(length)
        return LEAdvertisingReport(
            address: BluetoothAddress(low: low, high: high), addressType: BluetoothAddressType(rawValue: addressType),
            properties: AdvertisingProperties(rawValue: type & AdvertisingProperties.mask),
            dataStatus: AdvertisingDataStatus(eventType: type), primaryPHY: primaryPHY, secondaryPHY: secondaryPHY,
            advertisingSID: sid == LEAdvertisingReport.noSID ? nil : sid,
            transmitPower: LEAdvertisingReport.power(transmitPower), rssi: LEAdvertisingReport.power(rssi), data: data)
    }

    /// Event code, length, subevent, number of reports.
    private static let headerLength = 4
    private static let parameterOffset = 2
    private static let periodicIntervalAndDirectAddress = 2 + 1 + 6
}
