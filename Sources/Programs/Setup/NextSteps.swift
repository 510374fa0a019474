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
        file: String, daemon: Daemon, isService: Bool, outsider: String? = nil, unsavedNetwork: String? = nil
    ) {
        self.file = file
        self.daemon = daemon
        self.isService = isService
        self.outsider = outsider
        self.unsavedNetwork = unsavedNetwork
    }

    /// A line each: the command, and what it is for.
    package var lines: [String] {
        var lines: [String] = []
        if let unsavedNetwork {
            lines.append(
                "sudo nmcli --ask device wifi connect \(Self.quoted(unsavedNetwork))   # saves its passphrase in "
                    + "NetworkManager")
        }
        switch (daemon, isService && file == ServiceControl.file) {
        case _ where isApplied: break
        case (.runs, true): lines.append("sudo systemctl reload okaeri   # uses the file from now on")
        case (.absent, true):
            lines.append("sudo systemctl enable --now okaeri   # starts it now and at each start of the machine")
        case (.runs, false):
            lines.append(
                "okaeri monitor --config \(Self.quoted(file))   # replaces the daemon that uses another file")
        case (.absent, false): lines.append("okaeri monitor --config \(Self.quoted(file))   # starts it")
        }
        if let outsider {
            lines.append(
                "sudo usermod -aG okaeri \(Self.quoted(outsider))   # then log in again, to query the daemon without sudo"
            )
        }
        return lines + ["okaeri status   # the states of the regions"]
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
