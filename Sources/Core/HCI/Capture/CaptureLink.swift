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

    /// A packet of the air, behind the header of a sniffer.
    case air(AirLink)

    init(_ dataLink: Btsnoop.DataLink) {
        self =
            switch dataLink {
            case .h1: .h1
            case .h4: .directedH4
            case .monitor: .monitor
            }
    }

    /// The link of a pcap or pcapng link type, nil if it holds neither HCI packets nor packets of the air.
    init?(linkType: UInt32) {
        switch linkType {
        case 187: self = .h4
        case 201: self = .prefixedH4
        case 254: self = .prefixedMonitor
        default:
            guard let air = AirLink(linkType: linkType) else { return nil }
            self = .air(air)
        }
    }

    /// Whether the link itself lacks what the flags of a pcapng packet have: the direction, or whether the checksum is wrong.
    var usesPacketFlags: Bool {
        switch self {
        case .h4, .air: true
        case .directedH4, .h1, .monitor, .prefixedH4, .prefixedMonitor: false
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
        case .air: return nil
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
        case .air: return nil
        }
    }
}

/// The order of an integer's bytes. Captures are written in the order of the machine that wrote them.
enum ByteOrder: Sendable {
    case little
    case big

    /// The integer at `offset`. The caller has checked that it is there; if not, this traps rather than reads outside.
    @inline(__always)
    func load<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, from bytes: RawSpan, at offset: Int) -> T {
        // Safe: the load checks the bounds, and every bit pattern is an integer.
        let raw = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
        return switch self {
        case .little: T(littleEndian: raw)
        case .big: T(bigEndian: raw)
        }
    }
}

/// The file formats a capture may have. The first bytes identify the format.
public enum CaptureFormat: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The format of `btmon -w`, Android and Okaeri itself.
    case btsnoop

    /// The format of tcpdump.
    case pcap

    /// The format of Wireshark and dumpcap.
    case pcapng

    /// The format of Apple's PacketLogger, `.pklg`.
    case packetLogger = "PacketLogger"

    public var description: String { rawValue }
}

/// One HCI packet of a capture: when, what and where its bytes lie. They stay where the caller has read them.
public struct CapturePacket: Hashable, Sendable {
    /// The time of capture: nanoseconds since the Unix epoch (1970-01-01 UTC), clamped to what 64 bits hold (the years
    /// 1677 to 2262). It is the file's: it may lie before 1970 and need not grow from packet to packet.
    public let time: Int64

    /// The type of the packet.
    public let kind: HCIPacketType

    /// The packet's direction; `nil` if the format does not give it and the kind does not imply it.
    public let direction: Direction?

    /// The number in `hciN`; `nil` if the format has none.
    public let adapter: UInt16?

    /// The range of its bytes in the bytes given to ``CaptureReader/next(in:at:)``. Always **without** the H4 packet
    /// type, which `kind` stands for: an event starts with its event code, whatever the format of the file.
    public let payload: Range<Int>

    /// The start of its record in the file, in bytes.
    public let offset: UInt64
}

extension CapturePacket {
    /// The direction in which a packet crosses HCI.
    public enum Direction: Hashable, Sendable, CaseIterable {
        /// Sent by the host: commands and data.
        case hostToController

        /// Received by the host: events and data.
        case controllerToHost
    }
}

extension HCIPacketType {
    /// Commands only go down and events only come up; data goes both ways.
    var impliedDirection: CapturePacket.Direction? {
        switch self {
        case .command: .hostToController
        case .event: .controllerToHost
        case .acl, .synchronous, .isochronous: nil
        }
    }
}

/// The records of the Linux Bluetooth monitor that are HCI packets (`HCI_MON_*` in the kernel's hci_mon.h). The others
/// report adapters that come and go, log lines and the management interface.
enum MonitorOpcode: UInt16 {
    case command = 2
    case event = 3
    case aclSent = 4
    case aclReceived = 5
    case scoSent = 6
    case scoReceived = 7
    case isoSent = 18
    case isoReceived = 19

    init(_ kind: HCIPacketType, _ direction: CapturePacket.Direction) {
        let sent = direction == .hostToController
        self =
            switch kind {
            case .command: .command
            case .event: .event
            case .acl: sent ? .aclSent : .aclReceived
            case .synchronous: sent ? .scoSent : .scoReceived
            case .isochronous: sent ? .isoSent : .isoReceived
            }
    }

    var kind: HCIPacketType {
        switch self {
        case .command: .command
        case .event: .event
        case .aclSent, .aclReceived: .acl
        case .scoSent, .scoReceived: .synchronous
        case .isoSent, .isoReceived: .isochronous
        }
    }

    var direction: CapturePacket.Direction {
        switch self {
        case .command, .aclSent, .scoSent, .isoSent: .hostToController
        case .event, .aclReceived, .scoReceived, .isoReceived: .controllerToHost
        }
    }
}

/// The numbers of the btsnoop format, version 1 (RFC 1761 with Bluetooth's data links and 64-bit time), big endian.
enum Btsnoop {
    /// `btsnoop` and a zero byte.
    static let identification: UInt64 = 0x6274_736E_6F6F_7000

    static let version: UInt32 = 1

    /// Identification, version and data link.
    static let headerLength = 16

    /// Original length, included length, flags, drops and time.
    static let recordHeaderLength = 24

    /// 1970-01-01 in microseconds since the format's own zero, midnight of 0000-01-01. (0x00E03AB44A676000, which
    /// turns up beside it in other sources, is 2000-01-01.)
    static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

    /// Nanoseconds since the Unix epoch, clamped.
    @inline(__always)
    static func nanoseconds(_ microseconds: Int64) -> Int64 {
        let (sinceEpoch, before) = microseconds.subtractingReportingOverflow(unixEpoch)
        if before { return .min }
        return sinceEpoch.multipliedClamped(by: 1_000)
    }

    /// The time stamp of a time in nanoseconds since the Unix epoch, rounded down.
    static func microseconds(_ nanoseconds: Int64) -> Int64 {
        // An arithmetic floor: times before 1970 must round the same way as those after.
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000)
        return quotient - (remainder < 0 ? 1 : 0) + unixEpoch
    }
}

extension Btsnoop {
    /// The format of a record's bytes.
    enum DataLink: UInt32, Sendable {
        /// HCI packets without their type; the flags imply it.
        case h1 = 1001

        /// HCI packets with their type in front.
        case h4 = 1002

        /// The Linux monitor: the flags hold an opcode and the adapter's number.
        case monitor = 2001
    }
}
