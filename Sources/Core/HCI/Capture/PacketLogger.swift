/// The records of Apple's PacketLogger, which have no header of the file in front:
///
///     length, 4 | seconds, 4 | microseconds, 4 | type, 1 | packet
///
/// The length counts the bytes that follow it. The integers are in the order of the machine that wrote the file, which the first length
/// shows (Wireshark, wiretap/packetlogger.c).
enum PacketLogger {
    /// The bytes before the packet.
    static let headerLength = 13

    /// The bytes that the length counts beside the packet.
    static let countedLength: UInt32 = 9

    /// The length that no first record reaches; it distinguishes the two orders of bytes.
    private static let lengthLimit: UInt32 = 1 << 16

    /// The content of a record.
    enum PacketType: UInt8 {
        case command = 0x00
        case event = 0x01
        case aclSent = 0x02
        case aclReceived = 0x03
        case scoSent = 0x08
        case scoReceived = 0x09
        case linkManagerSent = 0x0A
        case linkManagerReceived = 0x0B
        case systemLog = 0xF7
        case kernel = 0xF8
        case kernelDebug = 0xF9
        case error = 0xFA
        case power = 0xFB
        case note = 0xFC
        case configuration = 0xFD
        case newController = 0xFE

        /// The HCI packet, nil for another record.
        var packet: (kind: HCIPacketType, direction: CapturePacket.Direction)? {
            switch self {
            case .command: (.command, .hostToController)
            case .event: (.event, .controllerToHost)
            case .aclSent: (.acl, .hostToController)
            case .aclReceived: (.acl, .controllerToHost)
            case .scoSent: (.synchronous, .hostToController)
            case .scoReceived: (.synchronous, .controllerToHost)
            default: nil
            }
        }
    }

    /// The order of bytes in which `magic`, the first four bytes, is the length of a record; nil if neither order makes a length.
    static func order(_ magic: UInt32) -> ByteOrder? {
        if (countedLength..<lengthLimit).contains(magic) { return .big }
        return (countedLength..<lengthLimit).contains(magic.byteSwapped) ? .little : nil
    }

    /// Whether the first record, whose header is all there, may be one: its time and its type are possible.
    static func isRecord(in bytes: RawSpan, at position: Int, _ order: ByteOrder) -> Bool {
        order.load(UInt32.self, from: bytes, at: position + 8) < 1_000_000
            && PacketType(rawValue: order.load(UInt8.self, from: bytes, at: position + 12)) != nil
    }
}

extension CaptureReader {
    mutating func nextPacketLogger(
        _ order: ByteOrder, in bytes: RawSpan, at position: inout Int
    ) throws(CaptureError) -> CaptureStep {
        while true {
            let available = bytes.byteCount - position
            guard available >= PacketLogger.headerLength else { return needsMore(PacketLogger.headerLength) }

            let counted = order.load(UInt32.self, from: bytes, at: position)
            guard counted >= PacketLogger.countedLength else { throw error(.recordTooShort(counted)) }
            let included = counted - PacketLogger.countedLength
            guard included <= UInt32(Self.maximumRecordLength) else { throw error(.recordTooLong(included)) }
            let length = PacketLogger.headerLength + Int(included)
            guard available >= length else { return needsMore(length) }

            let packet = packetLoggerPacket(order, in: bytes, at: position, length: length)
            advance(&position, by: length)
            if let packet { return .packet(packet) }
            skipped.otherRecords += 1
        }
    }

    private func packetLoggerPacket(
        _ order: ByteOrder, in bytes: RawSpan, at position: Int, length: Int
    ) -> CapturePacket? {
        let type = PacketLogger.PacketType(rawValue: order.load(UInt8.self, from: bytes, at: position + 12))
        guard let packet = type?.packet else { return nil }
        // 32 bits of seconds and 32 of microseconds: 64 hold every sum in nanoseconds.
        let seconds = Int64(order.load(UInt32.self, from: bytes, at: position + 4))
        let microseconds = Int64(order.load(UInt32.self, from: bytes, at: position + 8))
        return CapturePacket(
            time: seconds * 1_000_000_000 + microseconds * 1_000, kind: packet.kind, direction: packet.direction,
            adapter: nil, payload: position + PacketLogger.headerLength..<position + length, offset: offset)
    }
}
