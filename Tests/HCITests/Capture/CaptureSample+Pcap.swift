import HCI

extension CaptureSample {
    static func pcap(_ endian: Endian, linkType: UInt32, nanoseconds: Bool) -> CaptureSample {
        let fraction: Int64 = nanoseconds ? 1 : 1_000
        let bytes = framed(linkType).enumerated().flatMap { index, packet in
            let now = time + Int64(index) * second
            return pcapRecord(endian, packet, seconds: now / second, fraction: now % second / fraction)
        }
        return CaptureSample(
            name: "pcap \(linkType), \(endian) endian, \(nanoseconds ? "ns" : "µs")",
            bytes: pcapHeader(endian, linkType: linkType, nanoseconds: nanoseconds) + bytes,
            format: .pcap,
            packets: expected(
                adapter: linkType == 254 ? 1 : nil, dataDirection: linkType == 187 ? nil : .controllerToHost),
            seams: 3)
    }

    /// The three packets as a record of this link type holds them.
    static func framed(_ linkType: UInt32) -> [[UInt8]] {
        switch linkType {
        case 201: [[0, 0, 0, 0, 1] + reset, [0, 0, 0, 1, 4] + report, [0, 0, 0, 1, 2] + data]
        case 254: [[0, 1, 0, 2] + reset, [0, 1, 0, 3] + report, [0, 1, 0, 5] + data]
        default: [[1] + reset, [4] + report, [2] + data]
        }
    }

    static func pcapHeader(
        _ endian: Endian, linkType: UInt32, nanoseconds: Bool = false, minor: UInt16 = 4
    ) -> [UInt8] {
        endian.bytes(nanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4 as UInt32) + endian.bytes(2 as UInt16)
            + endian.bytes(minor) + endian.bytes(0 as UInt64) + endian.bytes(262_144 as UInt32)
            + endian.bytes(linkType)
    }

    static func pcapRecord(_ endian: Endian, _ packet: [UInt8], seconds: Int64, fraction: Int64) -> [UInt8] {
        endian.bytes(UInt32(seconds)) + endian.bytes(UInt32(fraction)) + endian.bytes(UInt32(packet.count))
            + endian.bytes(UInt32(packet.count)) + packet
    }
}

extension CaptureSample {
    /// Two sections of opposite byte order; three interfaces of different clocks, one of them Ethernet's; blocks and
    /// options to pass over.
    static func pcapng(_ endian: Endian) -> CaptureSample {
        let other: Endian = endian == .little ? .big : .little
        let micro = time / 1_000
        let flags = option(endian, 1, Array("up".utf8)) + option(endian, 2, endian.bytes(1 as UInt32))
        let bytes =
            sectionHeader(endian) + interface(endian, 1) + interface(endian, 187)
            + interface(endian, 201, options: option(endian, 9, [9]) + option(endian, 14, endian.bytes(-5 as Int64)))
            + block(endian, 0x0BAD, Array(repeating: 0xEE, count: 400))
            + enhanced(endian, 0, ticks: micro, Array(repeating: 0, count: 61))
            + enhanced(endian, 1, ticks: micro, framed(187)[0])
            + block(endian, 3, endian.bytes(4 as UInt32) + framed(187)[0])
            + enhanced(endian, 2, ticks: time + 6 * second, framed(201)[1])
            + sectionHeader(other) + interface(other, 187) + block(other, 5, other.bytes(0 as UInt64))
            + sectionHeader(endian) + interface(endian, 187)
            + enhanced(endian, 0, ticks: micro + 2_000_000, framed(187)[2], options: flags)
        return CaptureSample(
            name: "pcapng, \(endian) endian", bytes: bytes, format: .pcapng, packets: expected(), seams: 14)
    }

    static func block(_ endian: Endian, _ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        let padded = body + Array(repeating: 0, count: -body.count & 3)
        let length = endian.bytes(UInt32(padded.count + 12))
        return endian.bytes(type) + length + padded + length
    }

    static func sectionHeader(_ endian: Endian, major: UInt16 = 1) -> [UInt8] {
        block(
            endian, 0x0A0D_0D0A,
            endian.bytes(0x1A2B_3C4D as UInt32) + endian.bytes(major) + endian.bytes(0 as UInt16)
                + endian.bytes(-1 as Int64))
    }

    static func interface(_ endian: Endian, _ linkType: UInt16, options: [UInt8] = []) -> [UInt8] {
        block(endian, 1, endian.bytes(linkType) + [0, 0] + endian.bytes(262_144 as UInt32) + options)
    }

    static func option(_ endian: Endian, _ code: UInt16, _ value: [UInt8]) -> [UInt8] {
        endian.bytes(code) + endian.bytes(UInt16(value.count)) + value + Array(repeating: 0, count: -value.count & 3)
    }

    static func enhanced(
        _ endian: Endian, _ interface: UInt32, ticks: Int64, _ packet: [UInt8], options: [UInt8] = []
    ) -> [UInt8] {
        let stamp =
            endian.bytes(UInt32(truncatingIfNeeded: ticks >> 32)) + endian.bytes(UInt32(truncatingIfNeeded: ticks))
        let length = endian.bytes(UInt32(packet.count))
        return block(
            endian, 6,
            endian.bytes(interface) + stamp + length + length + packet + Array(repeating: 0, count: -packet.count & 3)
                + options)
    }
}
