import Glibc
import HCI
import OkaeriBluetooth
import Testing

/// A controller that answers commands and receives nothing any more.
@Suite(.timeLimit(.minutes(5))) struct DeafnessTests {
    var bench = MachineBench(parameters: .repairing)
    private let cycle: MachineBench.Actions = [.powerCycle(MachineBench.adapter)]

    /// Lets probes pass that bring nothing.
    private mutating func probe(after seconds: [Int]) {
        for seconds in seconds {
            #expect(bench.pass(.seconds(seconds)) == [.send(.disable)])
            #expect(bench.rearm() == [])
        }
    }

    /// Scans with a first report.
    private mutating func scan(silenceLimit: Duration?) {
        bench.scan()
        bench.report()
        bench.machine.silenceLimit = silenceLimit
    }

    /// The power cycle has succeeded; returns what follows up to the new scan.
    private mutating func comeBack() -> MachineBench.Actions {
        let actions = bench.machine.powerCycled(MachineBench.adapter, at: bench.now)
        #expect(bench.device(.down) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [])
        #expect(bench.device(.up) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
        #expect(bench.machine.scanSocketOpened(at: bench.now) == [.send(.identify)])
        #expect(bench.reply(.readLocalSupportedCommands, .legacy) == [.send(.disable)])
        #expect(bench.rearm() == [.update(.working), .listening(.shared)])
        return actions
    }

    /// The state is still that of an adapter that works.
    private func expectRepair(_ actions: MachineBench.Actions, says reason: String) {
        #expect(actions.others == [.listening(nil), .closeScanSocket])
        #expect(actions.states == [.poweredOn])
        #expect(actions.reasons.contains(reason))
    }

    @Test mutating func `where reports are expected, the adapter is switched off and on after one fruitless probe`() {
        scan(silenceLimit: .seconds(10))
        probe(after: [10])
        #expect(bench.pass(.seconds(20)) == cycle)
        expectRepair(comeBack(), says: "switched off and on")
        bench.report()
        #expect(bench.pass(.seconds(10)) == [.send(.disable)])
    }

    @Test mutating func `a controller that stays deaf after a power cycle is reported until a report comes in`() {
        scan(silenceLimit: .seconds(10))
        probe(after: [10])
        #expect(bench.pass(.seconds(20)) == cycle)
        _ = comeBack()
        let deaf = bench.pass(.seconds(10))
        #expect(deaf.others == [.listening(nil), .send(.disable)])
        #expect(deaf.states == [.resetting])
        #expect(deaf.reasons.contains("did not help"))
        #expect(bench.rearm() == [], "its answers do not prove that it receives")
        probe(after: [20, 40, 80, 120, 120])
        // During a probe, too.
        #expect(bench.pass(.seconds(120)) == [.send(.disable)])
        #expect(bench.report() == [.update(.working), .listening(.shared)])
        #expect(bench.rearm() == [])
        #expect(bench.report() == [])
    }

    @Test mutating func `the limit puts the power cycle off`() {
        scan(silenceLimit: .seconds(31))
        probe(after: [10, 20])
        #expect(bench.pass(.seconds(40)) == cycle)
    }

    @Test mutating func `where silence is normal, the power cycle comes after two minutes, and once`() {
        scan(silenceLimit: nil)
        probe(after: [10, 20, 40])
        #expect(bench.pass(.seconds(80)) == cycle)
        expectRepair(comeBack(), says: "that is not a fault")
        probe(after: [10, 20, 40, 80] + Array(repeating: 120, count: 60))
    }

    @Test mutating func `a controller that never received anything is not switched off`() {
        bench.scan()
        probe(after: [10, 20, 40, 80, 120, 120])
    }

    @Test(arguments: [nil, .seconds(10)] as [Duration?])
    mutating func `a power cycle is not repeated within an hour`(silenceLimit: Duration?) {
        scan(silenceLimit: silenceLimit)
        var cycles: [Int64] = []
        while cycles.count < 2, bench.now < 10_000_000_000_000 {
            bench.now = bench.machine.nextDeadline ?? .max
            let actions = bench.machine.advanced(to: bench.now)
            if actions == cycle {
                cycles.append(bench.now)
                _ = comeBack()
                bench.report()
            } else {
                #expect(actions.contains(.send(.disable)))
                _ = bench.rearm()
            }
        }
        #expect(cycles.count == 2)
        let pause = Duration.nanoseconds((cycles.last ?? 0) - (cycles.first ?? 0))
        #expect(pause >= .seconds(3600) && pause <= .seconds(3730))
    }

    @Test mutating func `a scanner that does not switch adapters reports a deaf one`() {
        bench = MachineBench()
        scan(silenceLimit: .seconds(10))
        probe(after: [10])
        let deaf = bench.pass(.seconds(20))
        #expect(deaf.others == [.listening(nil), .send(.disable)])
        #expect(deaf.reasons.contains("this program does not switch it"))
    }

    @Test mutating func `the scan of another program is not interrupted`() {
        scan(silenceLimit: nil)
        _ = bench.foreign(.disable)
        #expect(bench.foreign(.enable) == [.listening(.shared)])
        var reports: [String] = []
        for _ in 0..<8 {
            bench.now = bench.machine.nextDeadline ?? .max
            let actions = bench.machine.advanced(to: bench.now)
            #expect(actions.others == [.send(.enable)])
            reports += actions.states.map { "\($0) \(actions.reasons)" }
            _ = bench.reply(.leSetScanEnable)
        }
        #expect(reports.count == 1)
        #expect(reports.first?.hasPrefix("poweredOn") == true)
        #expect(reports.first?.contains("while another program scans") == true)
    }

    @Test mutating func `a power cycle that is refused leaves the scan on, and is reported once`() {
        scan(silenceLimit: nil)
        probe(after: [10, 20, 40])
        #expect(bench.pass(.seconds(80)) == cycle)
        let busy = KernelError(.switchOff, code: EBUSY)
        let refused = bench.machine.powerCycleFailed(MachineBench.adapter, busy, at: bench.now)
        #expect(refused.others == [.send(.disable)])
        #expect(refused.states == [.poweredOn])
        #expect(refused.reasons.contains("its connections would end"))
        #expect(bench.rearm() == [.update(.working)])
        bench.report()
        #expect(bench.pass(.seconds(10)) == [.send(.disable)])
        #expect(bench.rearm() == [])
        // Not again with the next departure.
        probe(after: [20, 40, 80, 120])
    }

    @Test mutating func `where reports are expected, a refused power cycle makes the state unknown`() {
        scan(silenceLimit: .seconds(10))
        probe(after: [10])
        #expect(bench.pass(.seconds(20)) == cycle)
        let failure = KernelError(.switchOff, code: EPERM)
        let deaf = bench.machine.powerCycleFailed(MachineBench.adapter, failure, at: bench.now)
        #expect(deaf.others == [.listening(nil), .send(.disable)])
        #expect(deaf.states == [.resetting])
        #expect(deaf.reasons.contains("CAP_NET_ADMIN"))
        #expect(bench.rearm() == [])
        #expect(bench.pass(.seconds(40)) == cycle, "the reason may be gone")
    }

    @Test mutating func `an adapter that does not come back is reported, and switched on again as soon as it can be`() {
        scan(silenceLimit: nil)
        probe(after: [10, 20, 40])
        #expect(bench.pass(.seconds(80)) == cycle)
        let failure = KernelError(.switchOn, code: ETIMEDOUT)
        _ = bench.machine.powerCycleFailed(MachineBench.adapter, failure, at: bench.now)
        #expect(bench.device(.down) == [.listening(nil), .closeScanSocket, .inspectAdapters])
        let off = Adapter(index: 0, name: "hci0", isUp: false)
        #expect(bench.machine.adaptersInspected([off], at: bench.now).states == [.poweredOff])
        for _ in 0..<3 {
            bench.now = bench.machine.nextDeadline ?? .max
            #expect(bench.machine.advanced(to: bench.now) == [.powerCycle(off)])
            #expect(bench.machine.powerCycleFailed(MachineBench.adapter, failure, at: bench.now) == [])
        }
        bench.now = bench.machine.nextDeadline ?? .max
        #expect(bench.machine.advanced(to: bench.now) == [.powerCycle(off)])
        #expect(bench.machine.powerCycled(MachineBench.adapter, at: bench.now) == [])
        #expect(bench.device(.up) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
    }

    @Test mutating func `a process that was stopped for a while receives first what is waiting`() {
        scan(silenceLimit: .seconds(10))
        bench.now += 200_000_000_000
        #expect(bench.machine.advanced(to: bench.now) == [.send(.disable)])
        bench.report()
        #expect(bench.rearm() == [])
        #expect(bench.pass(.seconds(10)) == [.send(.disable)])
    }

    @Test mutating func `holding the scan while the controller is deaf changes nothing`() {
        scan(silenceLimit: .seconds(10))
        probe(after: [10])
        _ = bench.pass(.seconds(20))
        _ = bench.machine.powerCycleFailed(MachineBench.adapter, KernelError(.switchOff, code: EBUSY), at: bench.now)
        _ = bench.rearm()
        #expect(bench.machine.held(at: bench.now) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [])
        #expect(bench.machine.released(at: bench.now) == [.send(.disable)])
        #expect(bench.rearm() == [])
        #expect(bench.report() == [.update(.working), .listening(.shared)])
    }

    @Test func `the scanner has the kernel switch a deaf adapter off and on, and receives again`() throws {
        var parameters = ScannerParameters.unhurried
        parameters.powerCyclePeriod = .seconds(3600)
        parameters.quietPeriod = .milliseconds(100)
        parameters.quietPeriodLimit = .milliseconds(100)
        parameters.normalSilence = .milliseconds(300)
        let bench = try ScannerBench(parameters: parameters)
        let deaf = try bench.scanning()
        let address = try #require(BluetoothAddress("C0:FF:EE:12:34:56"))
        let report = AdvertisingReport(address: address, rssi: -50, data: [0x02, 0x01, 0x06])
        try deaf.send(.advertisingReports([report]))
        try bench.expect(.reports([report]))
        // It answers every probe until the power cycle ends the session.
        try? deaf.obey(until: nil, limit: 60)
        #expect(try bench.kernel.powerCycles.next().name == "hci0")
        try bench.expect(.listening(nil))
        try bench.expect(.state(.poweredOn))
        let again = try bench.kernel.scanSockets.next()
        try again.obey(until: .enable)
        try bench.expect(.state(.poweredOn))
        try bench.expect(.listening(.shared))
        try again.send(.advertisingReports([report]))
        try bench.expect(.reports([report]))
        bench.scanner.stop()
        try? again.obey(until: nil)
        try bench.expect(.listening(nil))
        try bench.expect(.ended)
    }
}

extension ScannerParameters {
    /// Those of the daemon, which switches a deaf controller off and on.
    fileprivate static var repairing: ScannerParameters {
        var parameters = ScannerParameters()
        parameters.powerCyclePeriod = .seconds(3600)
        return parameters
    }
}
