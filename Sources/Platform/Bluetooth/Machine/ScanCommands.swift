import HCI
import Plumbing

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
