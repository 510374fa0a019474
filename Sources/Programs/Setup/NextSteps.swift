package import OkaeriEvents
import OkaeriPlumbing

/// The steps that are left after a set-up.
package struct NextSteps: Sendable {
    package enum Daemon: Sendable {
        case runs, absent
    }

    package var file: String
    package var daemon: Daemon
    /// Whether systemd has a unit for it.
    package var isService: Bool
    /// The user to be added to the group `okaeri`, which may use the daemon's socket.
    package var outsider: String?
    /// The network that there is nothing to join with.
    package var unsavedNetwork: String?
    /// Whether the daemon uses the file.
    package var isApplied = false

    package init(
        file: String, daemon: Daemon, isService: Bool, outsider: String? = nil,
        unsavedNetwork: String? = nil
    ) {
        self.file = file
        self.daemon = daemon
        self.isService = isService
        self.outsider = outsider
        self.unsavedNetwork = unsavedNetwork
    }

    /// Returns a line for each step: the command, and the purpose.
    package func lines(in language: Language = .english) -> [String] {
        var lines: [String] = []
        func add(_ phrase: ServicePhrase, _ command: String) { lines.append(language(phrase, command)) }
        if let unsavedNetwork {
            add(.saveProfile, "\(Installation.sudo)nmcli --ask device wifi connect \(Self.quoted(unsavedNetwork))")
        }
        switch (daemon, isService && file == ServiceControl.file) {
        case _ where isApplied: break
        // The runtime starts the daemon.
        case _ where Installation.current == .container: lines.append(language(ServicePhrase.restartContainer))
        case _ where Installation.current == .homeAssistant: lines.append(language(ServicePhrase.restartApp))
        case (.runs, true): add(.reload, "sudo systemctl reload okaeri")
        case (.absent, true): add(.start, "sudo systemctl enable --now okaeri")
        case (.runs, false): add(.replaceDaemon, "okaeri monitor --config \(Self.quoted(file))")
        case (.absent, false): add(.startDaemon, "okaeri monitor --config \(Self.quoted(file))")
        }
        if let outsider { add(.joinGroup, "\(Installation.sudo)usermod -aG okaeri \(Self.quoted(outsider))") }
        add(.status, "okaeri status")
        return lines
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-".utf8.contains(byte)
            }
        }
        guard !isPlain else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
