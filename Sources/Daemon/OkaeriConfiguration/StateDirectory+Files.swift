package import SystemPackage

extension StateDirectory {
    /// The limit of ``File/state`` in bytes: sixty-four beacons take a tenth of it.
    static let stateLimit = 1 << 18

    /// A file that outlives a restart of the daemon. A backup contains all of them; `okaeri.lock` and the files that SQLite and
    /// the replacing of a file leave beside them have no value of their own.
    package enum File: String, Sendable, CaseIterable {
        /// The memory of each part that is `Persistable`, with the logins of the page.
        case state = "state.json"
        /// The regions that the page has saved.
        case regions = "regions.json"
        case history = "history.sqlite"

        /// The mode of a new file. ``regions`` is also for the group that may use the daemon.
        package var permissions: FilePermissions {
            switch self {
            case .state, .history: .ownerReadWrite
            case .regions: SavedRegionsFile.permissions
            }
        }

        /// The limit in bytes.
        package var sizeLimit: Int {
            switch self {
            case .state: StateDirectory.stateLimit
            case .regions: SavedRegions.sizeLimit
            // A hundred years of a small house.
            case .history: 1 << 32
            }
        }
    }
}
