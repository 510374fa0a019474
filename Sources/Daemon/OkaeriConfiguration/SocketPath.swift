import FoundationEssentials

/// The path of the local API's socket.
package enum SocketPath {
    /// Returns the daemon's path: the first that is set of `--socket`, `$OKAERI_SOCKET`, systemd's
    /// `$RUNTIME_DIRECTORY`, `$XDG_RUNTIME_DIR`, and `/run/okaeri`.
    package static func forDaemon(named: String?, environment: [String: String]) -> String {
        candidates(named: named, environment: environment)[0]
    }

    /// Returns a client's path: the first of the same places that exists, or the first of all for the error message if
    /// none does.
    package static func forClient(named: String?, environment: [String: String]) -> String {
        let candidates = candidates(named: named, environment: environment)
        return candidates.first { FileManager.default.fileExists(atPath: $0) } ?? candidates[0]
    }

    /// The same place, for a program that runs in another directory.
    package static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    private static func candidates(named: String?, environment: [String: String]) -> [String] {
        if let named { return [named] }
        // systemd may give several directories, separated by colons; the first is ours.
        let runtime = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        let places = [
            environment["OKAERI_SOCKET"], runtime.map { "\($0)/okaeri.sock" },
            environment["XDG_RUNTIME_DIR"].map { $0.isEmpty ? "" : "\($0)/okaeri.sock" }, "/run/okaeri/okaeri.sock",
        ]
        return places.compactMap { $0 }.filter { !$0.isEmpty }
    }
}
