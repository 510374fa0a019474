/// Whether the page offers a backup for download.
package struct BackupOfferReport: Codable, Sendable, Equatable {
    /// The reason why it does not.
    package enum Code: String, Codable, Sendable, CaseIterable {
        /// The configuration does not offer it.
        case off
        /// The daemon has no state directory.
        case noState

        /// The reason and the remedy as a sentence.
        package var sentence: String {
            switch self {
            case .off:
                "the page offers no backup, because it contains all keys and passwords of this machine; add \"backup\": true to "
                    + "\"web\" in beacons.json, or run `sudo okaeri backup FILE`"
            case .noState: "the daemon has no state directory to save; start it with `--state-dir`"
            }
        }
    }

    package var available: Bool
    /// `nil` if the page offers a backup.
    package var code: Code?
    /// The sentence of the code.
    package var reason: String?

    /// - Parameter code: `nil`: the page offers a backup.
    package init(unless code: Code?) { (available, self.code, reason) = (code == nil, code, code?.sentence) }
}
