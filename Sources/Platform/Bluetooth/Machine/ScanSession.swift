import HCI
import OkaeriPlumbing

/// The scan on an adapter that is switched on: which command is sent when, and what its answer means.
///
/// One command is outstanding at a time. A scan is begun by disable, parameters, enable: a scanner that was killed
/// leaves the scan on, and parameters are refused while it is. If the kernel discovers devices at the beginning, the session begins with
/// the parameters: to disable the scan would take it from the discovery, and Linux would then neither report devices nor end it.
struct ScanSession: Hashable, Sendable {
    /// The effects that the owner carries out.
    enum Output: Hashable, Sendable {
        case send(HCICommand)

        /// Advertisements are received with this interval and window from now on; `nil`: they are not received.
        case listening(ScanTiming?)

        /// The controller carries out the commands.
        case works

        case silent(HCIOpcode)
        case refused(HCIOpcode, HCIStatus)
        case hardwareError(UInt8)

        /// The scan is off; the session is over.
        case stopped
    }

    enum Step: Hashable, Sendable {
        case identify
        case disable
        case parameters
        case enable
    }

    /// The goal of the next commands.
    enum Goal: Hashable, Sendable {
        /// Our scan, with our parameters.
        case scan

        /// The scan of others, with their parameters, but with duplicates.
        case adopt

        case hold
        case stop
    }

    struct Outstanding: Hashable, Sendable {
        var step: Step
        var goal: Goal
        var command: HCICommand
        /// The wanted timing when it was sent.
        var timing: ScanTiming
        var attempt = 1
        var deadline: Int64
    }

    enum Wait: Hashable, Sendable {
        /// Others have switched the scan off.
        case stolen

        /// Others scan, each advertiser is reported once.
        case filtered

        /// The controller did not want to.
        case refused

        /// The controller did not answer, or reported a fault.
        case broken
    }

    enum Phase: Hashable, Sendable {
        /// Before the first event. → commanding, stopped
        case idle

        /// An answer is outstanding. → commanding, listening, waiting, held, stopped
        case commanding(Outstanding)

        /// Adverts come in; a probe is due at the time given. → commanding, waiting, held, stopped
        case listening(quietAt: Int64)

        /// Nothing is sent until the time given. → commanding, listening, waiting, held, stopped
        case waiting(Wait, until: Int64)

        /// The owner wants silence. → commanding, stopped
        case held

        /// The end.
        case stopped
    }

    /// The number of refusals in a row that are reported: one is common while a controller connects.
    static let refusalsTolerated = 5

    let parameters: ScannerParameters
    var phase = Phase.idle

    /// The commands that the controller supports; `nil` until it has answered.
    var commands: ScanCommands?

    /// The commands that it reported as supported.
    var supported: ScanCommands?

    var isProven = false

    /// Whether the controller takes new settings for a scan that runs, as it should.
    var changesRunningScans = true

    var isHeld: Bool
    var isStopping = false

    /// The interval and window that are wanted, and those that the controller has accepted from us.
    private(set) var timing: ScanTiming
    var accepted: ScanTiming?

    /// The interval and window with which advertisements are received; `nil` while they are not.
    var listening: ScanTiming?

    /// The time at which the probe is due while the scan is restarted with another timing; `nil` otherwise. Such a restart does not
    /// end a silence.
    var probeAfterRetiming: Int64?

    /// The time of the last report, or of the start of listening.
    var silentSince = Int64.min

    /// Whether the scan was started anew since the last report.
    var hasProbed = false

    /// Whether the controller was found deaf: whatever it answers, it is not listening until a report comes in.
    var isDeaf = false
    var foreign = ForeignScan()

    var rearm: BackOff
    var fault: BackOff
    var quiet: BackOff
    var armedAt = Int64.min
    var refusals = 0

    init(parameters: ScannerParameters, timing: ScanTiming, isHeld: Bool) {
        self.parameters = parameters
        self.timing = timing
        self.isHeld = isHeld
        rearm = BackOff(parameters.rearmDelay, limit: parameters.rearmDelayLimit)
        fault = BackOff(parameters.faultDelay, limit: parameters.faultDelayLimit)
        quiet = BackOff(parameters.quietPeriod, limit: parameters.quietPeriodLimit)
    }

    /// The time at which `advanced(to:)` has something to do; `nil` for never.
    var nextDeadline: Int64? {
        switch phase {
        case .idle, .held, .stopped: nil
        case .commanding(let outstanding): outstanding.deadline
        case .listening(let quietAt): min(quietAt, foreign.limit ?? .max)
        case .waiting(_, let until): until
        }
    }

    /// Whether it is time to start the scan anew because nothing was received.
    func isProbeDue(at now: Int64) -> Bool {
        guard case .listening(let quietAt) = phase else { return false }
        return now >= quietAt
    }

    var isListening: Bool { listening != nil }

    /// Whether the scan is ours and on, or is being switched on, so that a change of the timing takes effect.
    var followsTiming: Bool {
        switch phase {
        case .listening, .commanding: goal == .scan
        case .idle, .waiting, .held, .stopped: false
        }
    }

    /// The interval and window of another program's scan that serves us; `nil` without one. Parameters that were not seen, such
    /// as those from before the session, count as ours.
    var adoptedTiming: ScanTiming? { goal == .adopt && isListening ? foreign.timing ?? accepted ?? timing : nil }

    /// Handles that another interval and window are wanted: disable, parameters, enable, as at the start.
    mutating func timingChanged(_ timing: ScanTiming, at now: Int64) -> [Output] {
        guard timing != self.timing else { return [] }
        self.timing = timing
        switch phase {
        case .listening(let quietAt) where goal == .scan:
            probeAfterRetiming = quietAt
            return listening(nil) + begin(at: now)
        // The parameters follow, or the answer to Enable is followed by another start.
        case .commanding, .listening, .idle, .waiting, .held, .stopped: return []
        }
    }

    var goal: Goal {
        if isStopping { return .stop }
        if isHeld { return .hold }
        return foreign.isScanning && foreign.reportsUnknownDevices ? .adopt : .scan
    }
}

extension ScanSession {
    /// Sends the first command towards the goal.
    mutating func begin(at now: Int64) -> [Output] {
        guard let commands else { return isStopping ? stop() : identify(at: now) }
        foreign.advanced(to: now)
        switch goal {
        case .scan where foreign.isSuspected:
            return send(.parameters, commands.parameters(timing), at: now)
        case .adopt where changesRunningScans:
            // Enabling a scan that runs changes its duplicate filter (Core Specification, Vol 4, Part E, 7.8.11, 7.8.65).
            // To disable it first would make Linux forget the end of its discovery, which would go on for ever.
            return send(.enable, commands.enable(true), at: now)
        case .hold where isForeignPossible:
            // The scan stays on, but an answer is to show that the controller works.
            if case .commanding = phase { return hold() }
            return identify(at: now)
        case .stop where isForeignPossible:
            return stop()
        case .scan, .adopt, .hold, .stop:
            return send(.disable, commands.enable(false), at: now)
        }
    }

    /// Whether the scan belongs to others, or may: it is not ours to end.
    var isForeignPossible: Bool { foreign.isScanning || foreign.isSuspected }

    private mutating func identify(at now: Int64) -> [Output] {
        send(.identify, HCICommand(ReadLocalSupportedCommands()), at: now)
    }

    private mutating func hold() -> [Output] {
        phase = .held
        fault.reset()
        return listening(nil) + works
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
            commands = commands ?? supported
            return begin(at: now)
        case .disable:
            return disabled(status, at: now)
        case .parameters:
            if status == .commandDisallowed, foreign.isSuspected {
                foreign.found(until: now.addingClamped(parameters.discoveryLimit.clampedNanoseconds))
                return begin(at: now)
            }
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
            // Linux does not end its discovery any longer.
            foreign.found(until: nil)
            return send(.enable, commands.enable(true), at: now)
        case .hold:
            return hold()
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
        if !isProven, status == .commandDisallowed || status == .unknownCommand {
            // Another program has used the other family, or the controller reported commands that it does not have.
            let other: ScanCommands? = commands == .extended ? .legacy : supported
            if commands == .extended {
                commands = other
                return begin(at: now)
            }
            commands = other
        }
        if outstanding.goal == .adopt, changesRunningScans {
            changesRunningScans = false
            return begin(at: now)
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
        case .listening(let quietAt):
            // The scan from before the session has had its time.
            guard now >= quietAt else { return listening(nil) + begin(at: now) }
            // A probe: the adverts that come in meanwhile count, so it is not a pause in listening.
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

/// The family of scan commands used with a controller: it refuses a mixture of the two.
enum ScanCommands: Hashable, Sendable {
    case legacy
    case extended

    /// Chooses the commands that the controller supports; without a report there is no extended scanning.
    init(_ reply: CommandComplete) {
        let mask = reply.returnParameters.dropFirst()
        let supported = reply.status == .success ? try? SupportedCommands(Array(mask).rawSpan) : nil
        self = supported?.supportsExtendedScanning == true ? .extended : .legacy
    }

    /// Passive: a beacon has everything in its advertisement, and a scan request would cost air time.
    func parameters(_ timing: ScanTiming) -> HCICommand {
        switch self {
        case .legacy: HCICommand(LESetScanParameters(type: .passive, timing: timing))
        case .extended: HCICommand(LESetExtendedScanParameters(le1M: .init(type: .passive, timing: timing)))
        }
    }

    /// Duplicates are always wanted: see `LESetScanEnable.filtersDuplicates`.
    func enable(_ isEnabled: Bool) -> HCICommand {
        switch self {
        case .legacy: HCICommand(LESetScanEnable(isEnabled: isEnabled, filtersDuplicates: false))
        case .extended: HCICommand(LESetExtendedScanEnable(isEnabled: isEnabled, duplicateFilter: .off))
        }
    }
}
