import HCI

/// The effects of other programs on the controller's scan, as far as their commands show.
struct ForeignScan: Hashable, Sendable {
    /// The effect of another program's command on our scan.
    enum Effect: Hashable, Sendable {
        case none

        case ended

        /// The scan is off, and so are its parameters.
        case reset

        /// The scan is on, on their terms.
        case began
    }

    private enum State: Hashable, Sendable {
        /// Other programs do not scan. → suspected, on
        case off

        /// The kernel discovers devices, so that a scan from before the session may be on: it is if the controller refuses our
        /// parameters. → off, on
        case suspected

        /// Another program has enabled the scan: until its end is seen, or until the time given, because the end of one from before the
        /// session may never come. → off
        case on(until: Int64?)
    }

    /// The parameters of another program, set since our own ones were in force.
    private struct Parameters: Hashable, Sendable {
        var reportsUnknownDevices = true
        var timing: ScanTiming?
    }

    private var state = State.off
    private var parameters = Parameters()

    /// The parameters before an unanswered command of others, which may be refused.
    private var formerParameters = Parameters()

    /// Whether their scan reports each advertiser only once.
    private(set) var filtersDuplicates = false

    private(set) var commands: ScanCommands?

    /// Their unanswered command. Linux sends one at a time, so the next answer to it is theirs.
    private var unanswered: HCIOpcode?

    /// Whether another program has enabled the scan.
    var isScanning: Bool { if case .on = state { true } else { false } }

    /// Whether a scan may be on that began before the session.
    var isSuspected: Bool { state == .suspected }

    /// The time at which the scan of others is not waited for any longer; `nil`: its end will be seen.
    var limit: Int64? { if case .on(let until) = state { until } else { nil } }

    /// Whether the parameters in force let unknown devices be heard.
    var reportsUnknownDevices: Bool { parameters.reportsUnknownDevices }

    /// The interval and window that another program has set since ours were; `nil`: ours are in force.
    var timing: ScanTiming? { parameters.timing }

    /// The kernel discovers devices at the beginning of the session.
    mutating func suspected() { state = .suspected }

    /// A scan of others is on whose beginning was not seen: the controller has refused our parameters.
    ///
    /// - Parameter limit: The time at which it is not waited for any longer; `nil`: its end will be seen.
    mutating func found(until limit: Int64?) { state = .on(until: limit) }

    mutating func sent(_ command: HCICommand) -> Effect {
        unanswered = command.opcode
        switch command.opcode {
        case .reset:
            (state, parameters) = (.off, Parameters())
            return .reset
        case .leSetScanParameters:
            let theirs = try? command.decode(LESetScanParameters.self)
            return set(theirs?.filterPolicy, theirs?.timing)
        case .leSetExtendedScanParameters:
            let theirs = try? command.decode(LESetExtendedScanParameters.self)
            return set(theirs?.filterPolicy, theirs?.le1M?.timing)
        case .leSetScanEnable:
            guard let enable = try? command.decode(LESetScanEnable.self) else { return .none }
            return note(.legacy, isEnabled: enable.isEnabled, filters: enable.filtersDuplicates)
        case .leSetExtendedScanEnable:
            guard let enable = try? command.decode(LESetExtendedScanEnable.self) else { return .none }
            return note(.extended, isEnabled: enable.isEnabled, filters: enable.duplicateFilter != .off)
        default:
            return .none
        }
    }

    /// Whether an answer is to their command and not to ours.
    mutating func takes(_ opcode: HCIOpcode, _ status: HCIStatus) -> (isTheirs: Bool, effect: Effect) {
        guard opcode == unanswered else { return (false, .none) }
        unanswered = nil
        guard status != .success else { return (true, .none) }
        switch opcode {
        case .leSetScanParameters, .leSetExtendedScanParameters:
            parameters = formerParameters
        case .leSetScanEnable, .leSetExtendedScanEnable:
            guard isScanning else { break }
            // They wanted to scan and may not.
            state = .off
            return (true, .ended)
        default: break
        }
        return (true, .none)
    }

    /// The answer to their command was lost, or did not come.
    mutating func forgetUnanswered() {
        unanswered = nil
    }

    /// The scan had a duration, which is over.
    mutating func timedOut() {
        state = .off
    }

    /// Time goes by: a scan that is not waited for any longer counts as over.
    mutating func advanced(to now: Int64) {
        if let limit, now >= limit { state = .off }
    }

    /// Our own parameters are in force; they are refused during a scan, so there is none.
    mutating func parametersReplaced() {
        (state, parameters) = (.off, Parameters())
    }

    private mutating func set(_ policy: ScanFilterPolicy?, _ timing: ScanTiming?) -> Effect {
        formerParameters = parameters
        parameters = Parameters(reportsUnknownDevices: policy?.reportsUnknownDevices ?? true, timing: timing)
        return .none
    }

    private mutating func note(_ family: ScanCommands, isEnabled: Bool, filters: Bool) -> Effect {
        commands = family
        state = isEnabled ? .on(until: nil) : .off
        filtersDuplicates = filters
        return isEnabled ? .began : .ended
    }
}
