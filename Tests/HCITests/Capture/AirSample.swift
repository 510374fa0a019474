import HCI
import Testing

/// Packets of the air as sniffers write them.
enum AirSample {
    enum Header: CaseIterable, Sendable {
        case bare
        case pseudoHeader
        case perPacketInformation
        case nordic0
        case nordic1
        case nordic3

        var linkType: UInt32 {
            switch self {
            case .bare: 251
            case .pseudoHeader: 256
            case .perPacketInformation: 192
            case .nordic0, .nordic1, .nordic3: 272
            }
        }

        /// Whether the header has the signal.
        var hasSignal: Bool { self != .bare }

        /// Whether the header has the result of the sniffer's check.
        var hasCheck: Bool { self != .bare && self != .perPacketInformation }

        /// The bytes in front of a packet on LE 1M.
        ///
        /// - Parameters:
        ///   - rssi: In dBm, 0 for none.
        ///   - isChecked: The result of the check, `nil` for none, if there is a place for it.
        ///   - auxiliary: The kind of a packet on a channel for data; `nil` for one of the advertising channels.
        func bytes(
            rssi: Int8, isChecked: Bool? = true, auxiliary: UInt8? = nil, count: Int = 60, phy: UInt8 = 0
        ) -> [UInt8] {
            let little = Endian.little
            let signal = UInt8(bitPattern: rssi)
            switch self {
            case .bare: return []
            case .pseudoHeader:
                var flags: UInt16 = 0x0011 | (rssi == 0 ? 0 : 0x0002) | UInt16(phy) << 14
                if let isChecked { flags |= isChecked ? 0x0C00 : 0x0400 }
                if let auxiliary { flags |= 0x0080 | UInt16(auxiliary) << 12 }
                return [39, signal, 0, 0] + accessAddress + little.bytes(flags)
            case .perPacketInformation:
                let other = little.bytes(UInt16(5)) + little.bytes(UInt16(3)) + [1, 2, 3]
                let field = little.bytes(UInt16(30_006)) + little.bytes(UInt16(12)) + [0, 38, 0, 0, 1, 2, 3, 4]
                let fields = other + field + [signal, signal, signal, rssi == 0 ? 0 : 1]
                return [0, 0] + little.bytes(UInt16(8 + fields.count)) + little.bytes(UInt32(251)) + fields
            case .nordic0, .nordic1, .nordic3:
                let kind = auxiliary.map { $0 << 1 } ?? 0
                let flags = (isChecked ?? true ? 1 : 0) | kind | phy << 4
                let about = [flags, auxiliary == nil ? 37 : 12, UInt8(-Int(rssi)), 7, 0, 1, 2, 3, 4]
                switch self {
                case .nordic0: return [0xBE, 0xEF, 0x06, 9, 0, 0, 0, UInt8(count)] + about
                case .nordic1: return [8, 6, UInt8(count), 1, 9, 0, 0x06, 10] + about
                default: return [8, UInt8(count), 0, 3, 9, 0, 0x02, 10] + about
                }
            }
        }
    }

    enum Checksum {
        case right
        case wrong
        case zero
        case absent
    }

    static let accessAddress: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E]
    static let address: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0xC6]

    /// A packet without its preamble.
    static func packet(_ header: UInt8, _ payload: [UInt8], checksum: Checksum = .right) -> [UInt8] {
        let pdu = [header, UInt8(payload.count)] + payload
        let trailer: [UInt8] =
            switch checksum {
            case .right: self.checksum(of: pdu)
            case .wrong: self.checksum(of: pdu).map { $0 ^ 0xFF }
            case .zero: [0, 0, 0]
            case .absent: []
            }
        return accessAddress + pdu + trailer
    }

    /// The specification's shift register, bit by bit: position 0 is where bits enter (Vol 6, Part B, 3.1.1).
    static func checksum(of bytes: [UInt8]) -> [UInt8] {
        var register = (0..<24).map { $0.isMultiple(of: 2) }
        for byte in bytes {
            for bit in 0..<8 {
                let feedback = register[23] != (byte >> bit & 1 == 1)
                register = [feedback] + register.dropLast()
                for tap in [1, 3, 4, 6, 9, 10] { register[tap] = register[tap] != feedback }
            }
        }
        // Position 23 is sent first; the first bit of a byte is its lowest.
        return (0..<3).map { byte in
            (0..<8).reduce(0) { $0 | (register[23 - 8 * byte - $1] ? 1 << UInt8($1) : 0) }
        }
    }
}

extension CaptureSample {
    /// Three packets of a sniffer: an advertisement, a request, and an advertisement that was damaged in the air.
    static func sniffer(_ header: AirSample.Header) -> CaptureSample {
        let data: [UInt8] = [2, 1, 6]
        let good = AirSample.packet(0x42, AirSample.address + data)
        let request = AirSample.packet(0xC3, AirSample.address + AirSample.address)
        let bad = AirSample.packet(0x42, AirSample.address + data, checksum: .wrong)
        let records = [
            header.bytes(rssi: -67) + good, header.bytes(rssi: -67) + request,
            header.bytes(rssi: -67, isChecked: false) + bad,
        ]
        let bytes = records.enumerated().flatMap { index, record in
            pcapRecord(.little, record, seconds: time / second + Int64(index), fraction: 123_456)
        }
        let rssi: UInt8 = header.hasSignal ? 0xBD : 127
        let event = [0x3E, 15, 0x02, 1, 0x03, 0x01] + AirSample.address + [3] + data + [rssi]
        return CaptureSample(
            name: "sniffer, \(header)", bytes: pcapHeader(.little, linkType: header.linkType) + bytes, format: .pcap,
            packets: [
                .init(time: time, kind: .event, direction: .controllerToHost, adapter: nil, payload: event)
            ], seams: 3)
    }

    static func packetLogger(_ endian: Endian) -> CaptureSample {
        let records: [(UInt8, [UInt8])] = [
            (0x00, reset), (0xFC, Array("note".utf8)), (0x01, report), (0x03, data),
        ]
        let seconds: [Int64] = [0, 1, 1, 2]
        let bytes = zip(records, seconds).flatMap { record, late in
            packetLoggerRecord(endian, record.0, record.1, time: time + late * second)
        }
        return CaptureSample(
            name: "PacketLogger, \(endian) endian", bytes: bytes, format: .packetLogger, packets: expected(), seams: 3)
    }

    static func packetLoggerRecord(_ endian: Endian, _ type: UInt8, _ packet: [UInt8], time: Int64) -> [UInt8] {
        endian.bytes(UInt32(9 + packet.count)) + endian.bytes(UInt32(time / second))
            + endian.bytes(UInt32(time % second / 1_000)) + [type] + packet
    }
}
