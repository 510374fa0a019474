import HCI
import Testing

/// Captures built by hand, one of every kind, all of the same packets where the format allows.
struct CaptureSample: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let format: CaptureFormat
    let packets: [CaptureReading.Packet]
    /// The number of lengths short of the whole that end between two records or blocks.
    let seams: Int

    var testDescription: String { name }

    /// 2023-11-14T22:13:20.123456Z.
    static let time: Int64 = 1_700_000_000_123_456_000
    static let second: Int64 = 1_000_000_000

    static let report: [UInt8] = [0x3E, 0x0C, 0x02, 0x01, 0x00, 0x00, 1, 2, 3, 4, 5, 6, 0x00, 0xC5]
    static let reset: [UInt8] = [0x03, 0x0C, 0x00]
    static let data: [UInt8] = [0x40, 0x20, 0x02, 0x00, 0xAA, 0xBB]

    static let all: [CaptureSample] =
        [btsnoopH4, btsnoopH1, btsnoopMonitor]
        + [Endian.little, .big].flatMap { endian in
            [
                pcap(endian, linkType: 187, nanoseconds: false), pcap(endian, linkType: 187, nanoseconds: true),
                pcap(endian, linkType: 201, nanoseconds: false), pcap(endian, linkType: 254, nanoseconds: true),
                pcapng(endian), packetLogger(endian),
            ]
        } + AirSample.Header.allCases.map(sniffer)

    /// The command, the event and the data of every sample, a second apart.
    static func expected(
        adapter: UInt16? = nil, dataDirection: CapturePacket.Direction? = .controllerToHost
    ) -> [CaptureReading.Packet] {
        [
            .init(time: time, kind: .command, direction: .hostToController, adapter: adapter, payload: reset),
            .init(time: time + second, kind: .event, direction: .controllerToHost, adapter: adapter, payload: report),
            .init(time: time + 2 * second, kind: .acl, direction: dataDirection, adapter: adapter, payload: data),
        ]
    }
}

extension CaptureSample {
    static let btsnoopH4 = CaptureSample(
        name: "btsnoop 1002",
        bytes: btsnoopHeader(1002) + btsnoopRecord([0x01] + reset, flags: 2, time)
            + btsnoopRecord([0x04] + report, flags: 3, time + second)
            + btsnoopRecord([0x07, 0xFF], flags: 0, time + second) + btsnoopRecord([], flags: 0, time + second)
            + btsnoopRecord([0x02] + data, flags: 1, time + 2 * second),
        format: .btsnoop, packets: expected(), seams: 5)

    static let btsnoopH1 = CaptureSample(
        name: "btsnoop 1001",
        bytes: btsnoopHeader(1001) + btsnoopRecord(reset, flags: 2, time)
            + btsnoopRecord(report, flags: 3, time + second) + btsnoopRecord(data, flags: 1, time + 2 * second),
        format: .btsnoop, packets: expected(), seams: 3)

    static let btsnoopMonitor = CaptureSample(
        name: "btsnoop 2001",
        bytes: btsnoopHeader(2001) + btsnoopRecord([0, 0, 1, 2, 3, 4, 5, 6], flags: 0x0001_0000, time)
            + btsnoopRecord(reset, flags: 0x0001_0002, time)
            + btsnoopRecord(report, flags: 0x0001_0003, time + second)
            + btsnoopRecord(Array("note".utf8), flags: 0xFFFF_000C, time + second)
            + btsnoopRecord(data, flags: 0x0001_0005, time + 2 * second),
        format: .btsnoop, packets: expected(adapter: 1), seams: 5)

    static func btsnoopHeader(_ dataLink: UInt32, version: UInt32 = 1) -> [UInt8] {
        Array("btsnoop\0".utf8) + Endian.big.bytes(version) + Endian.big.bytes(dataLink)
    }

    static func btsnoopRecord(_ bytes: [UInt8], flags: UInt32, _ time: Int64) -> [UInt8] {
        btsnoopRecord(bytes, flags: flags, microseconds: 0x00DC_DDB3_0F2F_8000 + time / 1_000)
    }

    static func btsnoopRecord(_ bytes: [UInt8], flags: UInt32, microseconds: Int64) -> [UInt8] {
        Endian.big.bytes(UInt32(bytes.count)) + Endian.big.bytes(UInt32(bytes.count)) + Endian.big.bytes(flags)
            + Endian.big.bytes(UInt32(0)) + Endian.big.bytes(microseconds) + bytes
    }
}

/// Writes integers in one byte order.
enum Endian: String, CaseIterable, Sendable {
    case little
    case big

    func bytes<T: FixedWidthInteger>(_ integer: T) -> [UInt8] {
        let little = stride(from: 0, to: T.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: integer >> $0) }
        return self == .little ? little : little.reversed()
    }
}
