import HCI
import Testing

@Suite struct ExtendedReportAssemblerTests {
    private var assembler = ExtendedReportAssembler()

    /// Feeds reports through packets, as they come; what the assembler hands out.
    private mutating func assemble(_ reports: AdvertisingReport...) throws -> [AdvertisingReport] {
        var values: [AdvertisingReport] = []
        for report in reports {
            let packet = try HCIEvent.extendedAdvertisingReports([report]).packet()
            guard var iterator = LEAdvertisingReports(packet.span.bytes) else {
                Issue.record("no report event: \(packet)")
                continue
            }
            while let report = try iterator.next() {
                if let whole = assembler.assemble(report) { values.append(AdvertisingReport(whole)) }
            }
        }
        return values
    }

    @Test mutating func `complete reports pass`() throws {
        #expect(try assemble(.extendedSample()) == [.extendedSample()])
        #expect(assembler.waiting == 0)
    }

    @Test mutating func `fragments become one`() throws {
        let whole = try assemble(
            .extendedSample(status: .incomplete, data: [1, 2]), .extendedSample(status: .incomplete, data: [3]),
            .extendedSample(data: [4, 5]))
        #expect(whole == [try .extendedSample(data: [1, 2, 3, 4, 5])])
        #expect(assembler.waiting == 0)
    }

    @Test mutating func `advertisers and sets and scan responses are kept apart`() throws {
        var response = try AdvertisingReport.extendedSample(data: [9])
        response.properties = [.scannable, .scanResponse]
        let legacy = try AdvertisingReport.sample(data: [8])
        let whole = try assemble(
            .extendedSample(status: .incomplete, sid: 1, data: [1]),
            .extendedSample(status: .incomplete, sid: 2, data: [2]), response, legacy,
            .extendedSample(sid: 2, data: [22]), .extendedSample(sid: 1, data: [11]))
        #expect(
            whole == [
                response, legacy, try .extendedSample(sid: 2, data: [2, 22]),
                try .extendedSample(sid: 1, data: [1, 11]),
            ])
    }

    @Test mutating func `loss is reported`() throws {
        let whole = try assemble(
            .extendedSample(status: .incomplete, data: [1]), .extendedSample(status: .truncated, data: [2]))
        #expect(whole == [try .extendedSample(status: .truncated, data: [1, 2])])
        #expect(try assemble(.extendedSample(status: .truncated, data: [3])).map(\.data) == [[3]])
    }

    @Test(arguments: [(50, AdvertisingDataStatus.complete), (51, .truncated)])
    mutating func `data ends at the specification's limit`(_ last: Int, _ status: AdvertisingDataStatus) throws {
        let fragment = [UInt8](repeating: 1, count: 200)
        for _ in 0..<8 { _ = try assemble(.extendedSample(status: .incomplete, data: fragment)) }
        let whole = try assemble(.extendedSample(data: [UInt8](repeating: 2, count: last)))
        #expect(whole.map(\.data.count) == [ExtendedReportAssembler.maximumDataLength])
        #expect(whole.map(\.dataStatus) == [status])
    }

    @Test mutating func `the oldest advertiser makes room`() throws {
        let limit = UInt8(ExtendedReportAssembler.maximumAdvertisers)
        for sid in 0..<limit { _ = try assemble(.extendedSample(status: .incomplete, sid: sid, data: [sid])) }
        #expect(assembler.waiting == Int(limit))
        #expect(try assemble(.extendedSample(sid: 0, data: [99])).map(\.data) == [[0, 99]])
        for sid in [0, limit] { _ = try assemble(.extendedSample(status: .incomplete, sid: sid, data: [sid])) }
        #expect(assembler.waiting == Int(limit))
        #expect(try assemble(.extendedSample(sid: 1, data: [99])).map(\.data) == [[99]])
        #expect(try assemble(.extendedSample(sid: limit, data: [99])).map(\.data) == [[limit, 99]])
    }

    @Test mutating func `endless fragments take no more than the limit`() throws {
        for _ in 0..<1000 {
            _ = try assemble(.extendedSample(status: .incomplete, data: [UInt8](repeating: 1, count: 229)))
        }
        #expect(assembler.waiting == 1)
        #expect(try assemble(.extendedSample()).map(\.data.count) == [ExtendedReportAssembler.maximumDataLength])
    }
}
