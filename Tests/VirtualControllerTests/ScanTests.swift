import HCI
import IBeacon
import OkaeriControllerEmulation
import Testing

@Suite struct ScanTests {
    static let started = home + " rssi=-70 interval=100ms\nstart home"

    @Test(arguments: [ControllerKind.legacy, .extended])
    func `advertisements are reported while the scan is enabled`(_ kind: ControllerKind) throws {
        var bench = try Bench(kind, script: Self.started)
        bench.run(for: 1)
        #expect(bench.packets.isEmpty)
        try bench.scan(kind)
        bench.run(for: 1)
        #expect(bench.reports.count == 10)
        let report = try #require(bench.reports.first)
        #expect(report.address == BluetoothAddress("C0:11:22:33:44:55"))
        #expect(report.addressType == .random)
        #expect(report.properties == .legacy)
        #expect(report.rssi == -70)
        let frame = IBeaconFrame(advertisingData: report.data.span.bytes)
        #expect(frame?.identity.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/100/7")
        #expect(frame?.measuredPower == -59)
        #expect(bench.log == ["first advert home rssi=-70"])
        // The events are those of the commands.
        #expect(bench.packets.allSatisfy { $0[3] == (kind == .legacy ? 0x02 : 0x0D) })

        let disable =
            kind == .legacy
            ? HCICommand(LESetScanEnable(isEnabled: false)) : HCICommand(LESetExtendedScanEnable(isEnabled: false))
        bench.forget()
        #expect(try bench.status(disable) == .success)
        #expect(bench.log == ["scan disabled"])
        bench.forget()
        #expect(try bench.status(disable) == .success)
        #expect(bench.log.isEmpty)
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
    }

    @Test func `the scan is logged`() throws {
        var bench = try Bench()
        try bench.status(
            HCICommand(
                LESetScanParameters(
                    type: .active,
                    timing: .init(
                        interval: .init(units: 96), window: .init(units: 48)))))
        try bench.status(HCICommand(LESetScanEnable(isEnabled: true, filtersDuplicates: true)))
        #expect(bench.log.last == "scan enabled dup=1 active interval=96 window=48 (legacy)")
        try bench.status(HCICommand(Reset()))
        #expect(bench.log.suffix(2) == ["reset", "scan disabled by reset"])
        try bench.scan(.legacy)
        var extended = try Bench(.extended)
        try extended.status(HCICommand(LESetExtendedScanEnable(isEnabled: true)))
        #expect(extended.log.last == "scan enabled dup=0 passive interval=142 window=142 (extended)")
    }

    @Test(arguments: [ControllerKind.legacy, .extended])
    func `parameters are disallowed while scanning`(_ kind: ControllerKind) throws {
        var bench = try Bench(kind)
        try bench.scan(kind)
        let parameters =
            kind == .legacy ? HCICommand(LESetScanParameters()) : HCICommand(LESetExtendedScanParameters())
        #expect(try bench.status(parameters) == .commandDisallowed)
        try bench.status(HCICommand(Reset()))
        #expect(try bench.status(parameters) == .success)
    }

    @Test func `reset switches the scan off`() throws {
        var bench = try Bench(script: Self.started)
        try bench.scan()
        try bench.status(HCICommand(Reset()))
        bench.forget()
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
    }

    @Test func `masked events are not sent`() throws {
        var bench = try Bench(script: Self.started)
        try bench.scan()
        try bench.status(HCICommand(LESetEventMask(mask: ~LESetEventMask.advertisingReport)))
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
        try bench.status(HCICommand(LESetEventMask(mask: LESetEventMask.advertisingReport)))
        try bench.status(HCICommand(SetEventMask(mask: ~SetEventMask.leMeta)))
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
        try bench.status(HCICommand(SetEventMask(mask: SetEventMask.leMeta)))
        bench.run(for: 1)
        #expect(bench.reports.count == 10)
    }

    @Test(arguments: [ControllerKind.legacy, .extended])
    func `the duplicate filter goes by the address alone`(_ kind: ControllerKind) throws {
        var bench = try Bench(kind, script: Self.started)
        try bench.scan(kind, filtersDuplicates: true)
        bench.run(for: 1)
        bench.writeControl("rssi home -40")
        bench.run(for: 1)
        #expect(bench.reports.map(\.rssi) == [-70])
        bench.writeControl("address home C0:11:22:33:44:66")
        bench.run(for: 1)
        #expect(bench.reports.map(\.rssi) == [-70, -40])
        // The filter is empty when the scan is enabled again.
        let enable =
            kind == .legacy
            ? HCICommand(LESetScanEnable(isEnabled: true, filtersDuplicates: true))
            : HCICommand(LESetExtendedScanEnable(isEnabled: true, duplicateFilter: .on))
        try bench.status(enable)
        bench.run(for: 1)
        #expect(bench.reports.count == 3)
    }

    @Test func `a periodic filter reports once a period`() throws {
        var bench = try Bench(.extended, script: Self.started)
        try bench.unmask()
        let enable = LESetExtendedScanEnable(
            isEnabled: true, duplicateFilter: .onUntilNextPeriod, duration: 64, period: 1)
        #expect(try bench.status(HCICommand(enable)) == .success)
        bench.run(for: 3 * 1.28 - 0.01)
        #expect(bench.reports.count == 3)
        // It has to have a period, longer than the duration.
        for (duration, period): (UInt16, UInt16) in [(64, 0), (128, 1)] {
            let enable = LESetExtendedScanEnable(
                isEnabled: true, duplicateFilter: .onUntilNextPeriod, duration: duration, period: period)
            #expect(try bench.status(HCICommand(enable)) == .invalidParameters)
        }
    }

    @Test func `a scan with a duration ends`() throws {
        var bench = try Bench(.extended, script: Self.started)
        try bench.unmask()
        try bench.status(HCICommand(LESetExtendedScanEnable(isEnabled: true, duration: 50)))
        bench.forget()
        bench.run(for: 2)
        #expect(bench.reports.count == 4)
        #expect(bench.log.last == "scan timed out")
        #expect(try bench.packets.last == HCIEvent.leMeta(.scanTimeout, parameters: []).packet())
    }

    @Test func `the controller does not receive between periods`() throws {
        var bench = try Bench(.extended, script: Self.started)
        try bench.unmask()
        try bench.status(HCICommand(LESetExtendedScanEnable(isEnabled: true, duration: 32, period: 1)))
        bench.forget()
        bench.run(for: 1.27)
        #expect(bench.reports.count == 3)
        bench.run(for: 1.28)
        #expect(bench.reports.count == 6)
    }

    @Test(arguments: [ControllerKind.legacy, .extended])
    func `an advertisement between two scan windows is not received`(_ kind: ControllerKind) throws {
        var bench = try Bench(kind, script: home + " interval=20ms\nstart home")
        let timing = try ScanTiming(interval: ScanTime(milliseconds: 100), window: ScanTime(milliseconds: 50))
        try bench.scan(kind, timing: timing)
        let began = bench.now
        var phases: Set<Int64> = []
        while bench.now < began + 1_000_000_000 {
            bench.forget()
            bench.run(for: 0.01)
            if !bench.reports.isEmpty { phases.insert((bench.now - began) / 1_000_000 % 100) }
        }
        // The window of 50 ms, in steps of 10 ms.
        #expect(!phases.isEmpty && phases.allSatisfy { $0 <= 50 }, "\(phases.sorted())")
    }

    @Test func `a script can have advertisements received between the windows`() throws {
        var bench = try Bench(script: home + " interval=20ms\nstart home")
        try bench.scan(timing: .shared)
        bench.run(for: 4)
        let inWindows = bench.reports.count
        #expect((90...110).contains(inWindows), "half of 200")
        bench.forget()
        bench.writeControl("windows off")
        bench.run(for: 4)
        #expect(bench.reports.count == 200)
        bench.forget()
        bench.writeControl("windows on")
        bench.run(for: 4)
        #expect((90...110).contains(bench.reports.count))
    }

    @Test func `a random address must be set before it is used`() throws {
        var bench = try Bench()
        try bench.status(HCICommand(LESetScanParameters(ownAddressType: .random)))
        #expect(try bench.status(HCICommand(LESetScanEnable(isEnabled: true))) == .invalidParameters)
        _ = try bench.ask(0x2005, [1, 2, 3, 4, 5, 0xC0])
        #expect(try bench.status(HCICommand(LESetScanEnable(isEnabled: true))) == .success)
    }

    @Test func `the accept list is honoured`() throws {
        var bench = try Bench(script: Self.started)
        try bench.scan(policy: .acceptListOnly)
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
        let entry: [UInt8] = [1, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0]
        #expect(try bench.ask(0x2011, entry) == [HCIStatus.commandDisallowed.rawValue])
        try bench.status(HCICommand(LESetScanEnable(isEnabled: false)))
        #expect(try bench.ask(0x2011, entry) == [0])
        try bench.scan(policy: .acceptListOnly)
        bench.run(for: 1)
        #expect(bench.reports.count == 10)
    }

    @Test func `only an active scan asks for more`() throws {
        let script = """
            raw lamp data=020106 response=03FF0102 type=scannable rssi=-50 interval=1s
            raw tag data=0201060303AAFE interval=1s
            start lamp tag
            """
        var bench = try Bench(script: script)
        try bench.scan()
        bench.run(for: 0.5)
        #expect(bench.reports.count == 0)
        bench.run(for: 0.6)
        #expect(bench.reports.map(\.properties) == [[.legacy, .scannable], .legacy])
        try bench.status(HCICommand(LESetScanEnable(isEnabled: false)))
        try bench.scan(type: .active, filtersDuplicates: true)
        bench.run(for: 5)
        #expect(
            bench.reports.map(\.properties) == [
                [.legacy, .scannable], [.legacy, .scannable, .scanResponse], .legacy,
            ])
        #expect(bench.reports.map(\.data) == [[2, 1, 6], [3, 0xFF, 1, 2], [2, 1, 6, 3, 3, 0xAA, 0xFE]])
    }
}
