import HCI
import Testing

struct CaptureTimeTests {
    typealias Sample = CaptureSample

    @Test(
        arguments: [
            (0x00DC_DDB3_0F2F_8000, 0),
            (0x00E0_3AB4_4A67_6000, 946_684_800_000_000_000),
            (0x00DC_DDB3_0F2F_7FFF, -1_000),
            (0, .min), (.min, .min), (.max, .max),
        ] as [(Int64, Int64)])
    func `btsnoop counts from the year 0, and no time traps`(_ stamp: Int64, _ time: Int64) {
        let record = Sample.btsnoopRecord([4, 0], flags: 3, microseconds: stamp)
        #expect(CaptureReading(Sample.btsnoopHeader(1002) + record).packets.first?.time == time)
    }

    @Test(arguments: Endian.allCases)
    func `pcap's last second and largest fraction are read`(_ endian: Endian) {
        let last: Int64 = 4_294_967_295_000_000_000
        let record = Sample.pcapRecord(endian, [4, 0], seconds: 0xFFFF_FFFF, fraction: 0xFFFF_FFFF)
        let coarse = CaptureReading(Sample.pcapHeader(endian, linkType: 187) + record)
        #expect(coarse.packets.first?.time == last + 4_294_967_295_000)
        let fine = CaptureReading(Sample.pcapHeader(endian, linkType: 187, nanoseconds: true) + record)
        #expect(fine.packets.first?.time == last + 4_294_967_295)
    }

    @Test(
        arguments: [
            (0, 3, 3_000_000_000), (3, 5, 5_000_000), (6, 5, 5_000), (9, 5, 5), (12, 5_999, 5), (19, .max, 922_337_203),
            (30, .max, 0), (127, .max, 0), (0x80, 3, 3_000_000_000), (0x81, 3, 1_500_000_000),
            (0x8A, 1_024, 1_000_000_000), (0xFF, .max, 0), (0, .max, .max), (6, -1, .max),
        ] as [(UInt8, Int64, Int64)])
    func `pcapng's interfaces state their resolution`(_ resolution: UInt8, _ ticks: Int64, _ time: Int64) {
        for endian in Endian.allCases {
            let options = Sample.option(endian, 2, Array("hci0".utf8)) + Sample.option(endian, 9, [resolution])
            let file =
                Sample.sectionHeader(endian) + Sample.interface(endian, 187, options: options)
                + Sample.enhanced(endian, 0, ticks: ticks, [4, 0])
            #expect(CaptureReading(file).packets.first?.time == time)
        }
    }

    @Test(arguments: [(0, 1_000), (-1, -999_999_000), (.max, .max), (.min, .min)] as [(Int64, Int64)])
    func `pcapng's interfaces may shift their time`(_ offset: Int64, _ time: Int64) {
        let file =
            Sample.sectionHeader(.big)
            + Sample.interface(.big, 187, options: Sample.option(.big, 14, Endian.big.bytes(offset)))
            + Sample.enhanced(.big, 0, ticks: 1, [4, 0])
        #expect(CaptureReading(file).packets.first?.time == time)
    }
}
