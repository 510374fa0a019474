import HCI
import Plumbing

extension ScanSession {
    /// Sends the first command towards the goal.
    mutating func begin(at now: Int64) -> [Output] {
        guard let commands else {
            return isStopping ? stop() : send(.identify, HCICommand(ReadLocalSupportedCommands()), at: now)
        }
        // Enabling a scan that runs changes its duplicate filter (Core Specification, Vol 4, Part E, 7.8.11, 7.8.65).
        // To disable it first would make Linux forget the end of its discovery, which would go on for ever.
        if goal == .adopt, changesRunningScans { return send(.enable, commands.enable(true), at: now) }
        return send(.disable, commands.enable(false), at: now)
    }

    mutating func stop() -> [Output] {
        phase = .stopped
        return listening(nil) + [.stopped]
    }

    /// The controller has answered; answers to the commands of others go to the foreign scan.
    mutating func replied(_ reply: CommandComplete, at now: Int64) -> [Output] {
        let status = reply.status ?? .success
        let (isTheirs, effect) = foreign.takes(reply.opcode, status)
        if isTheirs { return effect == .ended ? scanEnded(at: now) : [] }
        guard case .commanding(let outstanding) = phase, outstanding.command.opcode == reply.opcode else { return [] }
        switch outstanding.step {
        case .identify:
            supported = ScanCommands(reply)
            commands = supported
            return begin(at: now)
        case .disable:
            return disabled(status, at: now)
        case .parameters:
            guard status == .success else { return refused(outstanding, status, at: now) }
            foreign.parametersReplaced()
            accepted = outstanding.timing
            guard let commands, goal == .scan, accepted == timing else { return begin(at: now) }
            return send(.enable, commands.enable(true), at: now)
        case .enable:
            guard status == .success else { return refused(outstanding, status, at: now) }
            return enabled(outstanding.goal, at: now)
        }
    }

    /// Command Disallowed only means that no scan was enabled.
    private mutating func disabled(_ status: HCIStatus, at now: Int64) -> [Output] {
        if status == .unknownCommand, commands == .extended {
            commands = .legacy
            return begin(at: now)
        }
        guard let commands else { return begin(at: now) }
        switch goal {
        case .scan:
            return send(.parameters, commands.parameters(timing), at: now)
        case .adopt:
            return send(.enable, commands.enable(true), at: now)
        case .hold:
            phase = .held
            fault.reset()
            return listening(nil) + works
        case .stop:
            return stop()
        }
    }

    private mutating func enabled(_ reached: Goal, at now: Int64) -> [Output] {
        isProven = true
        refusals = 0
        fault.reset()
        // A restart with another timing does not make the next incident the first one.
        if probeAfterRetiming == nil { armedAt = now }
        switch goal {
        case .hold, .stop:
            return begin(at: now)
        case .scan where reached == .adopt || accepted != timing:
            // The other program has ended its scan meanwhile, and its parameters are still in force; or the timing has changed.
            return begin(at: now)
        case .scan, .adopt:
            return works + listen(at: now)
        }
    }

    private mutating func refused(_ outstanding: Outstanding, _ status: HCIStatus, at now: Int64) -> [Output] {
        if isStopping { return begin(at: now) }
        if outstanding.goal == .adopt, changesRunningScans {
            changesRunningScans = false
            return begin(at: now)
        }
        if !isProven, status == .commandDisallowed || status == .unknownCommand {
            // Another program has used the other family, or the controller reported commands that it does not have.
            let other: ScanCommands? = commands == .extended ? .legacy : supported
            if commands == .extended {
                commands = other
                return begin(at: now)
            }
            commands = other
        }
        refusals += 1
        let outputs = listening(nil) + wait(.refused, until: rearm.next(after: now))
        return refusals < Self.refusalsTolerated ? outputs : outputs + [.refused(outstanding.command.opcode, status)]
    }

    /// Handles that the time of `nextDeadline` has come.
    mutating func advanced(to now: Int64) -> [Output] {
        guard let nextDeadline, now >= nextDeadline else { return [] }
        switch phase {
        case .idle, .held, .stopped:
            return []
        case .listening:
            // A probe: the adverts that come in meanwhile count, so it is no pause in listening.
            _ = quiet.next(after: now)
            hasProbed = true
            return begin(at: now)
        case .waiting:
            return begin(at: now)
        case .commanding(var outstanding):
            foreign.forgetUnanswered()
            if outstanding.attempt < parameters.commandAttempts {
                outstanding.attempt += 1
                outstanding.deadline = now.addingClamped(parameters.commandTimeout.clampedNanoseconds)
                phase = .commanding(outstanding)
                return [.send(outstanding.command)]
            }
            if isStopping { return stop() }
            return listening(nil) + wait(.broken, until: fault.next(after: now))
                + [.silent(outstanding.command.opcode)]
        }
    }

    /// An advert came in: it is not quiet.
    mutating func heard(at now: Int64) -> [Output] {
        quiet.reset()
        (silentSince, hasProbed) = (now, false)
        if case .listening = phase { phase = .listening(quietAt: now.addingClamped(quiet.nanoseconds)) }
        guard isDeaf, isReceiving else { return [] }
        isDeaf = false
        return works + listening(inForce)
    }

    /// The interval and window in force.
    private var inForce: ScanTiming { foreign.timing ?? accepted ?? timing }

    /// Whether reports come from a scan that is on, and stays on.
    private var isReceiving: Bool {
        switch phase {
        case .listening, .commanding: !isHeld && !isStopping
        case .idle, .waiting, .held, .stopped: false
        }
    }

    /// The scan is on; a probe that found it on does not end the silence.
    mutating func listen(at now: Int64) -> [Output] {
        phase = .listening(quietAt: probeAfterRetiming ?? now.addingClamped(quiet.nanoseconds))
        if !isListening, !isDeaf, probeAfterRetiming == nil { silentSince = now }
        probeAfterRetiming = nil
        return listening(inForce)
    }

    /// The controller answers and receives nothing.
    mutating func foundDeaf() -> [Output] {
        defer { isDeaf = true }
        return listening(nil)
    }

    /// An answer proves that the controller works, unless it is deaf.
    private var works: [Output] { isDeaf ? [] : [.works] }

    private mutating func send(_ step: Step, _ command: HCICommand, at now: Int64) -> [Output] {
        phase = .commanding(
            Outstanding(
                step: step, goal: goal, command: command, timing: timing,
                deadline: now.addingClamped(parameters.commandTimeout.clampedNanoseconds)))
        return [.send(command)]
    }

    mutating func wait(_ wait: Wait, until: Int64) -> [Output] {
        phase = .waiting(wait, until: until)
        probeAfterRetiming = nil
        return []
    }

    /// Another timing is reported as an interruption: the scan was restarted for it.
    mutating func listening(_ timing: ScanTiming?) -> [Output] {
        let timing = isDeaf ? nil : timing
        guard timing != listening else { return [] }
        defer { listening = timing }
        return isListening && timing != nil ? [.listening(nil), .listening(timing)] : [.listening(timing)]
    }
}
