import Glibc
import HCI
import OkaeriBluetooth
import Testing

/// The choice among several adapters, where the configuration names none.
@Suite struct AdapterChoiceTests {
    var bench = MachineBench()

    private let both = [MachineBench.adapter, MachineBench.other]
    private let classic = Adapter(index: 0, name: "hci0", isUp: true, hasLowEnergy: false)

    /// Leaves the command that is outstanding without an answer, as often as it is sent.
    private mutating func fallMute(retryAfter delay: Duration? = nil) -> MachineBench.Actions {
        if let delay {
            guard case .send = bench.pass(delay).first else {
                Issue.record("nothing is sent")
                return []
            }
        }
        guard case .send = bench.pass(.seconds(2)).first else {
            Issue.record("the command is not repeated")
            return []
        }
        return bench.pass(.seconds(2))
    }

    /// Opens the adapter, which answers nothing until it has failed three times.
    private mutating func failThreeTimes() -> MachineBench.Actions {
        #expect(bench.machine.scanSocketOpened(at: bench.now) == [.send(.identify)])
        #expect(!fallMute().contains(.inspectAdapters))
        #expect(fallMute(retryAfter: .seconds(1)) == [])
        return fallMute(retryAfter: .seconds(2))
    }

    @Test mutating func `a mute adapter is replaced by the next one after three faults`() {
        #expect(bench.start(both) == [.openScanSocket(0)])
        #expect(failThreeTimes() == [.inspectAdapters])
        let change = bench.machine.adaptersInspected(both, at: bench.now)
        #expect(change == [.closeScanSocket, .openScanSocket(1)])
        #expect(bench.machine.scanSocketOpened(at: bench.now) == [.send(.identify)])
        #expect(bench.reply(.readLocalSupportedCommands, .legacy) == [.send(.disable)])
        _ = bench.reply(.leSetScanEnable)
        _ = bench.reply(.leSetScanParameters)
        let works = bench.reply(.leSetScanEnable)
        #expect(works.reasons == "hci1 is switched on and answers")
        #expect(works.others == [.listening(.shared)])
        // The adapter that works stays in use.
        #expect(bench.machine.adaptersInspected(both, at: bench.now) == [])
    }

    @Test mutating func `an adapter that refuses to scan is replaced too`() {
        _ = bench.start(both)
        _ = bench.machine.scanSocketOpened(at: bench.now)
        _ = bench.reply(.readLocalSupportedCommands, .legacy)
        var actions: MachineBench.Actions = []
        var refusals = 0
        while !actions.contains(.inspectAdapters), refusals < 20 {
            _ = bench.reply(.leSetScanEnable, .commandDisallowed)
            actions = bench.reply(.leSetScanParameters, .commandDisallowed)
            refusals += 1
            if !actions.contains(.inspectAdapters), let deadline = bench.machine.nextDeadline {
                bench.now = deadline
                #expect(bench.machine.advanced(to: bench.now) == [.send(.disable)])
            }
        }
        #expect(refusals == 7)
        #expect(bench.machine.adaptersInspected(both, at: bench.now) == [.closeScanSocket, .openScanSocket(1)])
    }

    @Test mutating func `an adapter whose socket fails is replaced too`() {
        _ = bench.start(both)
        let error = KernelError(.bindSocket, code: EIO)
        #expect(bench.machine.scanSocketFailed(error, at: bench.now).states == [.resetting])
        for delay in [1, 2] {
            #expect(bench.pass(.seconds(delay)) == [.inspectAdapters])
            #expect(bench.machine.adaptersInspected(both, at: bench.now) == [.openScanSocket(0)])
            let actions = bench.machine.scanSocketFailed(error, at: bench.now)
            #expect(actions == (delay == 1 ? [] : [.inspectAdapters]))
        }
        #expect(bench.machine.adaptersInspected(both, at: bench.now) == [.openScanSocket(1)])
    }

    @Test mutating func `an adapter that the configuration names is never replaced`() {
        bench = MachineBench(adapter: "hci0")
        #expect(bench.start(both) == [.openScanSocket(0)])
        #expect(failThreeTimes() == [])
        #expect(bench.machine.adaptersInspected(both, at: bench.now) == [])
    }

    @Test mutating func `a mute adapter without another one is asked again and again`() {
        _ = bench.start()
        #expect(failThreeTimes() == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [])
        #expect(bench.pass(.seconds(4)) == [.send(.identify)])
        _ = bench.reply(.readLocalSupportedCommands, .legacy)
        #expect(bench.rearm() == [.update(.working), .listening(.shared)])
    }

    @Test mutating func `adapters that all fail are tried in turn, later each time, and reported once`() {
        _ = bench.start(both)
        #expect(failThreeTimes() == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected(both, at: bench.now).last == .openScanSocket(1))
        var reports: [BluetoothState] = []
        for (delay, index) in zip([1, 2, 4, 8], [0, 1, 0, 1] as [UInt16]) {
            #expect(bench.machine.scanSocketOpened(at: bench.now) == [.send(.identify)])
            reports += fallMute().states
            reports += fallMute(retryAfter: .seconds(1)).states
            #expect(fallMute(retryAfter: .seconds(2)) == [.inspectAdapters])
            #expect(bench.machine.adaptersInspected(both, at: bench.now) == [.closeScanSocket])
            #expect(bench.pass(.seconds(delay)) == [.inspectAdapters])
            #expect(bench.machine.adaptersInspected(both, at: bench.now) == [.openScanSocket(index)])
        }
        // That of hci1: that of hci0 was reported before.
        #expect(reports == [.resetting])
    }

    @Test mutating func `an adapter without Bluetooth LE is passed over`() {
        #expect(bench.start([classic, MachineBench.other]) == [.openScanSocket(1)])
    }

    @Test(arguments: [nil, "hci0"])
    mutating func `an adapter without Bluetooth LE is reported if there is no other to use`(_ name: String?) {
        bench = MachineBench(adapter: name)
        let actions = bench.start([classic])
        #expect(actions.states == [.unsupported])
        #expect(actions.others == [])
        #expect(actions.reasons.hasPrefix("hci0 has no Bluetooth LE"))
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.device(.up, 1) == [.inspectAdapters])
        let later = bench.machine.adaptersInspected([classic, MachineBench.other], at: bench.now)
        #expect(later == (name == nil ? [.openScanSocket(1)] : []))
    }

    /// Linux starts a new adapter for a moment, and sends no event when another program keeps it on.
    @Test mutating func `an adapter that is new beside one without Bluetooth LE is listed twice more`() {
        let new = Adapter(index: 1, name: "hci1", isUp: false)
        _ = bench.start([classic])
        #expect(bench.device(.up, 1) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([classic, new], at: bench.now) == [])
        #expect(bench.pass(.seconds(1)) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([classic, new], at: bench.now) == [])
        #expect(bench.pass(.seconds(2)) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([classic, MachineBench.other], at: bench.now) == [.openScanSocket(1)])
    }

    @Test(arguments: [
        (HCIStatus.unknownCommand, "no Bluetooth LE"), (.commandDisallowed, "another program may be using it"),
    ])
    mutating func `a refusal names its likely cause`(_ status: HCIStatus, _ cause: String) {
        _ = bench.identify()
        var reasons = ""
        for _ in 0..<5 {
            _ = bench.reply(.leSetScanEnable)
            reasons += bench.reply(.leSetScanParameters, status).reasons
            bench.now = bench.machine.nextDeadline ?? .max
            _ = bench.machine.advanced(to: bench.now)
        }
        #expect(reasons.contains(cause))
    }
}
