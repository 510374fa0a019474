import HCI
import OkaeriBluetooth
import Testing

/// The machine while no scan is requested: it reports changes of the adapter, and sends it nothing.
@Suite struct WatchTests {
    var bench = MachineBench(isScanWanted: false)

    private var off: Adapter { Adapter(index: 0, name: "hci0", isUp: false) }

    @Test mutating func `an adapter that is on is reported and not used`() {
        let actions = bench.start()
        #expect(actions.states == [.poweredOn])
        #expect(actions.others == [])
        #expect(bench.machine.nextDeadline == nil)
    }

    @Test mutating func `the watch follows the adapter`() {
        _ = bench.start()
        #expect(bench.device(.down) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([off], at: bench.now).states == [.poweredOff])
        #expect(bench.device(.up) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now).states == [.poweredOn])
        #expect(bench.device(.unregistered) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([], at: bench.now).states == [.unsupported])
    }

    @Test mutating func `the same state is not reported twice`() {
        _ = bench.start()
        #expect(bench.machine.woken(at: bench.now) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [])
    }

    @Test mutating func `a scan that is wanted begins`() {
        _ = bench.start()
        #expect(bench.machine.scanWanted(at: bench.now) == [.openScanSocket(0)])
        #expect(bench.machine.scanSocketOpened(at: bench.now) == [.send(.identify)])
    }

    @Test mutating func `a scan that is wanted before the adapter is there begins with it`() {
        #expect(bench.start([]).states == [.unsupported])
        #expect(bench.machine.scanWanted(at: bench.now) == [])
        #expect(bench.device(.registered) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
    }

    @Test mutating func `a scan that is not wanted any more ends`() {
        bench = MachineBench()
        bench.scan()
        #expect(bench.machine.scanUnwanted(at: bench.now) == [.send(.disable)])
        // What is looked at meanwhile does not cut it short.
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.listening(nil), .closeScanSocket, .inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [])
        #expect(bench.machine.scanWanted(at: bench.now) == [.openScanSocket(0)])
    }

    @Test mutating func `a scan that is wanted again while it ends begins again`() {
        bench = MachineBench()
        bench.scan()
        #expect(bench.machine.scanUnwanted(at: bench.now) == [.send(.disable)])
        #expect(bench.machine.scanWanted(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.listening(nil), .closeScanSocket, .openScanSocket(0)])
    }

    @Test mutating func `a stop while the scan ends finishes with it`() {
        bench = MachineBench()
        bench.scan()
        #expect(bench.machine.scanUnwanted(at: bench.now) == [.send(.disable)])
        #expect(bench.machine.stopRequested(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.listening(nil), .closeScanSocket, .finish])
    }

    @Test mutating func `an adapter that goes while the scan ends does not cause a loop`() {
        bench = MachineBench()
        bench.scan()
        #expect(bench.machine.scanUnwanted(at: bench.now) == [.send(.disable)])
        let gone = bench.machine.scanSocketFailed(KernelError(.receive, code: 32), at: bench.now)
        #expect(gone == [.listening(nil), .closeScanSocket, .inspectAdapters])
        #expect(bench.machine.adaptersInspected([], at: bench.now).states == [.unsupported])
    }

    @Test mutating func `a socket that opens too late is closed`() {
        _ = bench.start()
        #expect(bench.machine.scanWanted(at: bench.now) == [.openScanSocket(0)])
        #expect(bench.machine.scanUnwanted(at: bench.now) == [])
        #expect(bench.machine.scanSocketOpened(at: bench.now) == [.closeScanSocket])
    }

    @Test mutating func `the watch stops at once`() {
        _ = bench.start()
        #expect(bench.machine.stopRequested(at: bench.now) == [.finish])
    }
}
