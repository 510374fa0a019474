import HCI
import OkaeriBluetooth
import OkaeriTestSupport
import Testing

/// Any events in any order: no trap, no endless stream of actions, and a deadline or an event for every state.
@Suite struct MachineFuzzTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `any order of events leaves the machine consistent`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var parameters = ScannerParameters()
        parameters.powerCyclePeriod = .seconds(60)
        parameters.normalSilence = .seconds(20)
        var bench = MachineBench(parameters: parameters)
        var listening: ScanTiming?
        var mode: ScanMode?
        var isFinished = false
        _ = bench.machine.started(at: bench.now)
        for _ in 0..<2_000 where !isFinished {
            bench.now += Int64.random(in: 0...3_000_000_000, using: &random)
            bench.machine.silenceLimit = [nil, .seconds(1), .seconds(15)].randomElement(using: &random) ?? nil
            var actions = happen(&bench, &random)
            for _ in 0..<20 where !actions.isEmpty {
                actions = answer(actions, &bench, &random, &listening, &mode, &isFinished)
            }
            #expect(actions.isEmpty, "the machine answers itself for ever")
        }
        _ = bench.machine.stopRequested(at: bench.now)
    }

    private func happen(_ bench: inout MachineBench, _ random: inout SeededGenerator) -> MachineBench.Actions {
        let foreign: [HCICommand] = [
            .disable, .enable, .enableFiltered, .active, .theirTiming, .acceptList, .extendedDisable, .extendedEnable,
            HCICommand(Reset()),
        ]
        let opcodes: [HCIOpcode] = [
            .leSetScanEnable, .leSetScanParameters, .leSetExtendedScanEnable, .leSetExtendedScanParameters,
            .readLocalSupportedCommands,
        ]
        switch Int.random(in: -7..<20, using: &random) {
        case -7:
            return bench.machine.wifiChanged(
                isUsed: [nil, false, true].randomElement(using: &random) ?? nil, at: bench.now)
        case -6, -5: return bench.machine.lateBeaconChanged(Bool.random(using: &random), at: bench.now)
        case -4:
            let parameters: [UInt8] = [0, UInt8.random(in: 0...2, using: &random), 0]
            let event: HCIEvent =
                Bool.random(using: &random)
                ? .leMeta(.connectionComplete, parameters: parameters)
                : .other(.disconnectionComplete, parameters: parameters)
            return bench.machine.eventReceived(event, at: bench.now)
        case -3:
            var parameters = ScannerParameters()
            parameters.powerCyclePeriod = .seconds(60)
            parameters.normalSilence = .seconds(20)
            parameters.scan = [.automatic(), .continuous, .shared].randomElement(using: &random) ?? .shared
            return bench.machine.reconfigured(adapter: nil, parameters: parameters, at: bench.now)
        case -2: return bench.machine.scanUnwanted(at: bench.now)
        case -1: return bench.machine.scanWanted(at: bench.now)
        case 0: return bench.machine.held(at: bench.now)
        case 1: return bench.machine.released(at: bench.now)
        case 2: return bench.machine.woken(at: bench.now)
        case 3:
            let change = DeviceEvent.Change(rawValue: UInt16.random(in: 1...4, using: &random)) ?? .up
            return bench.device(change, UInt16.random(in: 0...1, using: &random))
        case 4: return bench.machine.eventReceived(.hardwareError(code: 1), at: bench.now)
        case 5: return bench.machine.scanSocketFailed(KernelError(.receive, code: 32), at: bench.now)
        case 6: return bench.machine.hotPlugFailed(KernelError(.receive, code: 32), at: bench.now)
        case 7...9:
            guard let command = foreign.randomElement(using: &random) else { return [] }
            return bench.machine.foreignCommandSent(command, at: bench.now)
        case 10: bench.report()
        case 11...15:
            guard let opcode = opcodes.randomElement(using: &random) else { return [] }
            let statuses: [HCIStatus] = [.success, .success, .success, .commandDisallowed, .unknownCommand]
            return bench.reply(opcode, statuses.randomElement(using: &random) ?? .success)
        default: return bench.machine.advanced(to: bench.now)
        }
        return []
    }

    private func answer(
        _ actions: MachineBench.Actions, _ bench: inout MachineBench, _ random: inout SeededGenerator,
        _ listening: inout ScanTiming?, _ mode: inout ScanMode?, _ isFinished: inout Bool
    ) -> MachineBench.Actions {
        var next: MachineBench.Actions = []
        for action in actions {
            switch action {
            case .openHotPlugSocket: next += bench.machine.hotPlugOpened(at: bench.now)
            case .inspectAdapters:
                let isUp = Bool.random(using: &random)
                let adapters = [Adapter(index: 0, name: "hci0", isUp: isUp)]
                next += bench.machine.adaptersInspected(adapters, at: bench.now)
            case .openScanSocket:
                let isDiscovering = Bool.random(using: &random)
                next += bench.machine.scanSocketOpened(isDiscovering: isDiscovering, at: bench.now)
            case .listening(let timing):
                #expect((timing == nil) != (listening == nil), "reported twice, or without a pause between two timings")
                listening = timing
            case .mode(let new):
                #expect(new != mode, "reported twice")
                mode = new
            case .closeScanSocket: #expect(listening == nil)
            case .powerCycle(let adapter):
                let error = Bool.random(using: &random) ? KernelError(.switchOff, code: 16) : nil
                next +=
                    error.map { bench.machine.powerCycleFailed(adapter, $0, at: bench.now) }
                    ?? bench.machine.powerCycled(adapter, at: bench.now)
            case .finish: isFinished = true
            case .send, .update: break
            }
        }
        return next
    }
}
