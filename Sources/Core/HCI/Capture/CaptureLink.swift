/// The encapsulation of an HCI packet in a record.
enum CaptureLink: Sendable {
    /// The packet type, then the packet. The direction of data is unknown (pcap link type 187).
    case h4

    /// The same, and bit 0 of the flags gives the direction: set is controller to host (btsnoop 1002).
    case directedH4

    /// The packet alone; bit 0 of the flags gives the direction, bit 1 marks a command or event (btsnoop 1001).
    case h1

    /// The packet alone; the flags are the adapter's number and a ``MonitorOpcode`` (btsnoop 2001).
    case monitor

    /// ``directedH4`` behind 4 bytes of flags, big endian (pcap link type 201).
    case prefixedH4

    /// ``monitor`` behind 4 bytes of flags, big endian (pcap link type 254).
    case prefixedMonitor

    init(_ dataLink: Btsnoop.DataLink) {
        self =
            switch dataLink {
            case .h1: .h1
            case .h4: .directedH4
            case .monitor: .monitor
            }
    }

    /// The link of a pcap or pcapng link type, nil if it holds no HCI packets.
    init?(linkType: UInt32) {
        switch linkType {
        case 187: self = .h4
        case 201: self = .prefixedH4
        case 254: self = .prefixedMonitor
        default: return nil
        }
    }

    /// The packet in `record`, nil if there is none: a note of the monitor's, an unknown packet type, no byte at all.
    @inline(__always)
    func packet(in bytes: RawSpan, record: Range<Int>, flags: UInt32, time: Int64, offset: UInt64) -> CapturePacket? {
        var start = record.lowerBound
        var flags = flags
        switch self {
        case .prefixedH4, .prefixedMonitor:
            guard record.count >= 4 else { return nil }
            flags = ByteOrder.big.load(UInt32.self, from: bytes, at: start)
            start += 4
        case .h4, .directedH4, .h1, .monitor:
            break
        }

        let direction: CapturePacket.Direction = flags & 1 == 0 ? .hostToController : .controllerToHost
        switch self {
        case .h4, .directedH4, .prefixedH4:
            guard start < record.upperBound,
                let kind = HCIPacketType(rawValue: ByteOrder.big.load(UInt8.self, from: bytes, at: start))
            else { return nil }
            let stated: CapturePacket.Direction? = if case .h4 = self { nil } else { direction }
            return CapturePacket(
                time: time, kind: kind, direction: kind.impliedDirection ?? stated, adapter: nil,
                payload: start + 1..<record.upperBound, offset: offset)
        case .h1:
            let kind: HCIPacketType =
                flags & 2 == 0 ? .acl : direction == .hostToController ? .command : .event
            return CapturePacket(
                time: time, kind: kind, direction: direction, adapter: nil,
                payload: start..<record.upperBound, offset: offset)
        case .monitor, .prefixedMonitor:
            guard let opcode = MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: flags)) else { return nil }
            return CapturePacket(
                time: time, kind: opcode.kind, direction: opcode.direction, adapter: UInt16(flags >> 16),
                payload: start..<record.upperBound, offset: offset)
        }
    }
}
