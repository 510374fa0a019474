public import HCI
import Plumbing

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
    public mutating func scanSocketOpened(at now: Int64) -> [Action] {
        guard case .opening(let adapter) = phase else { return [] }
        guard isScanWanted else { return [.closeScanSocket] + idle(adapter) }
        phase = .scanning(adapter)
        connections = Connections()
        policy.adapterChosen(adapter, at: now)
        var session = ScanSession(parameters: parameters, timing: policy.mode.timing, isHeld: isHeld)
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
