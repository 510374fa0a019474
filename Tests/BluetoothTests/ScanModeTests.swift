import HCI
import OkaeriBluetooth
import Testing

/// The choice of the scan interval and window, and its changes during a scan.
@Suite struct ScanModeTests {
    var bench = MachineBench()

    private static let second: Int64 = 1_000_000_000

    /// A bench that scans, whose machine knows that 2.4 GHz Wi-Fi is in use.
    init() {
        #expect(bench.machine.wifiChanged(isUsed: true, at: bench.now) == [])
        bench.scan()
    }

    private mutating func start(_ setting: ScanSetting, adapter: Adapter = MachineBench.adapter) {
        var parameters = ScannerParameters()
        parameters.scan = setting
        bench = MachineBench(parameters: parameters)
        #expect(bench.start([adapter]) == [.openScanSocket(0)])
        _ = bench.machine.scanSocketOpened(at: bench.now)
        _ = bench.reply(.readLocalSupportedCommands, .legacy)
    }

    /// The scan is restarted with this timing, without a report of the adapter's state.
    private mutating func expectRestart(
        _ actions: MachineBench.Actions, _ timing: ScanTiming, _ reason: ScanMode.Reason,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(bench.noted(actions) == [.listening(nil), .send(.disable)], sourceLocation: sourceLocation)
        #expect(bench.mode == ScanMode(timing: timing, reason: reason), sourceLocation: sourceLocation)
        let parameters = HCICommand(LESetScanParameters(timing: timing))
        #expect(bench.reply(.leSetScanEnable) == [.send(parameters)], sourceLocation: sourceLocation)
        #expect(bench.reply(.leSetScanParameters) == [.send(.enable)], sourceLocation: sourceLocation)
        #expect(bench.reply(.leSetScanEnable) == [.listening(timing)], sourceLocation: sourceLocation)
    }

    private mutating func late(_ isLate: Bool) -> MachineBench.Actions {
        bench.machine.lateBeaconChanged(isLate, at: bench.now)
    }

    private mutating func advance(by seconds: Double) -> MachineBench.Actions {
        bench.now += Int64(seconds * 1e9)
        return bench.machine.advanced(to: bench.now)
    }

    // MARK: Wi-Fi and the adapter

    @Test mutating func `half of the time is left to Wi-Fi at 2.4 GHz, and to Wi-Fi of which nothing is known`() {
        #expect(bench.mode == ScanMode(timing: .shared, reason: .wifiInUse))
        #expect(bench.noted(bench.machine.wifiChanged(isUsed: nil, at: bench.now)) == [], "the timing is the same")
        #expect(bench.mode == ScanMode(timing: .shared, reason: .wifiUnknown))
    }

    @Test mutating func `the scan is continuous while no 2.4 GHz Wi-Fi is in use`() {
        expectRestart(bench.machine.wifiChanged(isUsed: false, at: bench.now), .continuous, .wifiNotInUse)
        expectRestart(bench.machine.wifiChanged(isUsed: true, at: bench.now), .shared, .wifiInUse)
    }

    @Test mutating func `a stick with an antenna of its own scans all the time, from the start`() {
        start(.automatic(), adapter: Adapter(index: 0, name: "hci0", isUp: true, hasOwnAntenna: true))
        #expect(bench.reply(.leSetScanEnable) == [.send(HCICommand(LESetScanParameters(timing: .continuous)))])
        _ = bench.reply(.leSetScanParameters)
        #expect(bench.reply(.leSetScanEnable).others == [.listening(.continuous)])
        #expect(bench.mode == ScanMode(timing: .continuous, reason: .ownAntenna))
        #expect(bench.machine.wifiChanged(isUsed: true, at: bench.now) == [])
    }

    @Test(arguments: [
        (ScanSetting.continuous, ScanTiming.continuous), (.shared, .shared), (.fixed(.continuous), .continuous),
    ])
    mutating func `a configured scan is obeyed`(_ setting: ScanSetting, _ timing: ScanTiming) {
        start(setting)
        #expect(bench.reply(.leSetScanEnable) == [.send(HCICommand(LESetScanParameters(timing: timing)))])
        _ = bench.reply(.leSetScanParameters)
        _ = bench.reply(.leSetScanEnable)
        #expect(bench.mode == ScanMode(timing: timing, reason: .configured))
        #expect(bench.machine.wifiChanged(isUsed: timing == .shared ? false : true, at: bench.now) == [])
        #expect(late(true) == [])
        #expect(!bench.machine.heedsLateBeacons)
    }

    @Test mutating func `a connection has priority over a continuous scan`() {
        expectRestart(bench.machine.wifiChanged(isUsed: false, at: bench.now), .continuous, .wifiNotInUse)
        let connected = HCIEvent.leMeta(.connectionComplete, parameters: [0, 0x40, 0x00, 0, 0])
        expectRestart(bench.machine.eventReceived(connected, at: bench.now), .shared, .connection)
        let failed = HCIEvent.leMeta(.enhancedConnectionComplete, parameters: [0x3E, 0x41, 0x00])
        #expect(bench.machine.eventReceived(failed, at: bench.now) == [])
        #expect(bench.machine.eventReceived(.leMeta(.connectionComplete, parameters: [0, 1]), at: bench.now) == [])
        #expect(late(true) == [])
        let ended = HCIEvent.other(.disconnectionComplete, parameters: [0, 0x40, 0x00, 0x13])
        expectRestart(bench.machine.eventReceived(ended, at: bench.now), .continuous, .wifiNotInUse)
    }

    // MARK: Late beacons

    @Test mutating func `a late beacon makes the scan continuous until it is received`() {
        expectRestart(late(true), .continuous, .lateBeacon)
        #expect(advance(by: 9.5) == [])
        bench.report()
        #expect(late(false) == [], "the next advertisement may be late, too")
        #expect(advance(by: 0.9) == [])
        expectRestart(advance(by: 0.1), .shared, .wifiInUse)
        #expect(bench.machine.nextDeadline.map { $0 > bench.now + 5 * Self.second } == true, "only the probe is due")
    }

    @Test mutating func `a beacon that is received at once does not make the scan change to and fro`() {
        expectRestart(late(true), .continuous, .lateBeacon)
        #expect(advance(by: 0.1) == [])
        for _ in 0..<9 {
            #expect(late(false) == [])
            #expect(advance(by: 0.1) == [])
            #expect(late(true) == [])
        }
        #expect(late(false) == [])
        #expect(advance(by: 0.9) == [])
        expectRestart(advance(by: 0.1), .shared, .wifiInUse)
    }

    /// The seconds in which the scan is continuous, for a beacon that is always late.
    private mutating func continuousSeconds(_ share: Double, until end: Int) -> [Bool] {
        start(.automatic(lateShare: share))
        _ = bench.rearm()
        var isContinuous: [Bool] = []
        _ = bench.noted(late(true))
        for _ in 0..<end {
            // Answers each command that may be outstanding.
            for opcode in [HCIOpcode.leSetScanEnable, .leSetScanParameters, .leSetScanEnable] {
                _ = bench.reply(opcode)
            }
            bench.report()
            isContinuous.append(bench.mode?.timing == .continuous)
            _ = bench.noted(advance(by: 1))
        }
        return isContinuous
    }

    @Test(arguments: [(0.2, 120), (0.5, 300), (0.01, 6), (1, 600), (0, 0)])
    mutating func `a beacon that is always late takes its share of any ten minutes`(_ share: Double, _ most: Int) {
        let isContinuous = continuousSeconds(share, until: 3600)
        let windows = (0...3000).map { isContinuous[$0..<$0 + 600].count { $0 } }
        #expect(windows.max() == most)
        #expect(windows.allSatisfy { $0 >= most - 10 }, "what has recovered is used, ten seconds at a time")
        let changes = zip(isContinuous, isContinuous.dropFirst()).count { $0 != $1 }
        #expect(changes <= 2 * 3600 / 600 * 13, "\(changes) changes in an hour")
        if share > 0, share < 1 { #expect(bench.mode != nil) }
    }

    @Test mutating func `a share that is used up is the reason for the shared scan`() {
        expectRestart(late(true), .continuous, .lateBeacon)
        bench.report()
        for _ in 0..<119 {
            #expect(advance(by: 1) == [])
            bench.report()
        }
        expectRestart(advance(by: 1), .shared, .lateShareUsed)
        #expect(bench.noted(late(false)) == [])
        #expect(bench.mode == ScanMode(timing: .shared, reason: .wifiInUse))
    }

    @Test mutating func `a join has priority, and takes nothing of the share`() {
        expectRestart(late(true), .continuous, .lateBeacon)
        #expect(bench.noted(bench.machine.held(at: bench.now)) == [.listening(nil), .send(.disable)])
        #expect(bench.mode == ScanMode(timing: .shared, reason: .wifiInUse))
        _ = bench.reply(.leSetScanEnable)
        #expect(advance(by: 60) == [])
        #expect(bench.noted(bench.machine.released(at: bench.now)) == [.send(.disable)])
        #expect(bench.mode == ScanMode(timing: .continuous, reason: .lateBeacon))
        #expect(bench.reply(.leSetScanEnable) == [.send(HCICommand(LESetScanParameters(timing: .continuous)))])
    }

    @Test mutating func `a stolen scan is not continuous, and begins anew with the present timing`() {
        expectRestart(late(true), .continuous, .lateBeacon)
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.noted(advance(by: 0.4)) == [])
        #expect(bench.mode?.timing == .shared)
        #expect(bench.noted(advance(by: 0.1)) == [.send(.disable)])
        // The scan is ours again from the first command on.
        #expect(bench.noted(advance(by: 0)) == [])
        #expect(bench.mode?.timing == .continuous)
        #expect(bench.reply(.leSetScanEnable) == [.send(HCICommand(LESetScanParameters(timing: .continuous)))])
    }

    // MARK: Changes between commands

    @Test mutating func `a change while parameters are outstanding sends them again`() {
        start(.automatic())
        #expect(bench.reply(.leSetScanEnable) == [.send(.parameters)])
        #expect(bench.machine.wifiChanged(isUsed: false, at: bench.now) == [])
        #expect(bench.reply(.leSetScanParameters) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.send(HCICommand(LESetScanParameters(timing: .continuous)))])
        #expect(bench.reply(.leSetScanParameters) == [.send(.enable)])
        #expect(bench.machine.wifiChanged(isUsed: true, at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(.disable)])
        #expect(bench.rearm().others == [.listening(.shared)])
    }

    @Test mutating func `a change during a probe is part of the probe`() {
        #expect(bench.pass(.seconds(10)) == [.send(.disable)])
        #expect(bench.noted(bench.machine.wifiChanged(isUsed: false, at: bench.now)) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(HCICommand(LESetScanParameters(timing: .continuous)))])
        #expect(bench.reply(.leSetScanParameters) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [.listening(nil), .listening(.continuous)])
    }

    @Test mutating func `refused parameters are tried again`() {
        #expect(bench.noted(late(true)) == [.listening(nil), .send(.disable)])
        let parameters = HCICommand(LESetScanParameters(timing: .continuous))
        #expect(bench.reply(.leSetScanEnable) == [.send(parameters)])
        #expect(bench.noted(bench.reply(.leSetScanParameters, .commandDisallowed)) == [])
        // A refused scan is not ours, so the late beacon has to wait for the next attempt.
        _ = bench.noted(advance(by: 0.5))
        _ = bench.noted(advance(by: 0))
        #expect(bench.reply(.leSetScanEnable) == [.send(parameters)])
        _ = bench.reply(.leSetScanParameters)
        #expect(bench.reply(.leSetScanEnable) == [.listening(.continuous)])
    }

    @Test mutating func `extended commands change the timing too`() {
        bench = MachineBench()
        #expect(bench.identify(extended: true) == [.send(.extendedDisable)])
        #expect(bench.reply(.leSetExtendedScanEnable) == [.send(.extendedParameters)])
        _ = bench.reply(.leSetExtendedScanParameters)
        #expect(bench.reply(.leSetExtendedScanEnable).others == [.listening(.shared)])
        #expect(bench.noted(late(true)) == [.listening(nil), .send(.extendedDisable)])
        let parameters = LESetExtendedScanParameters(le1M: .init(timing: .continuous))
        #expect(bench.reply(.leSetExtendedScanEnable) == [.send(HCICommand(parameters))])
        #expect(bench.reply(.leSetExtendedScanParameters) == [.send(.extendedEnable)])
        #expect(bench.reply(.leSetExtendedScanEnable) == [.listening(.continuous)])
    }

    @Test mutating func `a restart with another timing does not end a silence`() {
        var parameters = ScannerParameters()
        parameters.powerCyclePeriod = .seconds(3600)
        bench = MachineBench(parameters: parameters)
        bench.machine.silenceLimit = .seconds(20)
        bench.scan()
        bench.report()
        // Each change restarts the scan; the power cycle after 30 s of silence is due nevertheless.
        var isCycled = false
        for second in 0..<60 where !isCycled {
            let actions = bench.noted(late(second.isMultiple(of: 5))) + bench.noted(advance(by: 1))
            isCycled = actions.contains { if case .powerCycle = $0 { true } else { false } }
            for opcode in [HCIOpcode.leSetScanEnable, .leSetScanParameters, .leSetScanEnable] {
                _ = bench.reply(opcode)
            }
        }
        #expect(isCycled)
    }

    // MARK: Other programs

    @Test mutating func `another program's scan counts with its own interval and window`() {
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.foreign(.theirTiming) == [])
        #expect(bench.foreign(.enable) == [.listening(.continuous)])
        #expect(bench.mode == ScanMode(timing: .continuous, reason: .otherProgram))
        #expect(late(true) == [], "it is not ours to change")
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.mode?.reason != .otherProgram)
    }
}
