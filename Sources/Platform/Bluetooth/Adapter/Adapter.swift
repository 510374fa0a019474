import HCI
import OkaeriPlumbing

/// A Bluetooth adapter, as Linux sees it at the moment.
public struct Adapter: Hashable, Sendable {
    /// The reason why a radio is blocked.
    public enum RadioBlock: Hashable, Sendable {
        /// Nothing keeps it silent.
        case none

        /// Switched off in software: `rfkill unblock bluetooth` lifts it.
        case soft

        /// Switched off by a switch or key of the machine.
        case hard
    }

    /// The adapter's number, 0 for `hci0`.
    public var index: UInt16

    /// The kernel's name for it, `hci0`.
    public var name: String

    /// Whether it is switched on.
    public var isUp: Bool

    /// Whether rfkill holds it down.
    public var radioBlock: RadioBlock

    /// Whether the controller has Bluetooth LE. `true` as long as Linux has not read its features.
    public var hasLowEnergy: Bool

    /// Whether it is a stick of its own, so that no Wi-Fi shares its antenna.
    public var hasOwnAntenna: Bool

    /// An adapter as it was found; one without a switch of rfkill is not blocked.
    public init(
        index: UInt16, name: String, isUp: Bool, radioBlock: RadioBlock = .none, hasLowEnergy: Bool = true,
        hasOwnAntenna: Bool = false
    ) {
        self.index = index
        self.name = name
        self.isUp = isUp
        self.radioBlock = radioBlock
        self.hasLowEnergy = hasLowEnergy
        self.hasOwnAntenna = hasOwnAntenna
    }
}

/// Everything that scanning needs of this machine, looked at once.
public struct AdapterDiagnosis: Sendable {
    /// The adapters, or why they cannot be listed.
    public let adapters: Result<[Adapter], KernelError>

    /// Whether the process may scan; `nil` if the kernel does not report it.
    public let mayScan: Bool?

    /// Whether the process may switch adapters on; `nil` if the kernel does not report it. Scanning does not need it.
    public let maySwitchOn: Bool?

    /// Looks.
    public init(kernel: some BluetoothKernel = LinuxKernel()) {
        adapters = Result { () throws(KernelError) in try kernel.adapters() }
        mayScan = Capability.rawSockets.isEffective
        maySwitchOn = Capability.networkAdministration.isEffective
    }
}

/// A reason for each state, with the remedy.
extension AdapterUpdate {
    static func works(_ adapter: Adapter) -> AdapterUpdate {
        AdapterUpdate(
            state: .poweredOn, adapter: adapter.name, cause: .working,
            reason: "\(adapter.name) is switched on and answers")
    }

    static func on(_ adapter: Adapter) -> AdapterUpdate {
        AdapterUpdate(
            state: .poweredOn, adapter: adapter.name, cause: .working, reason: "\(adapter.name) is switched on")
    }

    static func absent(_ name: String?) -> AdapterUpdate {
        let reason =
            if let name {
                "there is no Bluetooth adapter \(name); plug it in, or name another one: `hciconfig -a` lists them"
            } else {
                "there is no Bluetooth adapter; plug one in, or look for the reason with `dmesg | grep -i bluetooth`"
            }
        return AdapterUpdate(state: .unsupported, adapter: name, cause: .noAdapter, reason: reason)
    }

    static func off(_ adapter: Adapter) -> AdapterUpdate {
        let name = adapter.name
        let up = "`bluetoothctl power on` or \(Remedy.machine("hciconfig \(name) up"))"
        let (cause, reason): (Cause, String) =
            switch adapter.radioBlock {
            case .none: (.switchedOff, "\(name) is switched off; switch it on with \(up)")
            case .soft:
                (
                    .blockedByProgram, "\(name) is blocked by rfkill; run `rfkill unblock bluetooth`, then \(up)"
                )
            case .hard:
                (
                    .blockedBySwitch,
                    "\(name) is blocked by a switch or key of this machine; move that, then run \(up)"
                )
            }
        return AdapterUpdate(state: .poweredOff, adapter: name, cause: cause, reason: reason)
    }

    static func withoutLowEnergy(_ adapter: Adapter) -> AdapterUpdate {
        AdapterUpdate(
            state: .unsupported, adapter: adapter.name, cause: .noLowEnergy,
            reason: "\(adapter.name) has no Bluetooth LE, which beacons use; plug in an adapter with Bluetooth 4.0 or "
                + "later, and name it in beacons.json if \(adapter.name) is named there")
    }

    static func powerCycled(_ adapter: Adapter) -> AdapterUpdate {
        AdapterUpdate(
            state: .resetting, adapter: adapter.name, cause: .powerCycling,
            reason: "\(adapter.name) was switched off and on again; the scan is restarted")
    }

    static func repaired(_ adapter: Adapter, isSuspected: Bool) -> AdapterUpdate {
        let name = adapter.name
        return AdapterUpdate(
            state: .poweredOn, adapter: name, cause: .repaired,
            reason: "\(name) answered and received nothing, so it was switched off and on"
                + (isSuspected ? "" : "; if no Bluetooth LE device is near, that is not a fault"))
    }

    static func notRepaired(_ adapter: Adapter, _ obstacle: RepairObstacle) -> AdapterUpdate {
        AdapterUpdate(
            state: .poweredOn, adapter: adapter.name, cause: .receivingNothing,
            reason:
                "\(adapter.name) answers and receives nothing: \(obstacle); if no Bluetooth LE device is near, that is "
                + "not a fault")
    }

    static func deaf(_ adapter: Adapter, _ obstacle: RepairObstacle) -> AdapterUpdate {
        AdapterUpdate(
            state: .resetting, adapter: adapter.name, cause: .receivingNothing,
            reason: "\(adapter.name) answers and receives nothing, though other devices were always received here: "
                + "\(obstacle); the regions are unknown until it receives again, and if that lasts, run "
                + "\(Remedy.machine("hciconfig \(adapter.name) reset")), or unplug it")
    }

    static func silent(_ adapter: Adapter, _ opcode: HCIOpcode) -> AdapterUpdate {
        AdapterUpdate(
            state: .resetting, adapter: adapter.name, cause: .commandUnanswered,
            reason: "\(adapter.name) did not answer \(opcode); the command is sent again, and if that lasts, run "
                + "\(Remedy.machine("hciconfig \(adapter.name) reset")), or unplug it")
    }

    static func hardwareError(_ adapter: Adapter, _ code: UInt8) -> AdapterUpdate {
        AdapterUpdate(
            state: .resetting, adapter: adapter.name, cause: .hardwareError,
            reason: "\(adapter.name) reported hardware error \(code); Linux restarts it, and if that keeps happening, "
                + "check its power supply and firmware")
    }

    static func refused(_ adapter: Adapter, _ opcode: HCIOpcode, _ status: HCIStatus) -> AdapterUpdate {
        let cause =
            status == .unknownCommand
            ? "the controller has no Bluetooth LE, or its firmware is not loaded; the command is tried again, "
                + "and `dmesg | grep -i bluetooth` shows missing firmware"
            : "another program may be using it; the command is tried again, and "
                + "\(Remedy.machine("btmon")) shows other commands"
        return AdapterUpdate(
            state: .resetting, adapter: adapter.name, cause: .commandRefused,
            reason: "\(adapter.name) refuses \(opcode) with \(status): \(cause)")
    }

    static func unanswered(_ adapter: String?) -> AdapterUpdate {
        AdapterUpdate(
            state: .unknown, adapter: adapter, cause: .notAnswered,
            reason: "\(adapter ?? "Bluetooth") has not answered; `dmesg | grep -i bluetooth` may show why")
    }

    static func failed(_ error: KernelError, _ adapter: String?) -> AdapterUpdate {
        AdapterUpdate(state: error.state, adapter: adapter, cause: error.cause, reason: error.description)
    }
}
