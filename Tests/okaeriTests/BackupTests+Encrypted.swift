import Foundation
import OkaeriTestSupport
import Testing

/// Backups that are encrypted in the format of age.
extension BackupTests {
    private static let passphrase = "お帰り correct horse"

    /// Returns the options for a passphrase in a file.
    private func with(_ passphrase: String = passphrase, named name: String = "backup.pass") throws -> [String] {
        let file = try binary.file(name, Array("\(passphrase)\n".utf8))
        chmod(file, 0o600)
        return ["--passphrase-file", file]
    }

    private func agree(_ more: [String]) -> [String] { ["--yes", "--allow-servers"] + more }

    private func saved() throws -> String {
        _ = try new.file("etc/mqtt.password", Array("broker secret\n".utf8))
        let file = "\(binary.folder)/b.tar.age"
        let run = try backup(file, with())
        #expect(run.status == 0, "\(run)")
        _ = try new.file("etc/mqtt.password", Array("another\n".utf8))
        return file
    }

    @Test func `an encrypted backup has nothing in the clear, and is restored`() throws {
        try replay(into: "\(old.path)/state")
        let file = try saved()
        let content = try #require(bytes(file))
        #expect(content.starts(with: Array("age-encryption.org/v1\n-> scrypt ".utf8)))
        for text in ["broker secret", "beacons.json", "E2C56DB5", "SQLite format"] {
            #expect(content.range(of: Data(text.utf8)) == nil, "\(text)")
        }
        let run = try restore(file, agree(with()))
        #expect(run.status == 0, "\(run)")
        #expect(new.text("etc/mqtt.password") == "broker secret\n")
        #expect(bytes("\(new.path)/etc/beacons.json") == bytes("\(old.path)/beacons.json"))
        let events = ["\(old.path)/state", "\(new.path)/state"].map {
            try? binary.run(["history", "--json", "--state-dir", $0]).output
        }
        #expect(events[0] == events[1] && events[0]?.contains("didEnterRegion") == true, "its history is copied")
    }

    @Test func `a wrong passphrase, none, and one for a backup that is not encrypted change nothing`() throws {
        let file = try saved()
        let wrong = try restore(file, agree(with("another passphrase")))
        #expect(wrong.status == 65 && wrong.errors.contains("the passphrase is wrong"), "\(wrong)")
        let none = try restore(file)
        #expect(none.status == 64 && none.errors.contains("use `--passphrase-file FILE`"), "\(none)")
        let plain = "\(binary.folder)/plain.tar"
        #expect(try backup(plain).status == 0)
        let run = try restore(plain, agree(with()))
        #expect(run.status == 65 && run.errors.contains("it is not encrypted, although it has to be"), "\(run)")
        #expect(new.text("etc/mqtt.password") == "another\n" && new.text("etc/beacons.json") == nil)
    }

    @Test func `an encrypted backup that is damaged, cut or longer changes nothing`() throws {
        let content = try #require(bytes(try saved()))
        let options = try agree(with())
        var damaged = content
        damaged[content.count / 2] ^= 1
        for (name, bytes) in [
            ("damaged", damaged), ("cut", content.dropLast(100)), ("header", content.prefix(100)),
            ("longer", content + [0]),
        ] {
            let run = try restore(try binary.file(name, Array(bytes)), options)
            #expect(run.status == 65 && run.errors.contains("cannot restore"), "\(name): \(run)")
        }
        #expect(new.text("etc/mqtt.password") == "another\n" && new.text("etc/beacons.json") == nil)
    }

    @Test func `a passphrase that is short, and a file that others read, make no backup`() throws {
        let file = "\(binary.folder)/b.tar.age"
        let short = try backup(file, with("eleven char"))
        #expect(short.status == 64 && short.errors.contains("12 characters or more"), "\(short)")
        let options = try with()
        chmod(options[1], 0o644)
        let open = try backup(file, options)
        #expect(open.status == 77 && open.errors.contains("other users can access it"), "\(open)")
        #expect(bytes(file) == nil)
    }

    @Test func `the passphrase is typed without echo`() throws {
        let file = try saved()
        let terminal = try Pseudoterminal()
        let process = try binary.start(
            [
                "restore", file, "--config", "\(new.path)/etc/beacons.json", "--state-dir", "\(new.path)/state",
            ] + agree([]), on: terminal)
        #expect(terminal.read { $0.contains("Passphrase of the backup: ") }, "\(terminal.text)")
        try terminal.type("\(Self.passphrase)\n")
        terminal.end(of: process)
        #expect(process.terminationStatus == 0 && !terminal.text.contains("correct horse"), "\(terminal.text)")
        #expect(new.text("etc/mqtt.password") == "broker secret\n")
    }

    @Test(arguments: [true, false])
    func `the command for a file that is left out decrypts the backup first, or leaves the file`(works: Bool) throws {
        let plain = "\(binary.folder)/plain.tar"
        #expect(try backup(plain).status == 0)
        let file = try saved()
        _ = try old.file("passphrase", Array("present\n".utf8))
        let command = try installCommand(restore(file, agree(with())))
        // The program `age` asks for the passphrase on a terminal.
        try FileManager.default.createDirectory(atPath: "\(binary.folder)/bin", withIntermediateDirectories: true)
        _ = try binary.temporary.script(
            "bin/age", "[ \"$1 $2\" = '-d \(file)' ] && cat \(works ? plain : "/missing")")
        #expect(try (shell(command) == 0) == works)
        #expect(old.text("passphrase") == (works ? "old secret\n" : "present\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: binary.folder).allSatisfy { !$0.hasPrefix("tmp.") })
    }
}
