import HCI
import OkaeriBluetooth
import Testing

/// A state machine, a clock that is set by hand, and short functions for its events.
struct MachineBench {
    static let adapter = Adapter(index: 0, name: "hci0", isUp: true)
    static let other = Adapter(index: 1, name: "hci1", isUp: true)

    var machine: ScannerStateMachine
    var now: Int64 = 1_000_000_000

    init(
        adapter: String? = nil, parameters: ScannerParameters = ScannerParameters(), isScanWanted: Bool = true
    ) {
        machine = ScannerStateMachine(adapter: adapter, parameters: parameters, isScanWanted: isScanWanted)
    }

    typealias Actions = [ScannerStateMachine.Action]

    /// Started, and these adapters found.
    mutating func start(_ adapters: [Adapter] = [adapter]) -> Actions {
        #expect(machine.started(at: now) == [.openHotPlugSocket])
        #expect(machine.hotPlugOpened(at: now) == [.inspectAdapters])
        return machine.adaptersInspected(adapters, at: now)
    }

    /// Opened, and asked what it can do.
    mutating func identify(extended: Bool = false, isDiscovering: Bool = false) -> Actions {
        #expect(start() == [.openScanSocket(0)])
        #expect(machine.scanSocketOpened(isDiscovering: isDiscovering, at: now) == [.send(.identify)])
        return reply(.readLocalSupportedCommands, extended ? .extended : .legacy)
    }

    /// Scanning, on a controller with the legacy commands.
    mutating func scan() {
        #expect(identify() == [.send(.disable)])
        #expect(reply(.leSetScanEnable, .commandDisallowed) == [.send(.parameters)])
        #expect(reply(.leSetScanParameters) == [.send(.enable)])
        #expect(reply(.leSetScanEnable) == [.update(.working), .listening(.shared)])
    }

    /// The three steps of a scan that was on already.
    mutating func rearm() -> Actions {
        #expect(reply(.leSetScanEnable) == [.send(.parameters)])
        #expect(reply(.leSetScanParameters) == [.send(.enable)])
        return reply(.leSetScanEnable)
    }

    /// The choice of the interval and window that was reported last.
    private(set) var mode: ScanMode?

    mutating func reply(_ opcode: HCIOpcode, _ status: HCIStatus = .success) -> Actions {
        noted(machine.eventReceived(.commandComplete(CommandComplete(opcode: opcode, status: status)), at: now))
    }

    /// The actions without the reports of the mode, the last of which is stored.
    mutating func noted(_ actions: Actions) -> Actions {
        actions.filter { action in
            guard case .mode(let mode) = action else { return true }
            self.mode = mode
            return false
        }
    }

    mutating func reply(_ opcode: HCIOpcode, _ commands: SupportedCommands) -> Actions {
        let reply = CommandComplete(opcode: opcode, status: .success, returnParameters: commands.octets)
        return machine.eventReceived(.commandComplete(reply), at: now)
    }

    mutating func device(_ change: DeviceEvent.Change, _ index: UInt16 = 0) -> Actions {
        machine.eventReceived(.device(DeviceEvent(change, index: index)), at: now)
    }

    /// Another program sends a command, and it succeeds.
    mutating func foreign(_ command: HCICommand) -> Actions {
        noted(machine.foreignCommandSent(command, at: now)) + reply(command.opcode)
    }

    @discardableResult
    mutating func report() -> Actions {
        machine.reportReceived(at: now)
    }

    /// Lets time pass; nothing may be due before.
    mutating func pass(_ duration: Duration, sourceLocation: SourceLocation = #_sourceLocation) -> Actions {
        now += duration.wholeNanoseconds - 1
        #expect(noted(machine.advanced(to: now)) == [], sourceLocation: sourceLocation)
        now += 1
        return noted(machine.advanced(to: now))
    }
}

extension Duration {
    var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension HCICommand {
    static let identify = HCICommand(ReadLocalSupportedCommands())
    static let disable = HCICommand(LESetScanEnable(isEnabled: false))
    static let enable = HCICommand(LESetScanEnable(isEnabled: true))
    static let enableFiltered = HCICommand(LESetScanEnable(isEnabled: true, filtersDuplicates: true))
    static let parameters = HCICommand(LESetScanParameters())
    static let active = HCICommand(LESetScanParameters(type: .active))
    static let theirTiming = HCICommand(LESetScanParameters(timing: .continuous))
    static let acceptList = HCICommand(LESetScanParameters(filterPolicy: .acceptListOnly))
    static let extendedDisable = HCICommand(LESetExtendedScanEnable(isEnabled: false))
    static let extendedEnable = HCICommand(LESetExtendedScanEnable(isEnabled: true))
    static let extendedParameters = HCICommand(LESetExtendedScanParameters())
}

extension SupportedCommands {
    static let legacy = SupportedCommands()
    static var extended: SupportedCommands {
        var commands = SupportedCommands()
        commands.insert(octet: 37, bit: 5)
        commands.insert(octet: 37, bit: 6)
        return commands
    }
}

extension AdapterUpdate {
    static let working = AdapterUpdate(
        state: .poweredOn, adapter: "hci0", cause: .working, reason: "hci0 is switched on and answers")
}

extension [ScannerStateMachine.Action] {
    /// The reported states.
    var states: [BluetoothState] {
        compactMap { action in
            if case .update(let update) = action { update.state } else { nil }
        }
    }

    /// The reported reasons.
    var reasons: String {
        compactMap { action in
            if case .update(let update) = action { update.reason } else { nil }
        }.joined(separator: " ")
    }

    /// All but the reports of the state.
    var others: Self {
        filter { action in
            if case .update = action { false } else { true }
        }
    }
}
