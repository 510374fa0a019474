import Glibc
import HCI
import OkaeriBluetooth
import Testing

@Suite struct AdapterTests {
    var bench = MachineBench()

    private var off: Adapter { Adapter(index: 0, name: "hci0", isUp: false) }

    @Test mutating func `the first adapter that is switched on is used`() {
        #expect(bench.start([off, MachineBench.other]) == [.openScanSocket(1)])
    }

    @Test mutating func `the adapter that is named is used`() {
        bench = MachineBench(adapter: "hci1")
        #expect(bench.start([MachineBench.adapter, MachineBench.other]) == [.openScanSocket(1)])
    }

    @Test mutating func `the scanner waits for the adapter that is named`() {
        bench = MachineBench(adapter: "hci1")
        let actions = bench.start([MachineBench.adapter])
        #expect(actions.states == [.unsupported])
        #expect(actions.reasons.contains("hci1"))
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.device(.registered, 1) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.other], at: bench.now) == [.openScanSocket(1)])
    }

    @Test(arguments: [
        (Adapter.RadioBlock.none, "bluetoothctl power on"), (.soft, "rfkill unblock bluetooth"),
        (.hard, "switch or key"),
    ])
    mutating func `an adapter that is off is reported with the remedy`(_ block: Adapter.RadioBlock, _ words: String) {
        let actions = bench.start([Adapter(index: 0, name: "hci0", isUp: false, radioBlock: block)])
        #expect(actions.states == [.poweredOff])
        #expect(actions.reasons.contains(words))
        #expect(bench.device(.up) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
    }

    /// Linux starts a new adapter for a moment; a program that keeps it on in that moment causes no event.
    @Test mutating func `an adapter that is off is examined twice more`() {
        _ = bench.start([off])
        #expect(bench.pass(.seconds(1)) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([off], at: bench.now) == [])
        #expect(bench.pass(.seconds(2)) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([off], at: bench.now) == [])
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.device(.registered) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([off], at: bench.now) == [])
        #expect(bench.pass(.seconds(1)) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
    }

    @Test mutating func `an adapter that is switched off and on is scanned again`() {
        bench.scan()
        #expect(bench.device(.down) == [.listening(nil), .closeScanSocket, .inspectAdapters])
        #expect(bench.machine.adaptersInspected([off], at: bench.now).states == [.poweredOff])
        #expect(bench.device(.up) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
    }

    @Test mutating func `an adapter that is switched off and on between two looks is scanned again`() {
        bench.scan()
        _ = bench.device(.down)
        let actions = bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now)
        #expect(actions.states == [.resetting])
        #expect(actions.others == [.openScanSocket(0)])
    }

    @Test mutating func `an adapter that is unplugged and back is scanned again`() {
        bench.scan()
        #expect(bench.device(.unregistered) == [.listening(nil), .closeScanSocket, .inspectAdapters])
        #expect(bench.machine.adaptersInspected([], at: bench.now).states == [.unsupported])
        #expect(bench.device(.registered) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([off], at: bench.now).states == [.poweredOff])
        #expect(bench.device(.up) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
    }

    @Test mutating func `another adapter takes the place of one that is unplugged`() {
        bench.scan()
        _ = bench.device(.unregistered)
        #expect(bench.machine.adaptersInspected([MachineBench.other], at: bench.now) == [.openScanSocket(1)])
    }

    @Test mutating func `events of other adapters do not disturb`() {
        bench.scan()
        #expect(bench.device(.down, 1) == [.inspectAdapters])
        let others = [MachineBench.adapter, MachineBench.other]
        #expect(bench.machine.adaptersInspected(others, at: bench.now) == [])
        #expect(bench.machine.inspectionFailed(KernelError(.listAdapters, code: EMFILE), at: bench.now) == [])
    }

    @Test(arguments: [EPIPE, ENETDOWN, ENODEV])
    mutating func `a socket whose adapter is gone does not cause a loop`(_ code: Int32) {
        bench.scan()
        let actions = bench.machine.scanSocketFailed(KernelError(.send, code: code), at: bench.now)
        #expect(actions.others == [.listening(nil), .closeScanSocket, .inspectAdapters])
        #expect(actions.states == [.resetting])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [])
        #expect(bench.pass(.seconds(1)) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
        _ = bench.machine.scanSocketFailed(KernelError(.bindSocket, code: code), at: bench.now)
        #expect(bench.pass(.seconds(2)) == [.inspectAdapters])
    }

    @Test mutating func `an adapter that comes up is not made to wait`() {
        bench.scan()
        _ = bench.machine.scanSocketFailed(KernelError(.send, code: ENETDOWN), at: bench.now)
        #expect(bench.device(.up) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
    }

    @Test mutating func `without permission the state is unauthorized, and attempts are rare`() {
        _ = bench.start()
        _ = bench.machine.scanSocketOpened(at: bench.now)
        let actions = bench.machine.scanSocketFailed(KernelError(.send, code: EPERM), at: bench.now)
        #expect(actions.others == [.closeScanSocket])
        #expect(actions.states == [.unauthorized])
        #expect(actions.reasons.contains("with `sudo`"))
        #expect(bench.pass(.seconds(60)) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
        #expect(bench.machine.scanSocketFailed(KernelError(.send, code: EPERM), at: bench.now) == [])
        #expect(bench.pass(.seconds(120)) == [.inspectAdapters])
    }

    @Test mutating func `without Bluetooth the state is unsupported, and attempts are rare or follow a wake-up`() {
        _ = bench.machine.started(at: bench.now)
        let error = KernelError(.openSocket, code: EAFNOSUPPORT)
        let actions = bench.machine.hotPlugFailed(error, at: bench.now)
        #expect(actions.states == [.unsupported])
        #expect(actions.others == [])
        #expect(bench.pass(.seconds(60)) == [.openHotPlugSocket])
        #expect(bench.machine.hotPlugFailed(error, at: bench.now) == [])
        #expect(bench.machine.woken(at: bench.now) == [.openHotPlugSocket])
        #expect(bench.machine.hotPlugOpened(at: bench.now) == [.inspectAdapters])
    }

    @Test mutating func `a scan goes on without news of adapters`() {
        bench.scan()
        #expect(bench.machine.hotPlugFailed(KernelError(.receive, code: EPIPE), at: bench.now) == [])
        #expect(bench.pass(.seconds(1)) == [.openHotPlugSocket])
        #expect(bench.machine.hotPlugOpened(at: bench.now) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [])
    }

    @Test mutating func `a wake-up causes another look`() {
        _ = bench.start([off])
        #expect(bench.machine.woken(at: bench.now) == [.inspectAdapters])
    }

    @Test func `every error describes what happened`() {
        for code: Int32 in [0, EPERM, EAFNOSUPPORT, EPIPE, EMFILE, 9999, -1] {
            let error = KernelError(.send, code: code)
            #expect(error.description.hasPrefix("sending a command to the adapter failed: "))
        }
    }
}
