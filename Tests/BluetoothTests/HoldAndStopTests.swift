import Bluetooth
import HCI
import Testing

@Suite struct HoldAndStopTests {
    var bench = MachineBench()

    @Test mutating func aHeldScanIsOffUntilItIsReleased() {
        bench.scan()
        #expect(bench.machine.held(at: bench.now) == [.listening(false), .send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [])
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.foreign(.disable) == [])
        #expect(bench.pass(.seconds(3600)) == [])
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.machine.released(at: bench.now) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(true)])
        #expect(bench.machine.released(at: bench.now) == [])
    }

    @Test mutating func heldFromTheStartItOnlyMakesSureThatTheScanIsOff() {
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.identify() == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable, .commandDisallowed) == [.update(.working)])
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.machine.released(at: bench.now) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(true)])
    }

    @Test mutating func heldBetweenCommandsItGoesNoFurther() {
        _ = bench.identify()
        _ = bench.reply(.leSetScanEnable)
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.reply(.leSetScanParameters) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.update(.working)])
    }

    @Test mutating func heldWhileItIsEnabledItIsDisabledAgain() {
        _ = bench.identify()
        _ = bench.reply(.leSetScanEnable)
        _ = bench.reply(.leSetScanParameters)
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(.disable)])
    }

    @Test mutating func releasedBeforeTheAnswerItScans() {
        bench.scan()
        _ = bench.machine.held(at: bench.now)
        #expect(bench.machine.released(at: bench.now) == [])
        #expect(bench.rearm().others == [.listening(true)])
    }

    @Test mutating func aStolenScanIsNotRearmedWhileHeld() {
        bench.scan()
        _ = bench.foreign(.disable)
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.machine.nextDeadline == nil)
    }

    @Test mutating func theScanOfOthersIsNotOursToEnd() {
        bench.scan()
        _ = bench.foreign(.disable)
        #expect(bench.foreign(.enable) == [.listening(true)])
        #expect(bench.machine.held(at: bench.now) == [.listening(false)])
        #expect(bench.machine.released(at: bench.now) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [.listening(true)])
        #expect(bench.machine.stopRequested(at: bench.now) == [.listening(false), .closeScanSocket, .finish])
    }

    @Test mutating func aHeldAdapterThatDiesIsNotForgotten() {
        bench.scan()
        _ = bench.machine.held(at: bench.now)
        _ = bench.pass(.seconds(2))
        #expect(bench.pass(.seconds(2)).states == [.resetting])
        #expect(bench.pass(.seconds(1)) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.update(.working)])
    }

    @Test mutating func stoppingSwitchesTheScanOff() {
        bench.scan()
        #expect(bench.machine.stopRequested(at: bench.now) == [.send(.disable)])
        #expect(bench.machine.stopRequested(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.listening(false), .closeScanSocket, .finish])
        #expect(bench.machine.nextDeadline == nil)
        #expect(bench.device(.up) == [])
        #expect(bench.machine.woken(at: bench.now) == [])
    }

    @Test mutating func stoppingBetweenCommandsSwitchesItOffToo() {
        _ = bench.identify()
        _ = bench.reply(.leSetScanEnable)
        _ = bench.reply(.leSetScanParameters)
        #expect(bench.machine.stopRequested(at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.closeScanSocket, .finish])
    }

    @Test mutating func stoppingDoesNotWaitForEver() {
        bench.scan()
        _ = bench.machine.stopRequested(at: bench.now)
        #expect(bench.pass(.seconds(2)) == [.send(.disable)])
        #expect(bench.pass(.seconds(2)) == [.listening(false), .closeScanSocket, .finish])
    }

    @Test mutating func `a dead controller is ordered to stop but not waited for`() {
        bench.scan()
        _ = bench.machine.eventReceived(.hardwareError(code: 1), at: bench.now)
        #expect(bench.machine.stopRequested(at: bench.now) == [.send(.disable), .closeScanSocket, .finish])
    }

    @Test mutating func stoppingWithoutAnAdapterIsTheEnd() {
        #expect(bench.start([]).states == [.unsupported])
        #expect(bench.machine.stopRequested(at: bench.now) == [.finish])
        #expect(bench.machine.stopRequested(at: bench.now) == [])
    }

    @Test mutating func anAdapterThatGoesWhileStoppingIsTheEnd() {
        bench.scan()
        _ = bench.machine.stopRequested(at: bench.now)
        #expect(
            bench.machine.scanSocketFailed(KernelError(.receive, code: 32), at: bench.now)
                == [.listening(false), .closeScanSocket, .finish])
    }
}
