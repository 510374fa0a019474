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

/// Bluetooth's state has changed.
public struct AdapterUpdate: Hashable, Sendable {
    /// The state now.
    public var state: BluetoothState

    /// The adapter's name, `hci0`; `nil` if there is none.
    public var adapter: String?

    /// The event, its reason and the remedy, for people.
    public var reason: String

    /// A change to `state`, with its reason in sentences for people.
    public init(state: BluetoothState, adapter: String?, reason: String) {
        self.state = state
        self.adapter = adapter
        self.reason = reason
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
