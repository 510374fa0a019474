/// Whether the page offers a backup for download.
package struct BackupOfferReport: Codable, Sendable, Equatable {
    /// The reason why it does not.
    package enum Code: String, Codable, Sendable, CaseIterable {
        /// The configuration does not offer it.
        case off
        /// The daemon has no state directory.
        case noState

        /// The reason and the remedy.
        package var phrase: RequestPhrase {
            switch self {
            case .off: .noBackup
            case .noState: .noState
            }
        }
    }

    package var available: Bool
    /// `nil` if the page offers a backup.
    package var code: Code?
    /// The sentence of the code.
    package var reason: LocalizedText?

    /// - Parameter code: `nil`: the page offers a backup.
    package init(unless code: Code?) {
        (available, self.code, reason) = (code == nil, code, code.map { LocalizedText($0.phrase) })
    }
}
