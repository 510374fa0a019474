/// The present state of Bluetooth, with the terms of CoreBluetooth (`CBManagerState`): the state of one adapter, as its HCI
/// socket shows it. `BlueZ.ManagerState` has the same words for what bluetoothd does.
public enum BluetoothState: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing is known yet.
    case unknown

    /// The adapter does not answer or does not obey; it is tried again.
    case resetting

    /// There is no Bluetooth, or no adapter.
    case unsupported

    /// The process may not scan.
    case unauthorized

    /// The adapter is switched off.
    case poweredOff

    /// The adapter works.
    case poweredOn
}

/// Whether the process may use Bluetooth: CoreLocation's `CLAuthorizationStatus`, CoreBluetooth's `CBManagerAuthorization`.
///
/// Linux shows no dialog. The rights of the process and the machine decide, so the status follows from the state of Bluetooth.
public enum AuthorizationStatus: String, Hashable, Sendable, CaseIterable {
    /// Bluetooth was not requested yet, or the adapter has not answered.
    case notDetermined

    /// The process has no adapter to use. A right of the process does not change that; an adapter, or a change of the sandbox, does.
    case restricted

    /// The process has no right to Bluetooth.
    case denied

    /// The process may use Bluetooth, whether it is switched on or off.
    case authorized

    /// The status that follows from a state.
    public init(_ state: BluetoothState) {
        switch state {
        case .unknown, .resetting: self = .notDetermined
        case .unsupported: self = .restricted
        case .unauthorized: self = .denied
        case .poweredOff, .poweredOn: self = .authorized
        }
    }
}

/// Bluetooth's state has changed.
public struct AdapterUpdate: Hashable, Sendable {
    /// The cause of a state, for programs. ``reason`` is its text for people.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The adapter has not answered yet.
        case notAnswered

        /// The adapter works.
        case working

        /// The adapter received nothing, and was switched off and on.
        case repaired

        /// The adapter answers and receives nothing.
        case receivingNothing

        /// An adapter is missing, or the one of that name.
        case noAdapter

        /// The adapter has no Bluetooth LE.
        case noLowEnergy

        /// The kernel has no Bluetooth, or the process may not open sockets of it.
        case noKernelSupport

        /// The process lacks a right.
        case notPermitted

        /// The adapter is switched off.
        case switchedOff

        /// A program has blocked the adapter with rfkill.
        case blockedByProgram

        /// A switch or key of the machine has blocked the adapter.
        case blockedBySwitch

        /// The adapter is being switched off and on.
        case powerCycling

        /// The adapter does not answer a command.
        case commandUnanswered

        /// The adapter refuses a command.
        case commandRefused

        /// The adapter reports a fault of its hardware.
        case hardwareError

        /// A system call failed.
        case systemCallFailed

        /// A cause without a case here, such as in a report of another machine.
        case other
    }

    /// The state now.
    public var state: BluetoothState

    /// The adapter's name, `hci0`; `nil` if there is none.
    public var adapter: String?

    /// The cause, for programs.
    public var cause: Cause

    /// The event, its reason and the remedy, for people.
    public var reason: String

    /// A change to `state`, with its cause, and with its reason in sentences for people.
    public init(state: BluetoothState, adapter: String?, cause: Cause = .other, reason: String) {
        self.state = state
        self.adapter = adapter
        self.cause = cause
        self.reason = reason
    }

    /// Whether the process may use Bluetooth.
    public var authorization: AuthorizationStatus { AuthorizationStatus(state) }
}

extension AdapterUpdate.Cause: CustomStringConvertible {
    /// The predicate of a sentence about the adapter or Bluetooth: `is switched off`.
    public var description: String {
        switch self {
        case .notAnswered: "has not answered yet"
        case .working: "works"
        case .repaired: "received nothing, and was switched off and on"
        case .receivingNothing: "answers and receives nothing"
        case .noAdapter: "is not there"
        case .noLowEnergy: "has no Bluetooth LE"
        case .noKernelSupport: "is not supported by the kernel, or not allowed in this sandbox"
        case .notPermitted: "may not be used by this process"
        case .switchedOff: "is switched off"
        case .blockedByProgram: "is blocked by rfkill"
        case .blockedBySwitch: "is blocked by a switch or key of the machine"
        case .powerCycling: "is being switched off and on"
        case .commandUnanswered: "does not answer a command"
        case .commandRefused: "refuses a command"
        case .hardwareError: "reports a fault of its hardware"
        case .systemCallFailed: "cannot be used, because a system call failed"
        case .other: "has another state"
        }
    }
}

/// The configured choice of the scan interval and window.
public enum ScanSetting: Hashable, Sendable {
    /// The scanner chooses: continuous where no 2.4 GHz Wi-Fi uses the antenna, otherwise shared, and continuous while a beacon is
    /// late, for a share of any ten minutes; 0 for never.
    case automatic(lateShare: Double = ScanSetting.usualLateShare)

    /// ``ScanTiming/continuous``, whatever Wi-Fi does.
    case continuous

    /// ``ScanTiming/shared``, also without Wi-Fi.
    case shared

    /// This interval and window.
    case fixed(ScanTiming)

    /// The share of any ten minutes in which the scan is continuous because a beacon is late: two minutes.
    public static let usualLateShare = 0.2
}

/// The scan interval and window that are chosen, and the reason.
public struct ScanMode: Hashable, Sendable {
    /// The reason for a timing. The raw values are those of the API.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The configuration fixes it.
        case configured

        /// 2.4 GHz Wi-Fi is in use.
        case wifiInUse

        /// Wi-Fi may be in use at 2.4 GHz.
        case wifiUnknown

        /// No 2.4 GHz Wi-Fi is in use.
        case wifiNotInUse

        /// The adapter is a stick with an antenna of its own.
        case ownAntenna

        /// A Bluetooth connection needs time between the scan windows.
        case connection

        /// A beacon that keeps a region inside is late, or was until a moment ago.
        case lateBeacon

        /// A beacon is late, and the share of continuous scanning is used up.
        case lateShareUsed

        /// Another program scans, with its own parameters.
        case otherProgram
    }

    /// The interval and the window.
    public var timing: ScanTiming

    /// The reason for them.
    public var reason: Reason

    /// A timing with its reason.
    public init(timing: ScanTiming, reason: Reason) {
        (self.timing, self.reason) = (timing, reason)
    }
}

extension ScanMode: CustomStringConvertible {
    /// `half of the time: 2.4 GHz Wi-Fi is in use`.
    public var description: String { "\(extent): \(reason)" }

    /// The share of the time, in words.
    public var extent: String {
        timing.share >= 1 ? "all of the time" : "\(Int((timing.share * 100).rounded())) % of the time"
    }
}

extension ScanMode.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .configured: "the configuration fixes it"
        case .wifiInUse: "2.4 GHz Wi-Fi is in use"
        case .wifiUnknown: "it is unknown whether 2.4 GHz Wi-Fi is in use"
        case .wifiNotInUse: "no 2.4 GHz Wi-Fi is in use"
        case .ownAntenna: "the adapter is a stick with an antenna of its own"
        case .connection: "the adapter has a Bluetooth connection"
        case .lateBeacon: "a beacon is late"
        case .lateShareUsed: "a beacon is late, and the time for continuous scanning is used up"
        case .otherProgram: "another program scans with its own parameters"
        }
    }
}
