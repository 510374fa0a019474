import HCI
import OkaeriBluetooth
import Testing

/// Another adapter, or another timing, while the scanner runs.
@Suite struct ReconfigurationTests {
    var bench = MachineBench(adapter: "hci0")

    private let both = [MachineBench.adapter, MachineBench.other]

    private mutating func reconfigure(
        _ adapter: String?, _ parameters: ScannerParameters = ScannerParameters()
    ) -> MachineBench.Actions {
        bench.machine.reconfigured(adapter: adapter, parameters: parameters, at: bench.now)
    }

    @Test mutating func `the scan ends on the former adapter before it begins on the new one`() {
        bench.scan()
        #expect(reconfigure("hci1") == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.listening(nil), .closeScanSocket, .inspectAdapters])
        #expect(bench.machine.adaptersInspected(both, at: bench.now) == [.openScanSocket(1)])
        _ = bench.machine.scanSocketOpened(at: bench.now)
        #expect(bench.reply(.readLocalSupportedCommands, .legacy) == [.send(.disable)])
        let works = bench.rearm()
        // No state between makes the regions unknown.
        #expect(works.states == [.poweredOn] && works.others == [.listening(.shared)])
    }

    @Test mutating func `another timing restarts the scan on the same adapter, and no state is reported`() throws {
        bench.scan()
        var parameters = ScannerParameters()
        let timing = try ScanTiming(interval: ScanTime(milliseconds: 200), window: ScanTime(milliseconds: 50))
        parameters.scan = .fixed(timing)
        #expect(bench.noted(reconfigure("hci0", parameters)) == [.listening(nil), .send(.disable)])
        #expect(bench.mode == ScanMode(timing: timing, reason: .configured))
        #expect(bench.reply(.leSetScanEnable) == [.send(HCICommand(LESetScanParameters(timing: timing)))])
        #expect(bench.reply(.leSetScanParameters) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [.listening(timing)])
    }

    @Test mutating func `the same settings change nothing`() {
        bench.scan()
        #expect(reconfigure("hci0") == [])
    }

    @Test mutating func `an adapter that is not there is not waited for if another one is named`() {
        bench = MachineBench(adapter: "hci7")
        #expect(bench.start(both).states == [.unsupported])
        #expect(reconfigure("hci1") == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected(both, at: bench.now) == [.openScanSocket(1)])
    }

    @Test mutating func `an adapter that does not answer the end of its scan is left`() {
        bench.scan()
        #expect(reconfigure("hci1") == [.send(.disable)])
        #expect(bench.pass(.seconds(2)) == [.send(.disable)])
        #expect(bench.pass(.seconds(2)) == [.listening(nil), .closeScanSocket, .inspectAdapters])
    }
}
