import HCI
import OkaeriPlumbing

/// Events of the owner, of other programs, and of the controller itself.
extension ScanSession {
    /// Handles a foreign command: Linux shows it when it goes to the controller, before ours that still wait.
    mutating func foreignCommandSent(_ command: HCICommand, at now: Int64) -> [Output] {
        let effect = foreign.sent(command)
        if let family = foreign.commands, commands != nil, family != commands {
            // The controller obeys them in this family, so it will not obey us in the other one.
            commands = family
        }
        switch effect {
        case .none: return []
        case .ended: return scanEnded(at: now)
        case .began: return foreignScanBegan(at: now)
        case .reset:
            if case .commanding = phase, !isStopping {
                // The parameters may be lost between ours; the answer that is outstanding proves nothing any more.
                return listening(nil) + wait(.stolen, until: incident(at: now))
            }
            return scanEnded(at: now)
        }
    }

    mutating func scanTimedOut(at now: Int64) -> [Output] {
        foreign.timedOut()
        return scanEnded(at: now)
    }

    /// The scan is off, and not by us.
    mutating func scanEnded(at now: Int64) -> [Output] {
        switch phase {
        case .idle, .held, .stopped:
            return []
        case .commanding:
            // What is outstanding comes after it, and looks at the goal when it is answered.
            return []
        case .listening:
            return listening(nil) + wait(.stolen, until: incident(at: now))
        case .waiting(.filtered, let until):
            return wait(.stolen, until: until)
        case .waiting(.stolen, _), .waiting(.refused, _), .waiting(.broken, _):
            return []
        }
    }

    private mutating func foreignScanBegan(at now: Int64) -> [Output] {
        let delay: Int64
        switch phase {
        case .idle, .commanding, .held, .stopped, .waiting(.broken, _):
            return []
        case .listening:
            delay = incident(at: now)
        case .waiting(.stolen, _), .waiting(.filtered, _), .waiting(.refused, _):
            // The same incident goes on.
            delay = now.addingClamped(parameters.rearmDelay.clampedNanoseconds)
        }
        if !foreign.reportsUnknownDevices {
            return listening(nil) + wait(.stolen, until: delay)
        }
        if foreign.filtersDuplicates {
            return listening(nil) + wait(.filtered, until: delay)
        }
        // Their scan serves us as it is.
        armedAt = now
        return listen(at: now)
    }

    /// Returns when to react to another program's change of the scan: later each time if it soon happens again.
    private mutating func incident(at now: Int64) -> Int64 {
        if now >= armedAt.addingClamped(parameters.calmPeriod.clampedNanoseconds) { rearm.reset() }
        return rearm.next(after: now)
    }

    /// The controller is broken. Linux closes and opens it, which ends the session; otherwise the scan is retried.
    mutating func hardwareErrorReported(_ code: UInt8, at now: Int64) -> [Output] {
        switch phase {
        case .idle, .stopped:
            return []
        case .commanding, .listening, .waiting, .held:
            if isStopping { return stop() }
            return listening(nil) + wait(.broken, until: fault.next(after: now)) + [.hardwareError(code)]
        }
    }

    /// The owner wants silence.
    mutating func held(at now: Int64) -> [Output] {
        guard !isHeld else { return [] }
        (isHeld, probeAfterRetiming) = (true, nil)
        switch phase {
        case .idle, .held, .stopped, .commanding, .waiting(.broken, _):
            // Whether the scan of a broken controller is off shows only when it answers.
            return listening(nil)
        case .listening where !foreign.isScanning:
            return listening(nil) + begin(at: now)
        case .listening, .waiting(.stolen, _), .waiting(.filtered, _), .waiting(.refused, _):
            // The scan is off, or it belongs to others: not ours to end.
            phase = .held
            return listening(nil)
        }
    }

    /// The owner wants to hear again.
    mutating func released(at now: Int64) -> [Output] {
        guard isHeld else { return [] }
        isHeld = false
        switch phase {
        case .held: return begin(at: now)
        case .idle, .commanding, .listening, .waiting, .stopped: return []
        }
    }

    /// The owner wants the end: the scan is not left on.
    mutating func stopRequested(at now: Int64) -> [Output] {
        guard !isStopping else { return [] }
        isStopping = true
        switch phase {
        case .commanding: return []
        case .listening where !foreign.isScanning: return begin(at: now)
        case .waiting(.broken, _): return farewell() + stop()
        case .idle, .listening, .waiting, .held: return stop()
        case .stopped: return []
        }
    }

    /// For a controller that does not answer: perhaps it still receives.
    private func farewell() -> [Output] {
        isForeignPossible ? [] : commands.map { [.send($0.enable(false))] } ?? []
    }
}
