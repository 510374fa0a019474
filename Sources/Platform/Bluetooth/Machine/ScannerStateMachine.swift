public import HCI
import OkaeriPlumbing

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

    /// Whether the controller is to answer a command.
    var awaitsAnswer: Bool { if case .commanding = session?.phase { true } else { false } }

    /// The adapter that is in use or was last; nil when there is none.
    var adapter: Adapter? {
        switch phase {
        case .initial, .watching, .inspecting, .absent, .waiting, .finished: nil
        case .off(let adapter, _), .idle(let adapter), .opening(let adapter), .scanning(let adapter): adapter
        }
    }
}

/// The choice of the adapter, if the configuration names none.
extension ScannerStateMachine {
    /// The number of faults in a row after which another adapter is tried.
    static let faultsTolerated = 3

    /// Counts a fault of the adapter in use. After some in a row, the adapters are listed, so that another one is chosen.
    mutating func faultNoted(_ adapter: Adapter) -> [Action] {
        guard adapterName == nil else { return [] }
        faults[adapter.index, default: 0] += 1
        return faults[adapter.index, default: 0].isMultiple(of: Self.faultsTolerated) ? [.inspectAdapters] : []
    }

    /// The adapter in use answers.
    mutating func faultsEnded(_ adapter: Adapter) {
        faults[adapter.index] = nil
        fault.reset()
        hopeless.reset()
    }

    /// Opens an adapter. One that has failed is opened after a delay, so that failing adapters make no fast loop.
    mutating func open(_ chosen: Adapter, at now: Int64) -> [Action] {
        let former = currentIndex
        var actions = endSession()
        if lastUpdate == .works(chosen) { actions += update(.powerCycled(chosen)) }
        if isFailing(chosen), let former, former != chosen.index {
            faults[chosen.index] = nil
            phase = .waiting(chosen.index, until: fault.next(after: now))
            return actions
        }
        phase = .opening(chosen)
        return actions + [.openScanSocket(chosen.index)]
    }

    /// Returns the configured adapter, or the best: the working one, then one that has not failed, then the next.
    func choose(_ adapters: [Adapter]) -> Adapter? {
        if let adapterName { return adapters.first { $0.name == adapterName } }
        let current = adapters.first { $0.index == currentIndex }
        let usable = adapters.filter { $0.isUp && $0.hasLowEnergy }
        let working = usable.filter { !isFailing($0) }
        if let current, working.contains(current) { return current }
        return working.first ?? usable.first { $0.index > currentIndex ?? .max } ?? usable.first
            ?? adapters.first(where: \.isUp) ?? current ?? adapters.first
    }

    private func isFailing(_ adapter: Adapter) -> Bool { faults[adapter.index, default: 0] >= Self.faultsTolerated }

    /// The index of the adapter that is in use, or that is waited for.
    private var currentIndex: UInt16? {
        if case .waiting(let index, _) = phase { return index }
        return adapter?.index
    }
}

/// The choice of the scan interval and window, and its changes during a scan.
extension ScannerStateMachine {
    /// Handles that 2.4 GHz Wi-Fi, which may share the antenna, is in use from now on or no longer; `nil`: it is unknown.
    public mutating func wifiChanged(isUsed: Bool?, at now: Int64) -> [Action] {
        policy.wifiChanged(isUsed: isUsed, at: now)
        return modeDecided(at: now)
    }

    /// Handles that a beacon that keeps a region inside is late, or no longer.
    public mutating func lateBeaconChanged(_ isLate: Bool, at now: Int64) -> [Action] {
        policy.lateBeaconChanged(isLate, at: now)
        return modeDecided(at: now)
    }

    /// Whether ``lateBeaconChanged(_:at:)`` may change the scan.
    public var heedsLateBeacons: Bool { policy.heedsLateBeacons }

    /// Whether a beacon was late at the last ``lateBeaconChanged(_:at:)``.
    public var isBeaconLate: Bool { policy.isBeaconLate }

    /// Passes the scan's state to the policy, and its decision to the session.
    mutating func modeDecided(at now: Int64) -> [Action] {
        policy.advanced(to: now, isPaused: !(session?.followsTiming ?? false), hasConnection: !connections.isEmpty)
        let timing = policy.mode.timing
        let actions = session?.timing == timing ? [] : inSession { $0.timingChanged(timing, at: now) }
        return actions + modeReported()
    }

    /// The mode, if it has changed; not before the first scan.
    mutating func modeReported() -> [Action] {
        guard isListening || lastMode != nil else { return [] }
        let theirs = session?.adoptedTiming.map { ScanMode(timing: $0, reason: .otherProgram) }
        let mode = theirs ?? policy.mode
        guard mode != lastMode else { return [] }
        lastMode = mode
        return [.mode(mode)]
    }
}

extension ScannerStateMachine {
    /// The scanner begins.
    public mutating func started(at now: Int64) -> [Action] {
        guard phase == .initial else { return [] }
        phase = .watching
        return [.openHotPlugSocket]
    }

    /// Handles that adapters that come and go are reported from now on.
    public mutating func hotPlugOpened(at now: Int64) -> [Action] {
        isWatching = true
        watchAgainAt = nil
        return [.inspectAdapters]
    }

    /// The hot-plug socket could not be opened, or has failed.
    public mutating func hotPlugFailed(_ error: KernelError, at now: Int64) -> [Action] {
        guard phase != .finished else { return [] }
        isWatching = false
        if session != nil {
            // The scan goes on by itself.
            watchAgainAt = fault.next(after: now)
            return []
        }
        return failed(error, adapter: nil, at: now)
    }

    /// An adapter has come, gone, or was switched.
    public mutating func deviceEventReceived(_ event: DeviceEvent, at now: Int64) -> [Action] {
        guard phase != .finished else { return [] }
        rechecksDone = 0
        faults[event.index] = nil
        var actions: [Action] = []
        switch event.change {
        case .down, .unregistered:
            if let adapter, adapter.index == event.index, session != nil {
                // It may be up again by now, but the scan is gone.
                actions = endSession()
                phase = .inspecting
            }
        case .up, .registered:
            if case .waiting(event.index, _) = phase { phase = .inspecting }
        }
        return actions + [.inspectAdapters]
    }

    /// These are the adapters.
    public mutating func adaptersInspected(_ adapters: [Adapter], at now: Int64) -> [Action] {
        guard phase != .finished else { return [] }
        guard let chosen = choose(adapters) else {
            let actions = endSession()
            phase = .absent(recheckAt: nil)
            return actions + update(.absent(adapterName))
        }
        guard chosen.isUp else {
            let actions = endSession()
            let isCycled = switchOnAgain == chosen.index
            phase = .off(chosen, recheckAt: isCycled ? fault.next(after: now) : recheckTime(from: now))
            return actions + update(.off(chosen))
        }
        if switchOnAgain == chosen.index { switchOnAgain = nil }
        guard chosen.hasLowEnergy else {
            let actions = endSession()
            // One that is off may be switched on without an event, and may have Bluetooth LE.
            let recheckAt = adapterName == nil && !adapters.allSatisfy(\.isUp) ? recheckTime(from: now) : nil
            phase = .absent(recheckAt: recheckAt)
            return actions + update(.withoutLowEnergy(chosen))
        }
        guard isScanWanted else { return idle(chosen) }
        switch phase {
        case .scanning(let adapter) where adapter.index == chosen.index: return []
        case .opening(let adapter) where adapter.index == chosen.index: return []
        // It failed a moment ago: not at once again.
        case .waiting(chosen.index, _): return []
        case .initial, .watching, .inspecting, .absent, .off, .idle, .opening, .scanning, .waiting, .finished:
            return open(chosen, at: now)
        }
    }

    /// The adapters could not be listed.
    public mutating func inspectionFailed(_ error: KernelError, at now: Int64) -> [Action] {
        // A scan that goes on does not need the list.
        guard phase != .finished, session == nil else { return [] }
        return failed(error, adapter: nil, at: now)
    }

    /// The scan socket is open.
    ///
    /// - Parameter isDiscovering: Whether the kernel discovers devices for another program, so that its scan may be on already.
    public mutating func scanSocketOpened(isDiscovering: Bool = false, at now: Int64) -> [Action] {
        guard case .opening(let adapter) = phase else { return [] }
        guard isScanWanted else { return [.closeScanSocket] + idle(adapter) }
        phase = .scanning(adapter)
        connections = Connections()
        policy.adapterChosen(adapter, at: now)
        var session = ScanSession(parameters: parameters, timing: policy.mode.timing, isHeld: isHeld)
        if isDiscovering { session.foreign.suspected() }
        let outputs = session.begin(at: now)
        self.session = session
        return actions(outputs)
    }

    /// The scan socket could not be opened, or sending or receiving failed.
    public mutating func scanSocketFailed(_ error: KernelError, at now: Int64) -> [Action] {
        guard let adapter, phase != .finished else { return [] }
        if session?.isStopping == true {
            let actions = endSession()
            phase = isStopRequested ? .finished : .inspecting
            return actions + [isStopRequested ? .finish : .inspectAdapters]
        }
        return failed(error, adapter: adapter, at: now)
    }

    /// Returns when to list the adapters again; nil once all rechecks are done.
    private func recheckTime(from now: Int64) -> Int64? {
        rechecksDone < Self.rechecks.count ? now.addingClamped(Self.rechecks[rechecksDone]) : nil
    }

    mutating func endSession() -> [Action] {
        guard session != nil else { return [] }
        session = nil
        return listening(nil) + [.closeScanSocket]
    }

    /// Reports a failure and waits; lists the adapters first if they may explain it.
    private mutating func failed(_ error: KernelError, adapter: Adapter?, at now: Int64) -> [Action] {
        let ended = endSession()
        let state = error.state
        let until = state == .resetting ? fault.next(after: now) : hopeless.next(after: now)
        phase = .waiting(adapter?.index, until: until)
        var updated = update(.failed(error, adapter?.name ?? adapterName))
        guard let adapter else { return ended + updated }
        if state == .resetting { updated += faultNoted(adapter) }
        if error.isAboutTheAdapter, updated.last != .inspectAdapters { updated.append(.inspectAdapters) }
        return ended + updated
    }

    /// The adapter is there, and that is all that is wanted of it.
    private mutating func idle(_ adapter: Adapter) -> [Action] {
        // The scan is being switched off, or another adapter's is.
        if case .scanning(let current) = phase, current.index == adapter.index, session?.isStopping == true {
            return []
        }
        let actions = endSession()
        phase = .idle(adapter)
        return lastUpdate == .works(adapter) ? actions : actions + update(.on(adapter))
    }
}
