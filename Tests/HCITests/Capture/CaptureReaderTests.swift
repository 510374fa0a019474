import HCI
import Testing

struct CaptureReaderTests {
    @Test(arguments: CaptureSample.all)
    func `every format gives the packets that were put into it`(_ sample: CaptureSample) {
        let reading = CaptureReading(sample.bytes)
        #expect(reading.packets == sample.packets)
        #expect(reading.format == sample.format)
        #expect(reading.error == nil)
    }

    @Test(arguments: CaptureSample.all)
    func `pieces of any size give the same packets`(_ sample: CaptureSample) {
        let whole = CaptureReading(sample.bytes)
        for chunk in [1, 2, 3, 7, 16, 61, 200] {
            let reading = CaptureReading(sample.bytes, chunk: chunk)
            #expect(reading.packets == whole.packets)
            #expect(reading.records == whole.records)
            #expect(reading.skipped == whole.skipped)
            #expect(reading.error == nil)
        }
    }

    @Test(arguments: CaptureSample.all)
    func `cut anywhere, the packets before are read, and the missing length is reported`(_ sample: CaptureSample) throws
    {
        let whole = CaptureReading(sample.bytes)
        var seams = 0
        for length in 0..<sample.bytes.count {
            let reading = CaptureReading(Array(sample.bytes[..<length]), chunk: 64)
            let complete = whole.records.count { $0.upperBound <= UInt64(length) }
            #expect(reading.packets == Array(whole.packets[..<complete]))
            guard let error = reading.error else {
                seams += 1
                continue
            }
            #expect(error.offset <= UInt64(length))
            switch error.reason {
            case .tooShort(let bytes): #expect(bytes == length && length < 4)
            case .cut(let missing): #expect(missing > 0 && missing <= UInt64(sample.bytes.count - length))
            default: Issue.record("\(error) at \(length)")
            }
        }
        #expect(seams == sample.seams)
    }

    @Test func `a cut gives the start of the record and the missing part of its header, then of its bytes`() {
        let (start, header, end) = (43, 67, 81)
        for length in start + 1..<end {
            let error = CaptureReading(Array(CaptureSample.btsnoopH1.bytes[..<length])).error
            let missing = (length < header ? header : end) - length
            #expect(error == CaptureError(offset: UInt64(start), reason: .cut(missing: UInt64(missing))))
        }
        #expect(CaptureReading(Array(CaptureSample.btsnoopH1.bytes[..<end])).error == nil)
    }

    @Test func `what is not an HCI packet is counted`() throws {
        #expect(CaptureReading(CaptureSample.btsnoopH4.bytes).skipped?.otherRecords == 2)
        #expect(CaptureReading(CaptureSample.btsnoopMonitor.bytes).skipped?.otherRecords == 2)
        let skipped = try #require(CaptureReading(CaptureSample.pcapng(.big).bytes).skipped)
        #expect(skipped.otherLinkTypes == 1)
        #expect(skipped.withoutTime == 1)
        #expect(skipped.otherRecords == 0)
    }

    @Test func `monitor opcodes give kind and direction`() {
        let kinds: [HCIPacketType?] = [
            nil, nil, .command, .event, .acl, .acl, .synchronous, .synchronous, nil, nil, nil, nil, nil, nil, nil, nil,
            nil, nil, .isochronous,
            .isochronous,
            nil,
        ]
        for (opcode, kind) in kinds.enumerated() {
            let flags = 0x0203_0000 | UInt32(opcode)
            let packets = CaptureReading(
                CaptureSample.btsnoopHeader(2001) + CaptureSample.btsnoopRecord([1, 2], flags: flags, 0)
            ).packets
            #expect(packets.first?.kind == kind)
            guard let packet = packets.first else { continue }
            #expect(packet.adapter == 0x0203)
            let isSent = opcode == 2 || opcode != 3 && opcode % 2 == 0
            #expect(packet.direction == (isSent ? .hostToController : .controllerToHost))
        }
    }

    @Test func `the obsolete packet block is read`() {
        let endian = Endian.little
        let length = endian.bytes(15 as UInt32)
        let stamp = endian.bytes(UInt32(0)) + endian.bytes(7 as UInt32)
        let file =
            CaptureSample.sectionHeader(endian) + CaptureSample.interface(endian, 187)
            + CaptureSample.block(
                endian, 2, [0, 0, 9, 9] + stamp + length + length + [4] + CaptureSample.report)
        let reading = CaptureReading(file)
        #expect(reading.error == nil)
        #expect(reading.packets.map(\.payload) == [CaptureSample.report])
        #expect(reading.packets.map(\.time) == [7_000])
    }
}
