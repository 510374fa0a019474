import OkaeriPlumbing

/// The header that a sniffer puts in front of a packet of the air.
enum AirLink: Sendable {
    /// No header (link type 251, LINKTYPE_BLUETOOTH_LE_LL).
    case bare

    /// Channel, signal, noise, access address and flags (link type 256, LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR).
    case pseudoHeader

    /// The header of Nordic's nRF Sniffer (link type 272, LINKTYPE_NORDIC_BLE).
    case nordic

    /// Fields of any kind, and the link type of the packet (link type 192, LINKTYPE_PPI). Ubertooth writes it.
    case perPacketInformation

    /// The header of a pcap or pcapng link type, nil if it is not a sniffer's of Bluetooth LE.
    init?(linkType: UInt32) {
        switch linkType {
        case 192: self = .perPacketInformation
        case 251: self = .bare
        case 256: self = .pseudoHeader
        case 272: self = .nordic
        default: return nil
        }
    }

    /// The content of a sniffer's record.
    enum Content {
        /// The event with which a controller reports the advertisement, from its event code on.
        case advertisement([UInt8])

        /// A packet of an extended advertisement, which may have several.
        case part(AirPart)

        /// The packet was damaged in the air.
        case wrongChecksum

        /// A packet of another link layer than Bluetooth LE's.
        case otherLinkType(UInt32)

        /// A packet of a connection, a request, or a header that is cut.
        case other
    }

    func content(of bytes: RawSpan, _ record: Range<Int>) -> Content {
        var reader = ByteReader(bytes, record)
        do throws(Truncation) {
            return try content(&reader)
        } catch {
            return .other
        }
    }

    private func content(_ reader: inout ByteReader) throws(Truncation) -> Content {
        var packet = AirPacket()
        switch self {
        case .bare: break
        case .pseudoHeader: try packet.readPseudoHeader(&reader)
        case .nordic: try packet.readNordic(&reader)
        case .perPacketInformation:
            let linkType = try packet.readFields(&reader)
            switch linkType {
            // 147 is what Ubertooth wrote before Bluetooth LE had a number.
            case 147, 251: break
            case 256: try packet.readPseudoHeader(&reader)
            default: return .otherLinkType(linkType)
            }
        }
        return try packet.content(&reader)
    }
}

/// The properties of a packet that are in a sniffer's header, and not in the packet.
struct AirPacket {
    /// The result of the sniffer's check.
    enum Checksum {
        case right
        case wrong
        case unchecked
    }

    /// The PHY of the packet, as HCI numbers it.
    enum PHY: UInt8 {
        case le1M = 1
        case le2M = 2
        case leCoded = 3
    }

    /// The kind of the packet, which not every header has.
    enum Kind {
        case unknown
        case auxiliary(Auxiliary)
        /// A packet of a connection, a message of the sniffer, or anything else.
        case other
    }

    /// The kinds of packets on the channels for data that have one type in common (Core Specification, Vol 6, Part B, 2.3.4).
    enum Auxiliary: UInt8 {
        case advertisement = 0
        case chain = 1
        case synchronization = 2
        case scanResponse = 3
    }

    var rssi: Int8?
    var phy = PHY.le1M
    var checksum = Checksum.unchecked
    var kind = Kind.unknown

    /// Reads the 10 bytes of LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR.
    mutating func readPseudoHeader(_ reader: inout ByteReader) throws(Truncation) {
        _ = try reader.uint8()
        let signal = try reader.int8()
        // Noise, offences of the access address, and the access address that the sniffer waits for.
        _ = try reader.take(6)
        let flags: UInt16 = try reader.littleEndian()
        if flags & 0x0002 != 0 { rssi = RSSI.measured(signal) }
        if flags & 0x0400 != 0 { checksum = flags & 0x0800 != 0 ? .right : .wrong }
        phy = PHY(rawValue: UInt8(flags >> 14) + 1) ?? .le1M
        switch flags >> 7 & 7 {
        case 0: kind = .unknown
        case 1: kind = .auxiliary(Auxiliary(rawValue: UInt8(flags >> 12 & 3)) ?? .advertisement)
        default: kind = .other
        }
    }

    /// Reads the header of the nRF Sniffer: the board's number, 6 bytes of the serial link, 10 bytes about the packet. Version 0
    /// starts with BE EF instead, and has a length less (Wireshark, epan/dissectors/packet-nordic_ble.c).
    mutating func readNordic(_ reader: inout ByteReader) throws(Truncation) {
        let board = try reader.uint8()
        let link = try reader.take(6)
        let isLegacy = board == 0xBE && link[at: 0] == 0xEF
        var rest = 0
        if isLegacy {
            _ = try reader.uint8()
        } else {
            rest = max(0, Int(try reader.uint8()) - Self.nordicLength)
        }
        let (flags, channel, signal) = (try reader.uint8(), try reader.uint8(), try reader.uint8())
        // The event's counter, and the time.
        _ = try reader.take(6)
        _ = try reader.take(rest)
        // The sniffer writes the strength without its sign. 0 stands for no measurement.
        rssi = Int8(exactly: -Int(signal)).flatMap(RSSI.measured)
        checksum = flags & 1 != 0 ? .right : .wrong
        phy = PHY(rawValue: flags >> 4 & 7 + 1) ?? .le1M
        let (version, identifier) = isLegacy ? (0, link[at: 1]) : (link[at: 2], link[at: 5])
        switch (version, identifier) {
        case (0...2, 0x06): kind = .unknown
        case (3..., 0x02) where channel < Self.firstAdvertisingChannel:
            kind = .auxiliary(Auxiliary(rawValue: flags >> 1 & 3) ?? .advertisement)
        case (3..., 0x02): kind = .unknown
        default: kind = .other
        }
    }

    /// The usual length of the nRF Sniffer's fields about a packet, with their length itself.
    private static let nordicLength = 10

    /// The first of the channels 37 to 39, on which every advertisement begins.
    private static let firstAdvertisingChannel: UInt8 = 37

    /// Reads per-packet information: version, flags, length, link type, and then fields with their type and length.
    ///
    /// - Returns: The link type of the packet that follows.
    mutating func readFields(_ reader: inout ByteReader) throws(Truncation) -> UInt32 {
        _ = try reader.take(2)
        let length = Int(try reader.littleEndian(UInt16.self))
        let linkType: UInt32 = try reader.littleEndian()
        var fields = ByteReader(try reader.take(length - 8))
        while fields.remaining > 0 {
            let type: UInt16 = try fields.littleEndian()
            let count = Int(try fields.littleEndian(UInt16.self))
            let field = try fields.take(count)
            // Version, channel, clocks; then the strongest, the weakest and the mean signal.
            if type == Self.bluetoothField, count >= 12 { rssi = RSSI.measured(Int8(bitPattern: field[at: 10])) }
        }
        return linkType
    }

    /// The field of Ubertooth, "BTLE".
    private static let bluetoothField: UInt16 = 30_006
}

extension RawSpan {
    /// The byte at an offset, which the caller has checked; if not, this traps.
    fileprivate subscript(at offset: Int) -> UInt8 {
        // Safe: the load checks the bounds, and every bit pattern is an integer.
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}
