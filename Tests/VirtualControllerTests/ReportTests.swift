import HCI
import OkaeriControllerEmulation
import Testing

@Suite struct ReportTests {
    @Test func `several reports go out in one event`() throws {
        var bench = try Bench(script: "batch 4\n\(home)")
        try bench.scan()
        bench.writeControl("send home count=10")
        #expect(bench.packets.map { $0[4] } == [4, 4])
        #expect(bench.reports.count == 8)
        // Those that are left go out after 50 ms.
        bench.run(for: 0.049)
        #expect(bench.packets.count == 2)
        bench.run(for: 0.001)
        #expect(bench.packets.map { $0[4] } == [4, 4, 2])
    }

    @Test(arguments: [(ControllerKind.legacy, 6), (.extended, 4)])
    func `an event holds no more than fits`(_ kind: ControllerKind, _ fitting: Int) throws {
        var bench = try Bench(kind, script: "batch 25\n\(home)")
        try bench.scan(kind)
        bench.writeControl("send home count=\(fitting * 3)")
        bench.run(for: 1)
        #expect(bench.packets.map { Int($0[4]) } == [fitting, fitting, fitting])
        #expect(bench.reports.count == fitting * 3)
    }

    @Test(arguments: [(ControllerKind.legacy, 25), (.extended, 10)])
    func `small reports fill the event to its limit`(_ kind: ControllerKind, _ limit: Int) throws {
        var bench = try Bench(kind, script: "batch 25\nraw tag data=")
        try bench.scan(kind)
        bench.writeControl("send tag count=\(limit + 1)")
        bench.run(for: 1)
        #expect(bench.packets.map { Int($0[4]) } == [limit, 1])
    }

    @Test func `what waits is lost with the scan`() throws {
        var bench = try Bench(script: "batch 4\n\(home)")
        try bench.scan()
        bench.writeControl("send home")
        try bench.status(HCICommand(LESetScanEnable(isEnabled: false)))
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
    }

    @Test func `a cut event ends in its last report`() throws {
        var bench = try Bench(script: "batch 3\n\(home)\ncut times=2")
        try bench.scan()
        bench.writeControl("send home count=9")
        let read = bench.packets.map(readReports)
        #expect(read.map(\.reports.count) == [2, 2, 3])
        #expect(read.map(\.isCut) == [true, true, false])
        // The event itself is well formed.
        #expect(bench.packets.allSatisfy { Int($0[2]) == $0.count - 3 })
        #expect(bench.log.count { $0 == "cut a report event" } == 2)
    }

    @Test func `long data comes in pieces`() throws {
        let long = [UInt8](repeating: 0xAB, count: 500)
        let digits = String(repeating: "AB", count: 500)
        var bench = try Bench(.extended, script: "raw poster data=\(digits)")
        try bench.scan(.extended)
        bench.writeControl("send poster")
        #expect(bench.reports.map(\.data.count) == [229, 229, 42])
        #expect(bench.reports.map(\.dataStatus) == [.incomplete, .incomplete, .complete])
        #expect(bench.reports.allSatisfy { $0.properties.isEmpty && $0.advertisingSID == 0 && $0.secondaryPHY == 1 })
        var assembler = ExtendedReportAssembler()
        var whole: [UInt8]?
        for packet in bench.packets {
            guard var reader = LEAdvertisingReports(packet.span.bytes) else { continue }
            while let report = try reader.next() {
                if let complete = assembler.assemble(report) { whole = AdvertisingReport(complete).data }
            }
        }
        #expect(whole == long)
    }

    @Test func `a legacy controller does not receive extended advertisements`() throws {
        var bench = try Bench(script: "raw poster data=\(String(repeating: "AB", count: 32))")
        try bench.scan()
        bench.writeControl("send poster")
        #expect(bench.reports.isEmpty)
        bench.writeControl("raw leaflet data=\(String(repeating: "AB", count: 31))")
        bench.writeControl("send leaflet")
        #expect(bench.reports.count == 1)
    }

    @Test func `the signal may be unknown`() throws {
        var bench = try Bench(script: "\(home) rssi=none")
        try bench.scan()
        bench.writeControl("send home")
        #expect(bench.packets.last?.last == 127)
        #expect(bench.log.last == "first advert home rssi=none")
    }

    @Test func `a raw packet is sent unchanged`() throws {
        var bench = try Bench()
        bench.forget()
        bench.writeControl("packet 04FF03010203")
        #expect(bench.packets == [[0x04, 0xFF, 0x03, 0x01, 0x02, 0x03]])
    }
}
