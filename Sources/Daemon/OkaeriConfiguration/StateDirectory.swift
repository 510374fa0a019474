import FoundationEssentials
import Glibc
import OkaeriPlumbing
package import SystemPackage

/// The directory of the daemon's persisted state.
package enum StateDirectory {
    /// The directory of the whole machine's state.
    private static let system = "/var/lib/okaeri"

    /// Returns the daemon's directory: the first that is set of `--state-dir`, systemd's `$STATE_DIRECTORY` and
    /// `$XDG_STATE_HOME`, otherwise `/var/lib/okaeri` for root and `~/.local/state/okaeri` for other users.
    package static func forDaemon(named: String?, environment: [String: String], isRoot: Bool) -> String {
        candidates(named: named, environment: environment, isRoot: isRoot)[0]
    }

    /// Returns a client's directory: the first of the same places that contains `file`, or that this user may not search, as that of
    /// the service; or, without one, the first of all, for the error message.
    package static func forClient(
        named: String?, environment: [String: String], isRoot: Bool, holding file: String
    ) -> String {
        let candidates = candidates(named: named, environment: environment, isRoot: isRoot)
        return candidates.first { access("\($0)/\(file)", F_OK) == 0 || errno == EACCES } ?? candidates[0]
    }

    private static func candidates(named: String?, environment: [String: String], isRoot: Bool) -> [String] {
        if let named { return [named] }
        // systemd may give several directories, separated by colons; the first is ours.
        let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        // The XDG Base Directory Specification has relative paths ignored.
        let (state, home) = (absolute(environment["XDG_STATE_HOME"]), absolute(environment["HOME"]))
        let places = [
            given, state.map { "\($0)/okaeri" }, isRoot ? system : home.map { "\($0)/.local/state/okaeri" }, system,
        ]
        return places.compactMap { $0 }
    }

    private static func absolute(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The mode of a new directory.
    static let mode: mode_t = 0o750

    /// Makes the directory and those above it where they are missing.
    ///
    /// It is for the owner and the group, as the local API is: other users must not learn the times at which people
    /// were at home.
    package static func make(_ path: String) throws(Errno) {
        guard mkdir(path, mode) != 0 else { return }
        let code = Errno(rawValue: errno)
        switch code {
        case .fileExists where isDirectory(path):
            return
        case .noSuchFileOrDirectory:
            let above = FilePath(path).removingLastComponent().string
            guard !above.isEmpty, above != path else { throw code }
            try make(above)
            if mkdir(path, mode) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
        default:
            throw code
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }
}

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
        /// The regions of the hub, at a standby.
        case house = "house.json"

        /// The mode of a new file. ``regions`` is also for the group that may use the daemon.
        package var permissions: FilePermissions {
            switch self {
            case .state, .history: .ownerReadWrite
            case .regions, .house: SavedRegionsFile.permissions
            }
        }

        /// The limit in bytes.
        package var sizeLimit: Int {
            switch self {
            case .state: StateDirectory.stateLimit
            case .regions: SavedRegions.sizeLimit
            case .house: HouseRegionsFile.sizeLimit
            // A hundred years of a small house.
            case .history: 1 << 32
            }
        }
    }

    /// Returns the content of a file that the daemon has written; `nil` without the file.
    ///
    /// Root reads it, too, and the user of the service owns the directory: a link is not followed, and a file of another user than the
    /// directory's is refused.
    static func contents(of name: File, in folder: String) throws(FilePlace.Problem) -> [UInt8]? {
        let directory = open(folder.isEmpty ? "." : folder, FilePlace.searchOnly | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return try absent() }
        let place = OwnedDescriptor(owning: directory)
        // A pipe does not block.
        let number = openat(place.number, name.rawValue, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return try absent() }
        let file = OwnedDescriptor(owning: number)
        let (above, status) = (try status(of: place.number), try status(of: file.number))
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { throw .notAFile }
        guard status.st_uid == above.st_uid else {
            throw .foreign(path: "\(folder)/\(name.rawValue)", user: status.st_uid)
        }
        guard status.st_mode & 0o022 == 0 else { throw .open(path: "\(folder)/\(name.rawValue)") }
        do {
            return try FileDescriptor(rawValue: file.number).contents(limit: name.sizeLimit)
        } catch {
            throw .failed(error as? Errno ?? .ioError)
        }
    }

    /// Returns `nil` after a call that found no file, and throws after another failure.
    private static func absent() throws(FilePlace.Problem) -> [UInt8]? {
        let code = Errno(rawValue: errno)
        if code == .noSuchFileOrDirectory { return nil }
        throw code == .tooManySymbolicLinkLevels ? .notAFile : .failed(code)
    }

    private static func status(of number: Int32) throws(FilePlace.Problem) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .failed(Errno(rawValue: errno)) }
        return status
    }
}
