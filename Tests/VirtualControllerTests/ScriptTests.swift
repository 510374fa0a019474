import HCI
import OkaeriControllerEmulation
import Testing

/// The times at which a script's lines are carried out.
@Suite struct ScriptTests {
    @Test func `a wait holds the lines after it`() throws {
        var bench = try Bench(script: "log one\nwait 2.5s\nlog two\nwait 500ms\nlog three")
        #expect(bench.log.suffix(1) == ["one"])
        bench.run(for: 2.499)
        #expect(bench.log.last == "one")
        bench.run(for: 0.001)
        #expect(bench.log.last == "two")
        bench.run(for: 0.5)
        #expect(bench.log.last == "three")
        #expect(bench.emulation.nextDeadline == nil)
    }

    @Test func `waits do not drift`() throws {
        var bench = try Bench(script: "wait 1s\nwait 1s\nlog done")
        // The first wait is noticed late; the second ends in time all the same.
        bench.now += 1_900_000_000
        bench.actions += bench.emulation.advanced(to: bench.now)
        #expect(bench.emulation.nextDeadline == 3_000_000_000)
    }

    @Test func `a time is counted from the start`() throws {
        var bench = try Bench(script: "at 3s log late\nat 1s log soon\nwait 2s\nlog between\nat 1s log past")
        bench.forget()
        bench.run(for: 5)
        #expect(bench.log == ["soon", "between", "past", "late"])
    }

    @Test func `a long pause keeps the order`() throws {
        var bench = try Bench(script: "at 3s log late\nat 1s log soon\nwait 2s\nlog between")
        bench.forget()
        bench.now += 10_000_000_000
        bench.actions += bench.emulation.advanced(to: bench.now)
        #expect(bench.log == ["soon", "between", "late"])
    }

    @Test func `a live time is counted from the line`() throws {
        var bench = try Bench()
        bench.run(for: 10)
        bench.writeControl("at 2s log then")
        bench.writeControl("log now")
        bench.run(for: 1.9)
        #expect(bench.log.last == "now")
        bench.run(for: 0.1)
        #expect(bench.log.last == "then")
    }

    @Test func `sources do not wait for each other`() throws {
        var bench = try Bench(script: "wait 10s\nlog script")
        bench.writeControl("wait 1s")
        bench.writeControl("log control")
        #expect(!bench.log.contains("control"))
        bench.run(for: 1)
        #expect(bench.log.last == "control")
        bench.run(for: 9)
        #expect(bench.log.last == "script")
    }

    @Test func `a line may wait for the scan`() throws {
        var bench = try Bench(script: "wait scan\nwait 1s\nlog scanning\nwait no-scan\nlog over")
        bench.run(for: 60)
        #expect(!bench.log.contains("scanning"))
        try bench.scan()
        bench.run(for: 1)
        #expect(bench.log.last == "scanning")
        try bench.status(HCICommand(LESetScanEnable(isEnabled: false)))
        #expect(bench.log.suffix(2) == ["scan disabled", "over"])
    }

    @Test func `the signal follows its plan`() throws {
        var bench = try Bench(script: "\(home) interval=500ms\nstart home\nrssi home -80 none -60 every=1s")
        try bench.scan()
        bench.run(for: 4)
        #expect(bench.reports.map(\.rssi) == [-80, nil, nil, -60, -60, -60, -60, -60])
    }

    @Test func `starts and stops are counted`() throws {
        var bench = try Bench(script: "\(home) interval=100ms")
        try bench.scan()
        bench.writeControl("start home")
        bench.run(for: 1)
        bench.writeControl("stop home")
        bench.run(for: 1)
        #expect(bench.log == ["started home", "first advert home rssi=-70", "stopped home heard=11"])
        bench.forget()
        bench.writeControl("start home")
        #expect(bench.log == ["started home", "first advert home rssi=-70"])
    }

    @Test func `missed advertisements are not repeated`() throws {
        var bench = try Bench(script: "\(home) interval=100ms\nstart home")
        try bench.scan()
        bench.now += 10_050_000_000
        bench.actions += bench.emulation.advanced(to: bench.now)
        #expect(bench.reports.count == 1)
        #expect(bench.emulation.nextDeadline == bench.now + 50_000_000)
    }

    @Test func `a second description replaces the first`() throws {
        var bench = try Bench(script: "\(home)\nstart home\n\(home) rssi=-33")
        try bench.scan()
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
        bench.writeControl("send home")
        #expect(bench.reports.map(\.rssi) == [-33])
    }

    @Test func `addresses are made from names`() throws {
        var bench = try Bench(script: "raw a data=\nraw b data=\nraw c data= address-type=public")
        try bench.scan()
        bench.writeControl("send a")
        bench.writeControl("send b")
        bench.writeControl("send c")
        let reports = bench.reports
        #expect(Set(reports.map(\.address)).count == 3)
        #expect(reports.allSatisfy { $0.address.rawValue >> 46 == 0b11 })
        #expect(reports.map(\.addressType) == [.random, .random, .public])
    }

    @Test func `what cannot be carried out is logged`() throws {
        var bench = try Bench(script: home)
        bench.forget()
        bench.writeControl("start home house")
        bench.writeControl("stop")
        bench.writeControl("log still here")
        #expect(
            bench.log == [
                "error control:1: found the advertiser 'house', expected one of home",
                "error control:2: found stop without a name, expected a name",
                "still here",
            ])
    }

    @Test func `an instruction ends the program with its status`() throws {
        var bench = try Bench(script: "wait 1s\nquit 3")
        bench.forget()
        bench.run(for: 1)
        #expect(bench.actions == [.quit(status: 3)])
    }
}
