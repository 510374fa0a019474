import HCI
import OkaeriBluetooth
import Testing

@Suite struct QuietTests {
    var bench = MachineBench()

    @Test mutating func `silence is probed less and less often`() {
        bench.scan()
        // An arrival after a scan that was lost without any event is missed for two minutes at most.
        for seconds in [10, 20, 40, 80, 120, 120, 120] {
            #expect(bench.pass(.seconds(seconds)) == [.send(.disable)])
            #expect(bench.rearm() == [])
        }
        bench.report()
        #expect(bench.pass(.seconds(10)) == [.send(.disable)])
    }

    @Test mutating func `advertisements postpone the probe`() {
        bench.scan()
        for _ in 0..<100 {
            #expect(bench.pass(.seconds(9)) == [])
            bench.report()
        }
        #expect(bench.pass(.seconds(10)) == [.send(.disable)])
    }

    @Test mutating func `a probe that is not answered loses the adapter`() {
        bench.scan()
        #expect(bench.pass(.seconds(10)) == [.send(.disable)])
        #expect(bench.pass(.seconds(2)) == [.send(.disable)])
        let lost = bench.pass(.seconds(2))
        #expect(lost.others == [.listening(nil)])
        #expect(lost.states == [.resetting])
    }

    @Test mutating func `a hardware error is reported and the scan tried again`() {
        bench.scan()
        let actions = bench.machine.eventReceived(.hardwareError(code: 0x20), at: bench.now)
        #expect(actions.others == [.listening(nil)])
        #expect(actions.states == [.resetting])
        #expect(actions.reasons.contains("hardware error 32"))
        #expect(bench.pass(.seconds(1)) == [.send(.disable)])
        #expect(bench.rearm() == [.update(.working), .listening(.shared)])
    }

    @Test mutating func `after a hardware error Linux closes and opens the adapter`() {
        bench.scan()
        _ = bench.machine.eventReceived(.hardwareError(code: 1), at: bench.now)
        #expect(bench.device(.down) == [.closeScanSocket, .inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [.openScanSocket(0)])
        #expect(bench.device(.up) == [.inspectAdapters])
        #expect(bench.machine.adaptersInspected([MachineBench.adapter], at: bench.now) == [])
        #expect(bench.machine.scanSocketOpened(at: bench.now) == [.send(.identify)])
    }
}
