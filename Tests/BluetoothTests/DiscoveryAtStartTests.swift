import HCI
import OkaeriBluetooth
import Testing

/// A session that begins while the kernel discovers devices for another program.
@Suite struct DiscoveryAtStartTests {
    var bench = MachineBench()

    /// The controller refuses our parameters, because the scan of the discovery is on; we receive by that scan.
    private mutating func adopt() {
        #expect(bench.identify(isDiscovering: true) == [.send(.parameters)])
        #expect(bench.reply(.leSetScanParameters, .commandDisallowed) == [.send(.enable)])
        #expect(bench.noted(bench.reply(.leSetScanEnable)) == [.update(.working), .listening(.shared)])
    }

    @Test mutating func `its scan is not interrupted, and reports duplicates`() {
        adopt()
        #expect(bench.mode?.reason == .otherProgram)
        bench.report()
        bench.now += 6_000_000_000
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
        #expect(bench.mode?.reason != .otherProgram)
    }

    @Test mutating func `a scan that is not on begins with our parameters`() {
        #expect(bench.identify(isDiscovering: true) == [.send(.parameters)])
        #expect(bench.reply(.leSetScanParameters) == [.send(.enable)])
        #expect(bench.noted(bench.reply(.leSetScanEnable)) == [.update(.working), .listening(.shared)])
        #expect(bench.mode?.reason != .otherProgram)
        // It is ours to end.
        #expect(bench.noted(bench.machine.held(at: bench.now)) == [.listening(nil), .send(.disable)])
    }

    @Test mutating func `a scan that does not end in time is replaced`() {
        adopt()
        for _ in 0..<11 {
            #expect(bench.pass(.seconds(1)) == [])
            bench.report()
        }
        #expect(bench.pass(.seconds(1)) == [.listening(nil), .send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
        #expect(bench.mode?.reason != .otherProgram)
        bench.report()
        #expect(bench.pass(.seconds(10)) == [.send(.disable)], "only a probe is due")
    }

    @Test mutating func `a silence is probed without an end of the scan`() {
        adopt()
        #expect(bench.pass(.seconds(10)) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [])
        #expect(bench.pass(.seconds(2)) == [.listening(nil), .send(.disable)])
    }

    @Test mutating func `a discovery that ends before our first command is not waited for`() {
        _ = bench.start()
        _ = bench.machine.scanSocketOpened(isDiscovering: true, at: bench.now)
        #expect(bench.foreign(.disable) == [])
        #expect(bench.reply(.readLocalSupportedCommands, .legacy) == [.send(.disable)])
    }

    @Test mutating func `a discovery that begins again before our first command has no limit`() {
        _ = bench.start()
        _ = bench.machine.scanSocketOpened(isDiscovering: true, at: bench.now)
        #expect(bench.foreign(.disable) + bench.foreign(.active) + bench.foreign(.enableFiltered) == [])
        #expect(bench.reply(.readLocalSupportedCommands, .legacy) == [.send(.enable)])
        _ = bench.reply(.leSetScanEnable)
        #expect(bench.machine.nextDeadline == bench.now + 10_000_000_000)
        bench.now += 9_000_000_000
        bench.report()
        #expect(bench.pass(.seconds(10)) == [.send(.enable)], "only a probe is due")
    }

    @Test mutating func `a hold from the start sends nothing, and a release asks the controller`() {
        #expect(bench.machine.held(at: bench.now) == [])
        #expect(bench.identify(isDiscovering: true) == [.update(.working)])
        #expect(bench.machine.nextDeadline == nil)
        bench.now += 60_000_000_000
        #expect(bench.machine.released(at: bench.now) == [.send(.parameters)])
        #expect(bench.reply(.leSetScanParameters) == [.send(.enable)])
    }

    @Test mutating func `a hold during the adopted scan outlasts its limit`() {
        adopt()
        #expect(bench.noted(bench.machine.held(at: bench.now)) == [.listening(nil)])
        #expect(bench.pass(.seconds(60)) == [])
        #expect(bench.machine.released(at: bench.now) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
    }

    @Test mutating func `a stop leaves the scan on`() {
        adopt()
        #expect(
            bench.noted(bench.machine.stopRequested(at: bench.now)) == [.listening(nil), .closeScanSocket, .finish])
    }

    @Test mutating func `a stop before the refusal leaves the scan on`() {
        _ = bench.identify(isDiscovering: true)
        #expect(bench.machine.stopRequested(at: bench.now) == [])
        #expect(bench.reply(.leSetScanParameters, .commandDisallowed) == [.closeScanSocket, .finish])
    }

    @Test mutating func `a controller that does not change running scans scans anew with their parameters`() {
        _ = bench.identify(isDiscovering: true)
        _ = bench.reply(.leSetScanParameters, .commandDisallowed)
        #expect(bench.reply(.leSetScanEnable, .commandDisallowed) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.send(.enable)])
        #expect(bench.noted(bench.reply(.leSetScanEnable)) == [.update(.working), .listening(.shared)])
        // The kernel forgot the end of the discovery: the other program ends it.
        for _ in 0..<20 {
            #expect(bench.pass(.seconds(5)) == [])
            bench.report()
        }
        #expect(bench.foreign(.disable) == [.listening(nil)])
    }

    @Test mutating func `an extended scan is adopted`() {
        #expect(bench.identify(extended: true, isDiscovering: true) == [.send(.extendedParameters)])
        #expect(bench.reply(.leSetExtendedScanParameters, .commandDisallowed) == [.send(.extendedEnable)])
        #expect(bench.reply(.leSetExtendedScanEnable).others == [.listening(.shared)])
    }

    @Test mutating func `a legacy scan on an extended controller is adopted`() {
        _ = bench.identify(extended: true, isDiscovering: true)
        // It refuses the other family, whether a scan is on or not.
        #expect(bench.reply(.leSetExtendedScanParameters, .commandDisallowed) == [.send(.extendedEnable)])
        #expect(bench.reply(.leSetExtendedScanEnable, .commandDisallowed) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable).others == [.listening(.shared)])
    }

    @Test mutating func `parameters that are not answered are sent again`() {
        _ = bench.identify(isDiscovering: true)
        #expect(bench.pass(.seconds(2)) == [.send(.parameters)])
        #expect(bench.pass(.seconds(2)).states == [.resetting])
        #expect(bench.pass(.seconds(1)) == [.send(.parameters)])
        #expect(bench.reply(.leSetScanParameters, .commandDisallowed) == [.send(.enable)])
    }

    @Test mutating func `without a discovery a scan that was left on is replaced at once`() {
        #expect(bench.identify() == [.send(.disable)])
        #expect(bench.rearm().others == [.listening(.shared)])
    }
}
