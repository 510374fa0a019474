import FoundationEssentials
import Glibc
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

    /// Returns a client's directory: the first of the same places that contains `file`, or the first of all for the
    /// error message if none does.
    package static func forClient(
        named: String?, environment: [String: String], isRoot: Bool, holding file: String
    ) -> String {
        let candidates = candidates(named: named, environment: environment, isRoot: isRoot)
        return candidates.first { FileManager.default.fileExists(atPath: "\($0)/\(file)") } ?? candidates[0]
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
