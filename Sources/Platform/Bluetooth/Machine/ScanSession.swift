import HCI
import Plumbing

/// The scan on an adapter that is switched on: which command is sent when, and what its answer means.
///
/// One command is outstanding at a time. A scan is begun by disable, parameters, enable: a scanner that was killed
/// leaves the scan on, and parameters are refused while it is.
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

    /// The goal of the next commands. All but `adopt` begin with disabling the scan.
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
        case .listening(let quietAt): quietAt
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
        return foreign.isScanning && foreign.hearsStrangers ? .adopt : .scan
    }
}
