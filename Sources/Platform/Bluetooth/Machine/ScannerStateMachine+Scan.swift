import Glibc
public import HCI
import OkaeriPlumbing

/// Events of the session with the adapter, and requests of the owner.
extension ScannerStateMachine {
    /// The controller sent something that is not an advert.
    public mutating func eventReceived(_ event: HCIEvent, at now: Int64) -> [Action] {
        switch event {
        case .commandComplete(let reply):
            return inSession { $0.replied(reply, at: now) }
        case .commandStatus(let reply):
            // Success means that the command is being carried out; the answer follows.
            if reply.status == .success { return [] }
            return inSession { $0.replied(CommandComplete(opcode: reply.opcode, status: reply.status), at: now) }
        case .hardwareError(let code):
            return inSession { $0.hardwareErrorReported(code, at: now) }
        case .leMeta(.scanTimeout, _):
            return inSession { $0.scanTimedOut(at: now) }
        case .device(let event):
            return deviceEventReceived(event, at: now)
        case .leMeta(.connectionComplete, let parameters), .leMeta(.enhancedConnectionComplete, let parameters):
            connections.completed(parameters)
            return modeDecided(at: now)
        case .other(.disconnectionComplete, let parameters):
            connections.ended(parameters)
            return modeDecided(at: now)
        case .leMeta, .other:
            return []
        }
    }

    /// Another program, or Linux itself, sent a command to the controller.
    public mutating func foreignCommandSent(_ command: HCICommand, at now: Int64) -> [Action] {
        inSession { $0.foreignCommandSent(command, at: now) }
    }

    /// A well-formed advertising report came in.
    public mutating func reportReceived(at now: Int64) -> [Action] {
        guard session != nil else { return [] }
        (hasReceived, isSilenceReported) = (true, false)
        // Not `inSession`: this is done for each batch of reports, and there is nothing to do.
        let outputs = session?.heard(at: now) ?? []
        let actions = outputs.isEmpty ? [] : actions(outputs)
        // Reports from another program's scan show that Bluetooth works, though our commands were not answered.
        guard session?.isListening == true, lastUpdate?.state != .poweredOn else { return actions }
        return actions + self.actions([.works])
    }

    /// The owner wants silence on the air, for a while.
    public mutating func held(at now: Int64) -> [Action] {
        isHeld = true
        return inSession { $0.held(at: now) } + modeDecided(at: now)
    }

    /// The owner wants to hear again.
    public mutating func released(at now: Int64) -> [Action] {
        isHeld = false
        return inSession { $0.released(at: now) } + modeDecided(at: now)
    }

    /// The owner wants to scan.
    public mutating func scanWanted(at now: Int64) -> [Action] {
        isScanWanted = true
        guard case .idle(let adapter) = phase else { return [] }
        phase = .opening(adapter)
        return [.openScanSocket(adapter.index)]
    }

    /// The owner wants no scan any more, only to know what becomes of the adapter.
    public mutating func scanUnwanted(at now: Int64) -> [Action] {
        isScanWanted = false
        return inSession { $0.stopRequested(at: now) }
    }

    /// The owner names another adapter, or other parameters. The scan ends on the adapter in use and begins anew; what is known
    /// of the air stays. Another choice of the interval and window alone only restarts the scan.
    public mutating func reconfigured(
        adapter: String?, parameters: ScannerParameters, at now: Int64
    ) -> [Action] {
        policy.configured(parameters.scan, at: now)
        self.parameters.scan = parameters.scan
        guard adapterName != adapter || self.parameters != parameters else { return modeDecided(at: now) }
        (adapterName, self.parameters) = (adapter, parameters)
        (hasReceived, isSilenceReported, rechecksDone) = (false, false, 0)
        switch phase {
        // The adapters are chosen, or the scan begins, later.
        case .initial, .watching, .inspecting, .opening, .finished: return []
        case .absent, .off, .idle, .waiting: return tryAgain()
        case .scanning: return inSession { $0.stopRequested(at: now) }
        }
    }

    /// The owner wants the end. `finish` follows, when the scan is off.
    public mutating func stopRequested(at now: Int64) -> [Action] {
        guard phase != .finished else { return [] }
        isStopRequested = true
        guard session != nil else {
            phase = .finished
            return [.finish]
        }
        return inSession { $0.stopRequested(at: now) }
    }

    /// Something outside may have changed: what failed is tried again now.
    public mutating func woken(at now: Int64) -> [Action] {
        switch phase {
        case .initial, .watching, .inspecting, .opening, .finished:
            return []
        case .absent, .off, .idle, .scanning:
            return isWatching ? [.inspectAdapters] : [.openHotPlugSocket]
        case .waiting:
            return tryAgain()
        }
    }

    /// Handles that the time of `nextDeadline` has come.
    public mutating func advanced(to now: Int64) -> [Action] {
        var actions = modeDecided(at: now)
        if let watchAgainAt, now >= watchAgainAt {
            self.watchAgainAt = nil
            actions.append(.openHotPlugSocket)
        }
        switch phase {
        case .initial, .watching, .inspecting, .idle, .opening, .finished:
            break
        case .absent(let recheckAt):
            guard let recheckAt, now >= recheckAt else { break }
            rechecksDone += 1
            phase = .absent(recheckAt: nil)
            actions.append(.inspectAdapters)
        case .off(let adapter, let recheckAt):
            guard let recheckAt, now >= recheckAt else { break }
            if switchOnAgain == adapter.index {
                phase = .off(adapter, recheckAt: fault.next(after: now))
                actions.append(.powerCycle(adapter))
            } else {
                rechecksDone += 1
                phase = .off(adapter, recheckAt: nil)
                actions.append(.inspectAdapters)
            }
        case .scanning(let adapter):
            actions += probed(adapter, at: now) ?? inSession { $0.advanced(to: now) }
        case .waiting(_, let until):
            if now >= until { actions += tryAgain() }
        }
        return actions
    }

    private mutating func tryAgain() -> [Action] {
        phase = isWatching ? .inspecting : .watching
        return [isWatching ? .inspectAdapters : .openHotPlugSocket]
    }

    mutating func inSession(_ body: (inout ScanSession) -> [ScanSession.Output]) -> [Action] {
        guard var session else { return [] }
        // Taken out, so that it is changed in place and not copied.
        self.session = nil
        let outputs = body(&session)
        self.session = session
        return actions(outputs)
    }

    mutating func actions(_ outputs: [ScanSession.Output]) -> [Action] {
        guard case .scanning(let adapter) = phase else { return [] }
        var actions: [Action] = []
        for output in outputs {
            switch output {
            case .send(let command):
                actions.append(.send(command))
            case .listening(let timing):
                actions += listening(timing)
            case .works:
                faultsEnded(adapter)
                actions += update(.works(adapter))
            case .silent(let opcode):
                actions += update(.silent(adapter, opcode)) + faultNoted(adapter)
            case .refused(let opcode, let status):
                actions += update(.refused(adapter, opcode, status)) + faultNoted(adapter)
            case .hardwareError(let code):
                actions += update(.hardwareError(adapter, code)) + faultNoted(adapter)
            case .stopped:
                session = nil
                actions += [.closeScanSocket] + scanEnded(on: adapter)
            }
        }
        return actions
    }

    /// The scan is off, as the owner wanted.
    private mutating func scanEnded(on adapter: Adapter) -> [Action] {
        if isStopRequested {
            phase = .finished
            return [.finish]
        }
        if isScanWanted {
            guard adapterName == nil || adapterName == adapter.name else {
                phase = .inspecting
                return [.inspectAdapters]
            }
            phase = .opening(adapter)
            return [.openScanSocket(adapter.index)]
        }
        phase = .idle(adapter)
        return [.inspectAdapters]
    }

    mutating func update(_ update: AdapterUpdate) -> [Action] {
        guard update != lastUpdate else { return [] }
        if update.state != .resetting {
            reportedFaults = [:]
        } else if reportedFaults.updateValue(update, forKey: update.adapter ?? "") == update {
            // Adapters that all fail are tried in turn; the fault of each is reported once.
            return []
        }
        lastUpdate = update
        return [.update(update)]
    }

    mutating func listening(_ timing: ScanTiming?) -> [Action] {
        guard timing != nil || isListening else { return [] }
        isListening = timing != nil
        return isListening ? modeReported() + [.listening(timing)] : [.listening(nil)] + modeReported()
    }
}

/// A controller that answers commands and receives nothing, which no new scan repairs.
///
/// The controller itself does not distinguish that from an empty house. ``silenceLimit`` is `nil` where silence is normal; only
/// where it is not can a silence prove that the controller is deaf.
extension ScannerStateMachine {
    /// Returns the actions that follow from the silence so far when a probe is due, or `nil` for the probe alone.
    mutating func probed(_ adapter: Adapter, at now: Int64) -> [Action]? {
        // A process that was stopped for a while has reports waiting: they come in before the second probe.
        guard let session, session.isProbeDue(at: now), session.hasProbed || !hasReceived,
            isTooLong(now.subtractingClamped(session.silentSince))
        else { return nil }
        let obstacle: RepairObstacle? =
            if !hasReceived {
                .fruitless
            } else if session.foreign.isScanning {
                .foreignScan
            } else if parameters.powerCyclePeriod == nil {
                .notWanted
            } else if now < powerCycleAt {
                .tooEarly
            } else {
                nil
            }
        guard let obstacle else { return [.powerCycle(adapter)] }
        return notRepaired(adapter, obstacle, at: now)
    }

    /// The adapter was switched off and on. The events of that open it again; without them, the end of a delay does.
    public mutating func powerCycled(_ adapter: Adapter, at now: Int64) -> [Action] {
        guard case .scanning(adapter) = phase else { return [] }
        let isSuspected = silenceLimit != nil
        hasReceived = false
        powerCycleAt = now.addingClamped(parameters.powerCyclePeriod?.clampedNanoseconds ?? .max)
        let ended = endSession()
        phase = .waiting(adapter.index, until: fault.next(after: now))
        return ended + update(.repaired(adapter, isSuspected: isSuspected))
    }

    /// The adapter was not switched off and on, or does not come back.
    public mutating func powerCycleFailed(_ adapter: Adapter, _ error: KernelError, at now: Int64) -> [Action] {
        if error.operation == .switchOn, error.code != ERFKILL { switchOnAgain = adapter.index }
        guard case .scanning(adapter) = phase else { return [] }
        // What is refused now is refused for a while: not reported with every departure.
        if silenceLimit == nil {
            powerCycleAt = now.addingClamped(parameters.powerCyclePeriod?.clampedNanoseconds ?? .max)
        }
        return notRepaired(adapter, .failure(error), at: now)
    }

    /// Reports what cannot be repaired, and goes on with the probe.
    private mutating func notRepaired(_ adapter: Adapter, _ obstacle: RepairObstacle, at now: Int64) -> [Action] {
        var actions: [Action] = []
        if silenceLimit == nil {
            guard obstacle.isWorthReporting, !isSilenceReported else { return inSession { $0.advanced(to: now) } }
            actions = update(.notRepaired(adapter, obstacle))
        } else if session?.isDeaf == false {
            actions = inSession { $0.foundDeaf() } + update(.deaf(adapter, obstacle))
        }
        isSilenceReported = true
        return actions + inSession { $0.advanced(to: now) }
    }

    /// Whether a silence calls for more than a new scan. After a power cycle the limit alone counts; before it there is time for
    /// one new scan.
    private func isTooLong(_ silence: Int64) -> Bool {
        guard let silenceLimit else { return silence >= parameters.normalSilence.clampedNanoseconds }
        let quiet = parameters.quietPeriod.clampedNanoseconds
        let limit = silenceLimit.clampedNanoseconds
        return silence >= (hasReceived ? max(limit, quiet.addingClamped(quiet).addingClamped(quiet)) : limit)
    }
}

/// The reason why a controller that receives nothing is not switched off and on.
enum RepairObstacle: Hashable, Sendable {
    /// It received nothing after it was last switched off and on, or never.
    case fruitless

    /// Another program scans.
    case foreignScan

    /// It was switched off and on a short while ago.
    case tooEarly

    /// This program does not switch adapters.
    case notWanted

    /// Linux refuses.
    case failure(KernelError)

    /// Whether the reason is news where silence is normal.
    var isWorthReporting: Bool {
        switch self {
        case .fruitless, .tooEarly, .notWanted: false
        case .foreignScan, .failure: true
        }
    }
}

extension RepairObstacle: CustomStringConvertible {
    var description: String {
        switch self {
        case .fruitless: "switching it off and on did not help"
        case .foreignScan: "it is not switched off and on while another program scans"
        case .tooEarly: "it was switched off and on a short while ago"
        case .notWanted: "this program does not switch it off and on"
        case .failure(let error): error.description
        }
    }
}
