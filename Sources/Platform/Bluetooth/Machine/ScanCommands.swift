import HCI
import Plumbing

/// Which of the two families of scan commands a controller is spoken to with: it refuses to have them mixed.
enum ScanCommands: Hashable, Sendable {
    case legacy
    case extended

    /// What the controller knows. One that does not tell has no extended scanning.
    init(_ reply: CommandComplete) {
        let mask = reply.returnParameters.dropFirst()
        let supported = reply.status == .success ? try? SupportedCommands(Array(mask).rawSpan) : nil
        self = supported?.supportsExtendedScanning == true ? .extended : .legacy
    }

    /// Passive: a beacon says all it has to say in its advert, and asking would cost air time.
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
