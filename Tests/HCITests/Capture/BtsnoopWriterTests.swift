import HCI
import Testing

struct BtsnoopWriterTests {
    @Test(arguments: [BtsnoopWriter.DataLink.h4, .monitor(adapter: 0), .monitor(adapter: 0xFFFF)])
    func `what is written is read again`(_ dataLink: BtsnoopWriter.DataLink) {
        let writer = BtsnoopWriter(dataLink: dataLink)
        var file: [UInt8] = []
        writer.appendHeader(to: &file)
        var written: [CaptureReading.Packet] = []
        let adapter: UInt16? = if case .monitor(let number) = dataLink { number } else { nil }
        for kind in HCIPacketType.allCases {
            for direction in CapturePacket.Direction.allCases {
                let payload = (0..<UInt8(written.count)).map { $0 &* 7 }
                let time = CaptureSample.time + Int64(written.count) * 1_000
                writer.append(kind, payload.span.bytes, time: time, direction: direction, to: &file)
                let stated: CapturePacket.Direction =
                    switch kind {
                    case .command: .hostToController
                    case .event: .controllerToHost
                    case .acl, .synchronous, .isochronous: direction
                    }
                written.append(
                    .init(time: time, kind: kind, direction: stated, adapter: adapter, payload: payload))
            }
        }
        let reading = CaptureReading(file, chunk: 10)
        #expect(reading.packets == written)
        #expect(reading.error == nil)
    }

    @Test func `the bytes are those of the hand-built file`() {
        var file: [UInt8] = []
        let (reset, report) = (CaptureSample.reset, CaptureSample.report)
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &file)
        writer.append(.command, reset.span.bytes, time: CaptureSample.time, to: &file)
        writer.append(.event, report.span.bytes, time: CaptureSample.time + 999, to: &file)
        #expect(
            file == CaptureSample.btsnoopHeader(1002)
                + CaptureSample.btsnoopRecord([1] + reset, flags: 2, CaptureSample.time)
                + CaptureSample.btsnoopRecord([4] + report, flags: 3, CaptureSample.time))
    }

    @Test(arguments: [-1, -1_000, -1_001, .min, .max])
    func `times before 1970 are rounded down, the farthest do not trap`(_ time: Int64) throws {
        var file: [UInt8] = []
        BtsnoopWriter().appendHeader(to: &file)
        let report = CaptureSample.report
        BtsnoopWriter().append(.event, report.span.bytes, time: time, to: &file)
        let read = try #require(CaptureReading(file).packets.first?.time)
        #expect(read <= time && time.subtractingReportingOverflow(read).partialValue < 1_000)
        #expect(read % 1_000 == 0 || read == .min)
    }

    @Test func `a packet longer than HCI's longest is shortened, and the record says so`() {
        let limit = CaptureReader.maximumRecordLength
        for count in [limit - 1, limit, limit + 1] {
            var file: [UInt8] = []
            BtsnoopWriter().appendHeader(to: &file)
            let payload = [UInt8](repeating: 9, count: count)
            BtsnoopWriter().append(.acl, payload.span.bytes, time: 0, to: &file)
            #expect(CaptureReading(file).packets.first?.payload.count == limit - 1)
            #expect(Array(file[16..<20]) == Endian.big.bytes(UInt32(count + 1)))
        }
    }
}
