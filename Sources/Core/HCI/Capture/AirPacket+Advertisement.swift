import OkaeriPlumbing

/// The packets of the link layer (Bluetooth Core Specification 5.4, Vol 6, Part B, 2): access address, header, length, payload and
/// checksum.
extension AirPacket {
    /// The access address of every advertisement (2.1.2).
    private static let advertisingAccessAddress: UInt32 = 0x8E89_BED6

    /// Reads the packet behind the sniffer's header.
    func content(_ reader: inout ByteReader) throws(Truncation) -> AirLink.Content {
        if checksum == .wrong { return .wrongChecksum }
        if case .other = kind { return .other }
        guard try reader.littleEndian(UInt32.self) == Self.advertisingAccessAddress else { return .other }
        // The coding indicator.
        if phy == .leCoded { _ = try reader.uint8() }
        let (header, length) = (try reader.uint8(), try reader.uint8())
        let payload = try reader.take(Int(length))
        if checksum == .unchecked, reader.remaining >= LinkLayerChecksum.length {
            let stated = [UInt8](try reader.take(LinkLayerChecksum.length))
            let computed = LinkLayerChecksum.of([header, length] + [UInt8](payload))
            // A writer that does not have it leaves zeros.
            guard stated == computed || stated.allSatisfy({ $0 == 0 }) else { return .wrongChecksum }
        }
        let type: BluetoothAddressType = header & 0x40 == 0 ? .public : .random
        if header & 0x0F == 0x7 { return try extended(type, payload).map { .part($0) } ?? .other }
        guard let report = try report(header, type, payload), let event = report.event else { return .other }
        return .advertisement(event)
    }

    /// Returns the report of a legacy PDU; nil for a PDU that is not reported.
    ///
    /// - Parameter header: The first byte: the type of the PDU (2.3).
    private func report(
        _ header: UInt8, _ type: BluetoothAddressType, _ payload: RawSpan
    ) throws(Truncation) -> AdvertisingReport? {
        switch header & 0x0F {
        case 0x0: return try legacy(0x00, type, payload)
        case 0x1: return try legacy(0x01, type, payload.extracting(first: BluetoothAddress.length))
        case 0x2: return try legacy(0x03, type, payload)
        case 0x4: return try legacy(0x04, type, payload)
        case 0x6: return try legacy(0x02, type, payload)
        default: return nil
        }
    }

    /// ADV_IND, ADV_DIRECT_IND, ADV_NONCONN_IND, SCAN_RSP and ADV_SCAN_IND: the advertiser's address, then its data (2.3.1).
    ///
    /// - Parameter eventType: The PDU's number in a report.
    private func legacy(
        _ eventType: UInt8, _ type: BluetoothAddressType, _ payload: RawSpan
    ) throws(Truncation) -> AdvertisingReport {
        var reader = ByteReader(payload)
        let address = try reader.bluetoothAddress()
        return AdvertisingReport(
            address: address, addressType: type, properties: AdvertisingProperties(legacyEventType: eventType),
            rssi: rssi, data: [UInt8](try reader.take(reader.remaining)))
    }

    /// ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP and AUX_CHAIN_IND: a header with optional fields, then the data (2.3.4).
    ///
    /// - Returns: nil for periodic data, and for a PDU that only points to the next one.
    private func extended(_ type: BluetoothAddressType, _ payload: RawSpan) throws(Truncation) -> AirPart? {
        if case .auxiliary(.synchronization) = kind { return nil }
        var reader = ByteReader(payload)
        let first = try reader.uint8()
        var fields = ByteReader(try reader.take(Int(first & 0x3F)))
        let data = [UInt8](try reader.take(reader.remaining))
        let present = fields.remaining > 0 ? try fields.uint8() : 0
        let address = present & 0x01 != 0 ? try fields.bluetoothAddress() : nil
        if present & 0x02 != 0 { _ = try fields.take(BluetoothAddress.length) }
        // The constant tone.
        if present & 0x04 != 0 { _ = try fields.take(1) }
        // The identifier of the data, and the set's number in the upper four bits.
        let identifier = present & 0x08 != 0 ? try fields.littleEndian(UInt16.self) : nil
        let next = present & 0x10 != 0 ? try AirPart.Pointer(try fields.take(3)) : nil
        // The train of periodic advertising.
        if present & 0x20 != 0 { _ = try fields.take(18) }
        let power = present & 0x40 != 0 ? try fields.int8() : nil
        guard next == nil || !data.isEmpty else { return nil }

        let report = AdvertisingReport(
            address: address ?? BluetoothAddress(low: 0, high: 0), addressType: address == nil ? .anonymous : type,
            properties: properties(mode: first >> 6, isDirected: present & 0x02 != 0),
            primaryPHY: phy == .leCoded ? phy.rawValue : PHY.le1M.rawValue, secondaryPHY: phy.rawValue,
            advertisingSID: identifier.map { UInt8($0 >> 12) }, transmitPower: power, rssi: rssi, data: data)
        return AirPart(report: report, identifier: identifier, next: next, isContinuation: isContinuation)
    }

    private var isContinuation: Bool? {
        if case .auxiliary(let auxiliary) = kind { auxiliary == .chain } else { nil }
    }

    private func properties(mode: UInt8, isDirected: Bool) -> AdvertisingProperties {
        var properties: AdvertisingProperties = isDirected ? [.directed] : []
        if mode & 1 != 0 { properties.insert(.connectable) }
        if mode & 2 != 0 { properties.insert(.scannable) }
        if case .auxiliary(.scanResponse) = kind { properties.insert(.scanResponse) }
        return properties
    }
}

extension BluetoothAddress {
    /// The length of an address in a packet, in bytes.
    fileprivate static let length = 6
}

extension ByteReader {
    @_lifetime(self: copy self)
    fileprivate mutating func bluetoothAddress() throws(Truncation) -> BluetoothAddress {
        let low: UInt32 = try littleEndian()
        return BluetoothAddress(low: low, high: try littleEndian())
    }
}

extension AdvertisingReport {
    /// The event with which a controller reports this advertisement alone, from its event code on; nil if the data is too long.
    var event: [UInt8]? {
        let event =
            properties.contains(.legacy)
            ? try? HCIEvent.advertisingReports([self]) : try? HCIEvent.extendedAdvertisingReports([self])
        return (try? event?.packet()).map { Array($0.dropFirst()) }
    }
}

/// The checksum of a packet on an advertising channel (Vol 6, Part B, 3.1.1): x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1, the bits of a
/// byte from the lowest one on.
enum LinkLayerChecksum {
    /// Its length in bytes.
    static let length = 3

    /// The register's start, 0x555555, and the polynomial, both with their bits in the order of reception.
    private static let (start, polynomial): (UInt32, UInt32) = (0xAA_AAAA, 0xDA_6000)

    /// Returns the checksum of a header and payload, as it is sent.
    static func of(_ bytes: [UInt8]) -> [UInt8] {
        var register = start
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 0 ? 0 : polynomial) }
        }
        return Array([UInt8](littleEndian: register).prefix(length))
    }
}
