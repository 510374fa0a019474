import HCI
import Testing

struct CaptureErrorTests {
    typealias Sample = CaptureSample

    @Test func `a btsnoop record of the longest HCI packet is read, one byte more is refused`() {
        let limit = CaptureReader.maximumRecordLength
        let longest = [0x02] + [UInt8](repeating: 0x55, count: limit - 1)
        let good = CaptureReading(
            Sample.btsnoopHeader(1002) + Sample.btsnoopRecord(longest, flags: 0, 0), chunk: 4_096)
        #expect(good.packets.first?.payload.count == limit - 1)
        #expect(good.error == nil)

        let bad = CaptureReading(Sample.btsnoopHeader(1002) + Sample.btsnoopRecord(longest + [0], flags: 0, 0))
        #expect(bad.error == CaptureError(offset: 16, reason: .recordTooLong(UInt32(limit + 1))))
    }

    @Test(arguments: Endian.allCases)
    func `a pcap or pcapng record of the longest HCI packet is read, one byte more is refused`(_ endian: Endian) {
        let limit = CaptureReader.maximumRecordLength
        let longest = [0x02] + [UInt8](repeating: 0x55, count: limit - 1)
        let pcap = { Sample.pcapHeader(endian, linkType: 187) + Sample.pcapRecord(endian, $0, seconds: 0, fraction: 0) }
        let pcapng = {
            Sample.sectionHeader(endian) + Sample.interface(endian, 187) + Sample.enhanced(endian, 0, ticks: 0, $0)
        }
        for file in [pcap, pcapng] {
            #expect(CaptureReading(file(longest)).packets.first?.payload.count == limit - 1)
            let reason = CaptureReading(file(longest + [0])).error?.reason
            #expect(reason == .recordTooLong(UInt32(limit + 1)))
        }
    }

    @Test func `a packet's block may have so many bytes and no more, a block that is passed over any number`() {
        let endian = Endian.little
        let start = Sample.sectionHeader(endian) + Sample.interface(endian, 187)
        let packet = { (count: Int) in
            Sample.enhanced(endian, 0, ticks: 0, [4, 0x3E, 0x00, 0x00], options: [UInt8](repeating: 0, count: count))
        }
        let limit = CaptureReader.maximumBlockLength
        let good = CaptureReading(start + packet(limit - 36), chunk: 65_536)
        #expect(good.error == nil && good.packets.count == 1 && good.largestNeed == CaptureReader.largestNeed)
        let bad = CaptureReading(start + packet(limit - 32))
        #expect(bad.error == CaptureError(offset: 48, reason: .blockTooLong(UInt32(limit + 4))))
        let other = Sample.block(endian, 0x0BAD, [UInt8](repeating: 0, count: 3 * limit))
        let passed = CaptureReading(start + other + packet(0), chunk: 1_000)
        #expect(passed.error == nil && passed.packets.count == 1 && passed.largestNeed < 100)
    }

    @Test func `a section may describe so many interfaces and no more`() {
        let limit = CaptureReader.maximumInterfaces
        let start = Sample.sectionHeader(.big)
        let interfaces = (0..<limit).flatMap { _ in Sample.interface(.big, 187) }
        #expect(CaptureReading(start + interfaces).error == nil)
        let again = CaptureReading(start + interfaces + start + interfaces)
        #expect(again.error == nil)
        let reason = CaptureReading(start + interfaces + Sample.interface(.big, 187)).error?.reason
        #expect(reason == .tooManyInterfaces)
    }

    @Test func `a length of gigabytes is never asked for`() {
        let endian = Endian.little
        let huge = endian.bytes(0xFFFF_FFFC as UInt32)
        let start = Sample.sectionHeader(endian) + Sample.interface(endian, 187)
        let unknown = CaptureReading(start + endian.bytes(0x0BAD as UInt32) + huge + [1, 2, 3, 4])
        #expect(unknown.largestNeed < 100)
        #expect(unknown.error == CaptureError(offset: 48, reason: .cut(missing: 0xFFFF_FFFC - 12)))
        let packet = CaptureReading(start + endian.bytes(6 as UInt32) + huge + [0, 0, 0, 0])
        #expect(packet.error == CaptureError(offset: 48, reason: .blockTooLong(0xFFFF_FFFC)))
    }

    @Test(arguments: Endian.allCases)
    func `what is damaged is named`(_ endian: Endian) {
        let start = Sample.sectionHeader(endian) + Sample.interface(endian, 187)
        let packet = Sample.enhanced(endian, 0, ticks: 0, [4, 0x3E, 0x00, 0x00])
        func reason(_ file: [UInt8]) -> CaptureError.Reason? { CaptureReading(file).error?.reason }

        #expect(reason(start + packet.dropLast(4) + endian.bytes(40 as UInt32)) == .blockLengthsDiffer(36, 40))
        var beyond = packet
        beyond.replaceSubrange(20..<24, with: endian.bytes(5 as UInt32))
        #expect(reason(start + beyond) == .recordBeyondBlock(5, block: 36))
        let wrongInterface = Sample.enhanced(endian, 1, ticks: 0, [4])
        #expect(reason(start + wrongInterface) == .unknownInterface(1, of: 1))
        let odd = endian.bytes(6 as UInt32) + endian.bytes(35 as UInt32) + [0, 0, 0, 0]
        #expect(reason(start + odd) == .badBlockLength(35, shortest: 32))
        let short = endian.bytes(0x0BAD as UInt32) + endian.bytes(8 as UInt32) + endian.bytes(8 as UInt32)
        #expect(reason(start + short) == .badBlockLength(8, shortest: 12))
        let option = Sample.interface(endian, 187, options: endian.bytes(9 as UInt16) + endian.bytes(200 as UInt16))
        #expect(reason(Sample.sectionHeader(endian) + option) == .optionTooLong(9))
        var section = Sample.sectionHeader(endian)
        section.replaceSubrange(8..<12, with: [1, 2, 3, 4])
        #expect(reason(section) == .unknownByteOrder(0x0102_0304))
        #expect(reason(Sample.sectionHeader(endian, major: 2)) == .unknownVersion(.pcapng, major: 2, minor: 0))
        let pcap = Sample.pcapHeader(endian, linkType: 187, minor: 5)
        #expect(reason(pcap) == .unknownVersion(.pcap, major: 2, minor: 5))
    }

    @Test func `other files are recognized, with advice`() throws {
        func text(_ file: [UInt8]) -> String { CaptureReading(file).error?.description ?? "" }
        #expect(text([]).contains("empty"))
        #expect(text([1, 2, 3]).contains("3 bytes"))
        #expect(text(Array("PNG, or so".utf8)).contains("50 4e 47 2c"))
        #expect(text(Array("btsnot".utf8) + [0, 0]).contains("cut"))
        #expect(text(Array("btsnoot\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA]).contains("not a btsnoop"))
        #expect(text([0x1F, 0x8B, 8, 0]).contains("gunzip"))
        #expect(text(Sample.btsnoopHeader(1002, version: 2)).contains("version 2"))
        #expect(text(Sample.btsnoopHeader(1004)).contains("1004 (H5)"))
        #expect(text(Sample.pcapHeader(.big, linkType: 1)).contains("1 (Ethernet)"))
        let wireless = Sample.sectionHeader(.big) + Sample.interface(.big, 127) + Sample.interface(.big, 1)
        #expect(
            text(wireless + Sample.enhanced(.big, 0, ticks: 0, [1, 2])).contains("127 (IEEE 802.11 with radiotap)"))
        #expect(text(wireless).isEmpty)
    }
}
