import HCI
import OkaeriBluetooth
import Testing

@Suite struct HoldAndStopTests {
    var bench = MachineBench()

    @Test mutating func `a held scan is off until it is released`() {
        bench.scan()
        #expect(bench.machine.held(at: bench.now) == [.listening(nil), .send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [])
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.foreign(.disable) == [])
        #expect(bench.pass(.seconds(3600)) == [])
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.machine.released(at: bench.now) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
        #expect(bench.machine.released(at: bench.now) == [])
    }

    @Test mutating func `a scan that is held from the start is only disabled`() {
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.identify() == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable, .commandDisallowed) == [.update(.working)])
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.machine.released(at: bench.now) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
    }

    @Test mutating func `a hold between commands stops the sequence`() {
        _ = bench.identify()
        _ = bench.reply(.leSetScanEnable)
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.reply(.leSetScanParameters) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.update(.working)])
    }

    @Test mutating func `a hold during the enable command disables the scan again`() {
        _ = bench.identify()
        _ = bench.reply(.leSetScanEnable)
        _ = bench.reply(.leSetScanParameters)
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(.disable)])
    }

    @Test mutating func `a release before the answer resumes the scan`() {
        bench.scan()
        _ = bench.machine.held(at: bench.now)
        #expect(bench.machine.released(at: bench.now) == [])
        #expect(bench.rearm().others == [.listening(.shared)])
    }

    @Test mutating func `a stolen scan is not rearmed while held`() {
        bench.scan()
        _ = bench.foreign(.disable)
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.machine.nextDeadline == nil)
    }

    @Test mutating func `the scan of another program is not ended`() {
        bench.scan()
        _ = bench.foreign(.disable)
        #expect(bench.foreign(.enable) == [.listening(.shared)])
        #expect(bench.noted(bench.machine.held(at: bench.now)) == [.listening(nil)])
        #expect(bench.machine.released(at: bench.now) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [.listening(.shared)])
        #expect(
            bench.noted(bench.machine.stopRequested(at: bench.now)) == [.listening(nil), .closeScanSocket, .finish])
    }

    @Test mutating func `a hold while another program's scan is adopted does not end it`() {
        bench.scan()
        _ = bench.foreign(.enableFiltered)
        #expect(bench.pass(.milliseconds(500)) == [.send(.enable)])
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [])
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.machine.released(at: bench.now) == [.send(.enable)])
    }

    @Test mutating func `a held controller with the scan of another program works again when it answers`() {
        bench.scan()
        _ = bench.foreign(.disable)
        _ = bench.foreign(.enable)
        #expect(bench.machine.eventReceived(.hardwareError(code: 1), at: bench.now).states == [.resetting])
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.pass(.seconds(1)) == [.send(.identify)])
        #expect(bench.pass(.seconds(2)) == [.send(.identify)])
        #expect(bench.reply(.readLocalSupportedCommands, .legacy) == [.update(.working)])
        #expect(bench.machine.nextDeadline == nil)
    }

    @Test mutating func `a stop while another program's scan is adopted does not end it`() {
        bench.scan()
        _ = bench.foreign(.enableFiltered)
        _ = bench.pass(.milliseconds(500))
        #expect(bench.machine.stopRequested(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.closeScanSocket, .finish])
    }

    @Test mutating func `the scan of another program is not ended on a controller that does not answer`() {
        bench.scan()
        _ = bench.foreign(.disable)
        _ = bench.foreign(.enable)
        _ = bench.machine.eventReceived(.hardwareError(code: 1), at: bench.now)
        #expect(bench.noted(bench.machine.stopRequested(at: bench.now)) == [.closeScanSocket, .finish])
    }

    @Test mutating func `a held adapter that is lost is found again`() {
        bench.scan()
        _ = bench.machine.held(at: bench.now)
        _ = bench.pass(.seconds(2))
        #expect(bench.pass(.seconds(2)).states == [.resetting])
        #expect(bench.pass(.seconds(1)) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.update(.working)])
    }

    @Test mutating func `stopping switches the scan off`() {
        bench.scan()
        #expect(bench.machine.stopRequested(at: bench.now) == [.send(.disable)])
        #expect(bench.machine.stopRequested(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.listening(nil), .closeScanSocket, .finish])
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.device(.up) == [])
        #expect(bench.machine.woken(at: bench.now) == [])
    }

    @Test mutating func `stopping between commands switches it off too`() {
        _ = bench.identify()
        _ = bench.reply(.leSetScanEnable)
        _ = bench.reply(.leSetScanParameters)
        #expect(bench.machine.stopRequested(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.closeScanSocket, .finish])
    }

    @Test mutating func `stopping has a time limit`() {
        bench.scan()
        _ = bench.machine.stopRequested(at: bench.now)
        #expect(bench.pass(.seconds(2)) == [.send(.disable)])
        #expect(bench.pass(.seconds(2)) == [.listening(nil), .closeScanSocket, .finish])
    }

    @Test mutating func `a controller that does not answer receives the stop, and is not waited for`() {
        bench.scan()
        _ = bench.machine.eventReceived(.hardwareError(code: 1), at: bench.now)
        #expect(bench.machine.stopRequested(at: bench.now) == [.send(.disable), .closeScanSocket, .finish])
    }

    @Test mutating func `stopping without an adapter is the end`() {
        #expect(bench.start([]).states == [.unsupported])
        #expect(bench.machine.stopRequested(at: bench.now) == [.finish])
        #expect(bench.machine.stopRequested(at: bench.now) == [])
    }

    @Test mutating func `an adapter that goes while stopping is the end`() {
        bench.scan()
        _ = bench.machine.stopRequested(at: bench.now)
        #expect(
            bench.machine.scanSocketFailed(KernelError(.receive, code: 32), at: bench.now)
                == [.listening(nil), .closeScanSocket, .finish])
    }
}
