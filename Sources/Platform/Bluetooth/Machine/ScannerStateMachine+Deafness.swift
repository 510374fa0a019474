import Glibc
import Plumbing

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
