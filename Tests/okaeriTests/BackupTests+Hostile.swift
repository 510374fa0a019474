import Foundation
import OkaeriChecksum
import OkaeriTestSupport
import Testing

/// Backups that are invented or old, and folders that another user controls.
extension BackupTests {
    /// Replaces the configuration that is saved by one with a command.
    private func configure(command: String) throws {
        _ = try old.file(
            "beacons.json",
            Array(
                (#"{"regions": [{"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "#
                    + #""onEnter": ["\#(command)"]}]}"#).utf8))
    }

    @Test func `a new command is asked about by its name, and --yes alone does not allow it`() throws {
        try configure(command: "/bin/attack")
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        let refused = try restore(file)
        #expect(refused.status == 64 && refused.errors.contains("`/bin/attack`"), "\(refused)")
        #expect(try new.names("etc").isEmpty)
        let terminal = try Pseudoterminal()
        let process = try binary.start(
            [
                "restore", file, "--config", "\(new.path)/etc/beacons.json", "--state-dir", "\(new.path)/state",
            ], on: terminal, environment: ["LANG": "ja_JP.UTF-8"])
        #expect(
            terminal.read { $0.contains("Let the service run `/bin/attack` for onEnter of the region \"home\" (") },
            "\(terminal.text)")
        try terminal.type("\n")
        terminal.end(of: process)
        #expect(try process.terminationStatus == 1 && new.names("etc").isEmpty, "\(terminal.text)")
        #expect(terminal.text.contains("何も書き込んでいません"), "\(terminal.text)")
        let allowed = try restore(file, ["--yes", "--allow-commands"])
        #expect(
            allowed.status == 0 && allowed.output.contains("a command that is new here: `/bin/attack`"), "\(allowed)")
        // The command is not new any more.
        _ = try new.file("state/state.json", Array("{}".utf8))
        let known = try restore(file)
        #expect(known.status == 0 && known.output.contains("a command that this machine runs already: "), "\(known)")
    }

    @Test func `a new server is asked about by its address, and --yes alone does not allow it`() throws {
        let text = #"{"notify": [{"type": "webhook", "url": "https://PLACE/secret"}], "regions": []}"#
        _ = try old.file("beacons.json", Array(text.replacing("PLACE", with: "evil.example").utf8))
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        for present in [text.replacing("PLACE", with: "good.example"), nil] {
            unlink("\(new.path)/etc/beacons.json")
            if let present { _ = try new.file("etc/beacons.json", Array(present.utf8)) }
            for flags in [["--yes"], ["--yes", "--allow-commands"]] {
                let refused = try restore(file, flags)
                #expect(
                    refused.status == 64
                        && refused.errors.contains("uses https://evil.example for notify[0]; if you trust it, add"),
                    "\(refused)")
            }
            let terminal = try Pseudoterminal()
            let process = try binary.start(
                [
                    "restore", file, "--config", "\(new.path)/etc/beacons.json", "--state-dir", "\(new.path)/state",
                ], on: terminal)
            #expect(
                terminal.read { $0.contains("Let the service use https://evil.example for notify[0]?") },
                "\(terminal.text)")
            try terminal.type("\n")
            terminal.end(of: process)
            #expect(process.terminationStatus == 1 && new.text("etc/beacons.json") == present, "\(terminal.text)")
        }
        #expect(try restore(file).status == 0 && new.text("etc/beacons.json")?.contains("evil") == true)
    }

    /// Gives a state file a login of the page.
    private func logIn(_ name: String, in file: String) throws {
        let text = try #require(bytes(file).map { String(decoding: $0, as: UTF8.self) })
        let end = try #require(text.range(of: #","checksum":"#))
        let digest = String(repeating: "ab", count: 32)
        let login = #"{"id":"abcdef","name":"\#(name)","since":1,"seen":1,"digest":"\#(digest)"}"#
        let body = text[..<end.lowerBound] + #","webDevices":[\#(login)]"#
        let checksum = CRC32(of: Array(body.utf8)[...])
        try Data((body + #","checksum":"\#(checksum)"}"# + "\n").utf8).write(to: URL(filePath: file))
        chmod(file, 0o600)
    }

    private func restoredState() -> String { new.text("state/state.json") ?? "" }

    @Test func `a restore brings no login back, unless it is asked for`() throws {
        let file = "\(binary.folder)/b.tar"
        try replay(into: "\(old.path)/state")
        try logIn("revoked", in: "\(old.path)/state/state.json")
        #expect(try backup(file).status == 0)
        // A machine without a state.
        let first = try restore(file)
        #expect(first.status == 0 && first.output.contains("left out: 1"), "\(first)")
        #expect(!restoredState().contains("webDevices") && restoredState().contains("checksum"))
        // A machine with a session of its own.
        try logIn("present", in: "\(new.path)/state/state.json")
        let second = try restore(file)
        #expect(
            second.status == 0 && restoredState().contains("present") && !restoredState().contains("revoked"),
            "\(second)")
        let third = try restore(file, ["--yes", "--logins", "--allow-servers"])
        #expect(third.status == 0 && third.output.contains("replace those of this machine: revoked"), "\(third)")
        #expect(bytes("\(new.path)/state/state.json") == bytes("\(old.path)/state/state.json"))
    }

    @Test func `a pipe in the place of the history blocks no command`() throws {
        try replay(into: "\(old.path)/state")
        let history = "\(old.path)/state/history.sqlite"
        for suffix in ["", "-wal", "-shm"] { unlink(history + suffix) }
        mkfifo(history, 0o600)
        let runs = [
            try backup("\(binary.folder)/b.tar"), try binary.run(["history", "--state-dir", "\(old.path)/state"]),
            try binary.run(["plot", "--state-dir", "\(old.path)/state"]),
        ]
        for run in runs { #expect(run.status == 74 && run.errors.contains("is not a regular file"), "\(run)") }
        #expect(bytes("\(binary.folder)/b.tar") == nil)
        // The daemon starts, and stops.
        try replay(into: "\(old.path)/state")
    }

    @Test(arguments: ["beacons.json", "passphrase", "state/state.json"])
    func `a pipe in the place of another file blocks no backup`(name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(old.path)/state", withIntermediateDirectories: true)
        unlink("\(old.path)/\(name)")
        mkfifo("\(old.path)/\(name)", 0o600)
        let run = try backup("\(binary.folder)/b.tar")
        #expect(run.status == (name == "beacons.json" ? 78 : 0), "\(run)")
        #expect((run.output + run.errors).contains("is not a regular file"), "\(run)")
    }

    @Test func `a backup that fails removes no file of another folder`() throws {
        try replay(into: "\(old.path)/state")
        try enlarge("\(old.path)/state/history.sqlite")
        for name in ["out", "victim"] {
            try FileManager.default.createDirectory(
                atPath: "\(binary.folder)/\(name)", withIntermediateDirectories: true)
        }
        let (out, victim) = ("\(binary.folder)/out", try binary.file("victim/b.tar", "precious".utf8))
        let terminal = try Pseudoterminal()
        let process = try binary.start(
            ["backup", "\(out)/b.tar", "--config", "\(old.path)/beacons.json", "--state-dir", "\(old.path)/state"],
            on: terminal)
        terminal.read { _ in FileManager.default.fileExists(atPath: "\(out)/b.tar") || !process.isRunning }
        rename(out, "\(binary.folder)/moved")
        symlink("victim", out)
        kill(process.processIdentifier, SIGINT)
        terminal.end(of: process)
        #expect(bytes(victim) == Data("precious".utf8), "\(terminal.text)")
        #expect((bytes("\(binary.folder)/moved/b.tar") != nil) == (process.terminationStatus == 0))
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root writes into the folder of the user of sudo as that user, and into no folder of others`() throws {
        let home = "\(binary.folder)/home"
        mkdir(home, 0o700)
        chown(home, 65534, 65534)
        for folder in [binary.folder, old.path] { chmod(folder, 0o755) }
        _ = try binary.file("secret", "root's".utf8)
        chmod("\(binary.folder)/secret", 0o600)
        symlink("\(binary.folder)/secret", "\(home)/link.svg")
        lchown("\(home)/link.svg", 65534, 65534)
        try replay(into: "\(old.path)/state")
        func run(_ arguments: [String], user: Int) throws -> Binary.Outcome {
            try binary.run(
                arguments + ["--config", "\(old.path)/beacons.json", "--state-dir", "\(old.path)/state"],
                environment: ["SUDO_UID": "\(user)", "SUDO_GID": "\(user)"])
        }
        let foreign = try run(["backup", "\(home)/b.tar"], user: 1)
        #expect(foreign.status == 74 && foreign.errors.contains("\(home) belongs to user 65534"), "\(foreign)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home) == ["link.svg"])
        let own = try run(["backup", "\(home)/b.tar"], user: 65534)
        #expect(own.status == 0, "\(own)")
        let owner = try FileManager.default.attributesOfItem(atPath: "\(home)/b.tar")[.ownerAccountID] as? UInt32
        #expect(owner == 65534)
        let temporary = try binary.run(
            [
                "backup", "\(binary.folder)/c.tar", "--config", "\(old.path)/beacons.json", "--state-dir",
                "\(old.path)/state",
            ], environment: ["TMPDIR": home])
        #expect(temporary.status == 74 && temporary.errors.contains("name another one with `TMPDIR`"), "\(temporary)")
        // The link leads to a file that its user must not write.
        let link = try run(["plot", "--output", "\(home)/link.svg"], user: 65534)
        #expect(link.status == 74 && bytes("\(binary.folder)/secret") == Data("root's".utf8), "\(link)")
        let plot = try run(["plot", "--output", "\(home)/day.svg"], user: 65534)
        #expect(plot.status == 0 && bytes("\(home)/day.svg")?.starts(with: "<svg".utf8) == true, "\(plot)")
    }
}
