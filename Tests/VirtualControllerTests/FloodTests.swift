import HCI
import IBeacon
import OkaeriControllerEmulation
import Testing

@Suite struct FloodTests {
    @Test func `every advertisement is reported`() throws {
        var bench = try Bench(script: "\(home) rssi=-77")
        try bench.scan()
        bench.writeControl("flood count=20000 addresses=5000 include=home")
        bench.run(for: 0)
        let reports = bench.reports
        #expect(reports.count == 20_000)
        #expect(Set(reports.map(\.address)).count == 5000)
        let ours = reports.filter { $0.address == BluetoothAddress("C0:11:22:33:44:55") }
        #expect(ours.count == 4)
        #expect(ours.allSatisfy { IBeaconFrame(advertisingData: $0.data.span.bytes)?.identity.major == 100 })
        #expect(reports.count { IBeaconFrame(advertisingData: $0.data.span.bytes) != nil } == 4)
        #expect(
            bench.log == [
                "flood started count=20000 addresses=5000", "first advert home rssi=-77",
                "flood done count=20000 heard=20000",
            ])
        #expect(bench.emulation.nextDeadline == nil)
    }

    @Test func `commands are answered in between`() throws {
        var bench = try Bench()
        try bench.scan()
        bench.writeControl("flood count=1000")
        #expect(bench.reports.count < 1000)
        #expect(try bench.status(HCICommand(LESetScanEnable(isEnabled: false))) == .success)
        bench.run(for: 0)
        #expect(bench.reports.count < 1000)
        #expect(bench.log.last == "flood done count=1000 heard=\(bench.reports.count)")
    }

    @Test func `the duplicate filter holds`() throws {
        var bench = try Bench()
        try bench.scan(filtersDuplicates: true)
        bench.writeControl("flood count=1000 addresses=10")
        bench.run(for: 0)
        #expect(bench.log.last == "flood done count=1000 heard=10")
    }

    @Test func `a rate is kept`() throws {
        var bench = try Bench()
        try bench.scan()
        bench.writeControl("flood count=300 addresses=7 rate=100")
        bench.run(for: 0.995)
        #expect(bench.reports.count == 100)
        bench.run(for: 2)
        #expect(bench.reports.count == 300)
        #expect(bench.log.last == "flood done count=300 heard=300")
    }

    @Test func `beacons are all different`() throws {
        var bench = try Bench(.extended, script: "batch 4")
        try bench.scan(.extended)
        bench.writeControl("flood count=500 addresses=250 kind=beacons")
        bench.run(for: 0)
        let frames = bench.reports.compactMap { IBeaconFrame(advertisingData: $0.data.span.bytes) }
        #expect(frames.count == 500)
        #expect(Set(frames.map(\.identity)).count == 250)
        #expect(bench.packets.count == 125)
    }

    @Test func `one flood runs at a time`() throws {
        var bench = try Bench()
        bench.forget()
        bench.writeControl("flood count=1000 rate=1")
        bench.writeControl("flood count=5")
        bench.writeControl("flood count=5 include=nobody")
        #expect(
            bench.log[1].hasPrefix(
                "error control:2: found a flood during a flood, expected the first to be done: 1 of 1000"))
        var other = try Bench()
        other.forget()
        other.writeControl("flood count=5 include=nobody")
        #expect(
            other.log == [
                "error control:1: found the advertiser 'nobody', expected it to be described first"
            ])
    }
}
