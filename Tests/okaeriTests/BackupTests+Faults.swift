import Foundation
import OkaeriTestSupport
import Testing

extension TemporaryFolder {
    func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }
}

/// Machines that differ from that of the backup, and commands that end early.
extension BackupTests {
    /// Replaces the configuration that is saved by one with two files of secrets.
    private func configure(password: String, passphrase: String) throws {
        let text =
            #"{"mqtt": {"host": "localhost", "username": "pi", "passwordFile": "\#(password)"}, "#
            + #""regions": [{"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "#
            + #""wifi": {"ssid": "Home", "passphraseFile": "\#(passphrase)"}}]}"#
        _ = try old.file("beacons.json", Array(text.utf8))
    }

    @Test(arguments: [true, false])
    func `two paths of one file keep the former file`(isSame: Bool) throws {
        try configure(password: "\(new.path)/etc/one.password", passphrase: "\(new.path)/etc/two.psk")
        _ = try new.file("etc/one.password", Array("first\n".utf8))
        _ = try new.file("etc/two.psk", Array((isSame ? "first\n" : "second\n").utf8))
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        _ = try new.file("etc/one.password", Array("former\n".utf8))
        unlink("\(new.path)/etc/two.psk")
        symlink("one.password", "\(new.path)/etc/two.psk")
        let run = try restore(file)
        if isSame {
            #expect(run.status == 0 && new.text("etc/one.password") == "first\n", "\(run)")
            #expect(new.text("etc/one.password.bak") == "former\n")
        } else {
            #expect(run.status == 74 && run.errors.contains("the same file as another one of the backup"), "\(run)")
            #expect(try new.names("etc") == ["one.password", "two.psk"] && new.text("etc/one.password") == "former\n")
        }
    }

    @Test func `a former backup stays if the file cannot be set aside`() throws {
        try replay(into: "\(old.path)/state")
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        try FileManager.default.createDirectory(
            atPath: "\(new.path)/state/history.sqlite", withIntermediateDirectories: true)
        _ = try new.file("state/history.sqlite.bak", Array("older".utf8))
        let run = try restore(file)
        #expect(run.status != 0 && run.errors.contains("all files are as before"), "\(run)")
        #expect(new.text("state/history.sqlite.bak") == "older")
        #expect(try new.names("state") == ["history.sqlite", "history.sqlite.bak", "okaeri.lock"])
    }

    @Test func `a missing folder of the configuration is made`() throws {
        let path = "\(new.path)/etc/password"
        try configure(password: path, passphrase: path)
        _ = try new.file("etc/password", Array("broker\n".utf8))
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        try FileManager.default.removeItem(atPath: "\(new.path)/etc")
        let run = try restore(file)
        #expect(run.status == 0 && new.text("etc/password") == "broker\n", "\(run)")
    }

    /// Returns the command that a restore prints for a file that it leaves out.
    func installCommand(_ run: Binary.Outcome) throws -> String {
        String(try #require((run.output + run.errors).firstMatch(of: /run `((?:sudo )?sh -c [^`]*)`/)?.1, "\(run)"))
    }

    /// Runs a command in a shell, in which `sudo` needs no package. Returns its status.
    func shell(_ command: String) throws -> Int32 {
        let folder = "\(binary.folder)/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try binary.temporary.script("bin/sudo", "exec \"$@\"")
        let shell = ChildProcess()
        (shell.executableURL, shell.arguments) = (URL(filePath: "/bin/sh"), ["-c", command])
        shell.environment = ["PATH": "\(folder):/usr/bin:/bin", "TMPDIR": binary.folder]
        try shell.run()
        shell.waitUntilExit()
        return shell.terminationStatus
    }

    @Test func `without the key of a phone, which is in another folder, nothing changes`() throws {
        let folder = "\(old.path)/it's a folder"
        let key = "\(folder)/phone.key"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try old.file("it's a folder/phone.key", Array("00112233445566778899aabbccddeeff\n".utf8))
        chmod(key, 0o600)
        _ = try old.file(
            "beacons.json", Array(#"{"regions": [{"identifier": "me", "phone": "\#(key)"}]}"#.utf8))
        let file = "\(binary.folder)/okaeri-2026-11-29T12:00:00+00:00.tar"
        #expect(try backup(file).status == 0)
        try FileManager.default.removeItem(atPath: folder)
        let run = try restore(file)
        #expect(run.status == 78 && run.errors.contains(" secret-1 "), "\(run)")
        #expect(try new.names("etc").isEmpty)
        #expect(try shell(installCommand(run)) == 0)
        #expect(try restore(file).status == 0 && new.names("etc") == ["beacons.json"])
        #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a command that cannot read the backup leaves the secret as it is`() throws {
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        _ = try old.file("passphrase", Array("present\n".utf8))
        let command = try installCommand(restore(file))
        unlink(file)
        #expect(try shell(command) != 0 && old.text("passphrase") == "present\n")
        #expect(try !FileManager.default.contentsOfDirectory(atPath: binary.folder).contains { $0.hasPrefix("tmp.") })
        #expect(try backup(file).status == 0)
        unlink("\(old.path)/passphrase")
        #expect(try shell(command) == 0 && old.text("passphrase") == "present\n")
    }

    @Test func `the paths of files are shown without control characters`() throws {
        let file = "\(binary.folder)/b.tar"
        let saved = try binary.run(
            ["backup", file, "--config", "\(old.path)/beacons.json", "--state-dir", "\(old.path)/\u{1B}[2J"])
        #expect(saved.status == 0 && saved.output.contains(#"\u{1B}[2J/state.json"#), "\(saved)")
        #expect(!saved.output.contains("\u{1B}"))
        let restored = try binary.run(
            ["restore", file, "--yes", "--config", "\(new.path)/\u{1B}[2J/beacons.json", "--state-dir", "/none"])
        #expect(restored.output.contains(#"\u{1B}[2J/beacons.json"#), "\(restored)")
        #expect(!(restored.output + restored.errors).contains("\u{1B}"))
    }

    /// Makes the history so large that its copy takes a while.
    func enlarge(_ file: String) throws {
        let python = ChildProcess()
        (python.executableURL, python.arguments) = (
            URL(filePath: "/usr/bin/env"),
            [
                "python3", "-c",
                """
                import sqlite3
                with sqlite3.connect("\(file)") as base:
                    base.execute("CREATE TABLE padding (bytes)")
                    for _ in range(300): base.execute("INSERT INTO padding VALUES (randomblob(65536))")
                """,
            ]
        )
        try python.run()
        python.waitUntilExit()
        #expect(python.terminationStatus == 0)
    }

    /// Runs a command, and sends it a signal as soon as a file exists. Returns whether the command had ended its work before.
    private func interrupt(_ arguments: [String], when file: String) throws -> Bool {
        let terminal = try Pseudoterminal()
        let process = try binary.start(arguments, on: terminal, environment: ["TMPDIR": "\(binary.folder)/temporary"])
        terminal.read { _ in FileManager.default.fileExists(atPath: file) || !process.isRunning }
        kill(process.processIdentifier, SIGINT)
        terminal.end(of: process)
        #expect(process.terminationReason == .exit, "\(terminal.text)")
        return process.terminationStatus == 0
    }

    @Test func `the copy of the history is made in the state directory, where a killed command left another one`()
        throws
    {
        try replay(into: "\(old.path)/state")
        let leftover = "\(old.path)/state/okaeri-backup.abcdef"
        try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: false)
        chmod(leftover, 0o700)
        for name in [".okaeri-temporary", "history.sqlite"] {
            _ = try old.file("state/okaeri-backup.abcdef/\(name)", Array("x".utf8))
        }
        #expect(try backup("\(binary.folder)/b.tar").status == 0)
        #expect(try !old.names("state").contains { $0.hasPrefix("okaeri-backup") })
    }

    @Test func `a backup and a restore that are interrupted leave no unfinished file`() throws {
        let temporary = "\(binary.folder)/temporary"
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        try replay(into: "\(old.path)/state")
        let (first, file) = ("\(binary.folder)/a.tar", "\(binary.folder)/b.tar")
        try enlarge("\(old.path)/state/history.sqlite")
        let place = ["--config", "\(old.path)/beacons.json", "--state-dir", "\(old.path)/state"]
        let isWhole = try interrupt(["backup", file] + place, when: file)
        #expect((bytes(file) != nil) == isWhole)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        #expect(try backup(first).status == 0)
        let isRestored = try interrupt(
            [
                "restore", first, "--yes", "--allow-servers", "--config", "\(new.path)/etc/beacons.json", "--state-dir",
                "\(new.path)/state",
            ], when: "\(new.path)/state/history.sqlite.restored")
        if isRestored {
            #expect(try !new.names("state").contains { $0.hasSuffix(".restored") })
        } else {
            #expect(try new.names("etc").isEmpty && new.names("state").isEmpty)
        }
    }
}
