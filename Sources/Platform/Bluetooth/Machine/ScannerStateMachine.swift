public import HCI
import Plumbing

/// Decides the scanner's next steps from the events: which adapter to open, which command to send, what to report. It
/// does no input or output and knows no clock; times are nanoseconds of the monotonic clock.
///
/// Each function is an event, and returns what has to be done, in order. Events that answer an action come after it:
/// `openHotPlugSocket` → `hotPlugOpened` or `hotPlugFailed`, `inspectAdapters` → `adaptersInspected` or
/// `inspectionFailed`, `openScanSocket` → `scanSocketOpened` or `scanSocketFailed`, `powerCycle` → `powerCycled` or
/// `powerCycleFailed`.
public struct ScannerStateMachine: Sendable {
    /// The actions to take.
    public enum Action: Hashable, Sendable {
        /// Open the socket that reports changes of adapters, in place of the one there may be.
        case openHotPlugSocket

        /// List the adapters.
        case inspectAdapters

        /// Open the scan socket of this adapter.
        case openScanSocket(UInt16)

        /// Close the scan socket.
        case closeScanSocket

        /// Switch the adapter off and on: `powerCycled` or `powerCycleFailed` follows.
        case powerCycle(Adapter)

        /// Send on the scan socket; `scanSocketFailed` if that fails.
        case send(HCICommand)

        /// Report that the state has changed.
        case update(AdapterUpdate)

        /// Report the interval and window with which advertisements are received from now on; `nil`: they are not received.
        case listening(ScanTiming?)

        /// Report the choice of the interval and window, with its reason.
        case mode(ScanMode)

        /// The end: everything is off.
        case finish
    }

    enum Phase: Hashable, Sendable {
        /// Before `started`. → watching, finished
        case initial

        /// The hot-plug socket is being opened. → inspecting, waiting, finished
        case watching

        /// The adapters are being listed. → absent, off, idle, opening, waiting, finished
        case inspecting

        /// There is no adapter that can be used, or not the one that was named. The adapters are listed again at the time given.
        /// → inspecting, absent, off, idle, opening, waiting, finished
        case absent(recheckAt: Int64?)

        /// The adapter is switched off; the adapters are listed again at the time given. → inspecting, absent, off, idle, opening,
        /// waiting, finished
        case off(Adapter, recheckAt: Int64?)

        /// The adapter is switched on, and no scan is requested. → inspecting, absent, off, opening, waiting, finished
        case idle(Adapter)

        /// The scan socket is being opened. → idle, scanning, waiting, finished
        case opening(Adapter)

        /// The session goes on. → inspecting, absent, off, idle, opening, waiting, finished
        case scanning(Adapter)

        /// Something failed and is tried again at the time given. → watching, inspecting, absent, off, idle, opening,
        /// waiting, finished
        case waiting(UInt16?, until: Int64)

        /// The end.
        case finished
    }

    /// The times at which the adapters are listed again while one is off and none is used. Linux switches a new adapter
    /// off after two seconds unless a program wants it on, without an event (`HCI_AUTO_OFF`).
    static let rechecks: [Int64] = [1_000_000_000, 2_000_000_000]

    /// The silence, of all devices, from which on the controller is suspected to be deaf; `nil` where silence is normal.
    public var silenceLimit: Duration?

    var adapterName: String?
    var parameters: ScannerParameters
    var phase = Phase.initial
    var session: ScanSession?
    var isWatching = false
    var watchAgainAt: Int64?
    var isHeld = false
    var isScanWanted: Bool
    var isStopRequested = false
    var isListening = false

    /// The choice of the interval and window, and the mode that was reported last.
    var policy: ScanPolicy
    var lastMode: ScanMode?

    /// The connections that began during the session.
    var connections = Connections()
    var lastUpdate: AdapterUpdate?
    var rechecksDone = 0

    /// The index of an adapter that was switched off for a power cycle and could not be switched on. It is tried again.
    var switchOnAgain: UInt16?

    /// Whether a report was received since the start or since the last power cycle.
    var hasReceived = false

    /// Whether the present silence was reported, and another adapter tried where silence is not normal.
    var isSilenceReported = false

    var powerCycleAt = Int64.min

    /// The numbers of faults in a row, by the adapter's index.
    var faults: [UInt16: Int] = [:]

    /// The last fault that was reported of each adapter, by name, since one of them worked.
    var reportedFaults: [String: AdapterUpdate] = [:]
    var fault: BackOff
    var hopeless: BackOff

    /// A machine for one adapter, by its name, or for the first that is switched on.
    ///
    /// - Parameter isScanWanted: whether it scans from the start; otherwise it only watches what becomes of the adapter.
    public init(adapter: String?, parameters: ScannerParameters = ScannerParameters(), isScanWanted: Bool = true) {
        adapterName = adapter
        self.isScanWanted = isScanWanted
        self.parameters = parameters
        policy = ScanPolicy(parameters.scan)
        fault = BackOff(parameters.faultDelay, limit: parameters.faultDelayLimit)
        hopeless = BackOff(parameters.hopelessDelay, limit: parameters.hopelessDelayLimit)
    }

    /// The time at which `advanced(to:)` has something to do; `nil` for never.
    public var nextDeadline: Int64? {
        let own: Int64? =
            switch phase {
            case .initial, .watching, .inspecting, .idle, .opening, .finished: nil
            case .absent(let recheckAt), .off(_, let recheckAt): recheckAt
            case .scanning: session?.nextDeadline
            case .waiting(_, let until): until
            }
        return [own, watchAgainAt, policy.nextDeadline].compactMap { $0 }.min()
    }

    /// The adapter that is in use or was last; nil when there is none.
    var adapter: Adapter? {
        switch phase {
        case .initial, .watching, .inspecting, .absent, .waiting, .finished: nil
        case .off(let adapter, _), .idle(let adapter), .opening(let adapter), .scanning(let adapter): adapter
        }
    }
}
