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

    /// Whether another program has enabled the scan.
    private(set) var isScanning = false

    /// Whether their scan reports each advertiser only once.
    private(set) var filtersDuplicates = false

    /// Whether the parameters in force let unknown devices be heard.
    private(set) var reportsUnknownDevices = true

    /// The interval and window that another program has set since ours were; `nil`: ours are in force.
    private(set) var timing: ScanTiming?

    private(set) var commands: ScanCommands?

    /// Their unanswered command. Linux sends one at a time, so the next answer to it is theirs.
    private var unanswered: HCIOpcode?

    mutating func sent(_ command: HCICommand) -> Effect {
        unanswered = command.opcode
        switch command.opcode {
        case .reset:
            isScanning = false
            reportsUnknownDevices = true
            timing = nil
            return .reset
        case .leSetScanParameters:
            let parameters = try? command.decode(LESetScanParameters.self)
            (reportsUnknownDevices, timing) = (
                parameters?.filterPolicy.reportsUnknownDevices ?? true, parameters?.timing
            )
            return .none
        case .leSetExtendedScanParameters:
            let parameters = try? command.decode(LESetExtendedScanParameters.self)
            (reportsUnknownDevices, timing) = (
                parameters?.filterPolicy.reportsUnknownDevices ?? true, parameters?.le1M?.timing
            )
            return .none
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
        guard opcode == .leSetScanEnable || opcode == .leSetExtendedScanEnable, isScanning, status != .success else {
            return (true, .none)
        }
        // They wanted to scan and may not.
        isScanning = false
        return (true, .ended)
    }

    /// The answer to their command was lost, or did not come.
    mutating func forgetUnanswered() {
        unanswered = nil
    }

    /// The scan had a duration, which is over.
    mutating func timedOut() {
        isScanning = false
    }

    /// Our own parameters are in force; they are refused during a scan, so there is none.
    mutating func parametersReplaced() {
        isScanning = false
        reportsUnknownDevices = true
        timing = nil
    }

    private mutating func note(_ family: ScanCommands, isEnabled: Bool, filters: Bool) -> Effect {
        commands = family
        isScanning = isEnabled
        filtersDuplicates = filters
        return isEnabled ? .began : .ended
    }
}
