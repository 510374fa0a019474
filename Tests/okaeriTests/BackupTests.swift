import Foundation
import OkaeriConfiguration
import OkaeriHistory
import OkaeriTestSupport
import Testing

@testable import okaeri

/// `okaeri backup` and `okaeri restore` as people run them, without a service.
@Suite(.blocks, .timeLimit(.minutes(5))) struct BackupTests {
    let binary: Binary
    /// The machine that is saved, and the one that is restored.
    let old, new: TemporaryFolder

    init() throws {
        (binary, old, new) = (try Binary(), try TemporaryFolder(), try TemporaryFolder())
        let region = #"{"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0""#
        _ = try old.file(
            "beacons.json",
            Array(
                (#"{"node": {"name": "attic"}, "mqtt": {"host": "localhost", "username": "pi", "passwordFile": "\#(new.path)/etc/mqtt.password"}, "#
                    + #""regions": [\#(region), "wifi": {"ssid": "Home", "passphraseFile": "\#(old.path)/passphrase"}}]}"#)
                    .utf8))
        _ = try old.file("passphrase", Array("old secret\n".utf8))
        try FileManager.default.createDirectory(atPath: "\(new.path)/etc", withIntermediateDirectories: true)
    }

    /// Replays the capture of an arrival, which leaves a state and a history.
    func replay(into directory: String) throws {
        let terminal = try Pseudoterminal()
        let process = try binary.start(
            [
                "monitor", "--config", binary.configuration, "--capture", Binary.capture, "--speed", "100000",
                "--wifi", "simulated", "--state-dir", directory, "--socket", "\(old.path)/s",
            ], on: terminal)
        #expect(terminal.read { $0.contains("has ended") }, "\(terminal.text)")
        kill(process.processIdentifier, SIGTERM)
        terminal.end(of: process, within: 30)
        #expect(process.terminationStatus == 0, "\(terminal.text)")
    }

    func backup(_ file: String, _ more: [String] = []) throws -> Binary.Outcome {
        try binary.run(
            ["backup", file, "--config", "\(old.path)/beacons.json", "--state-dir", "\(old.path)/state"] + more)
    }

    func restore(_ file: String, _ more: [String] = ["--yes", "--allow-servers"]) throws -> Binary.Outcome {
        try binary.run(
            ["restore", file, "--config", "\(new.path)/etc/beacons.json", "--state-dir", "\(new.path)/state"] + more)
    }

    func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `a backup has every file of the state directory that outlives a restart`() throws {
        try replay(into: "\(old.path)/state")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(old.path)/state")
        let saved = Set(StateDirectory.File.allCases.map(\.rawValue))
        #expect(Set(names).subtracting(saved) == ["okaeri.lock"], "a new file of the daemon must be in a backup")
    }

    @Test func `every key that names a file with a secret is in the list of such files`() throws {
        let words = OkaeriConfiguration.Configuration.words
        #expect(words.filter { $0.hasSuffix("File") } == ["passphraseFile", "passwordFile", "tokenFile"] as Set)
        let configuration = try OkaeriConfiguration.Configuration(
            json: Array(
                #"{"notify": [{"type": "ntfy", "url": "https://n.example/t", "tokenFile": "/t"}], "mqtt": {"host": "h", "username": "u", "passwordFile": "/p", "tls": {"ca": "/a", "certificate": "/c", "key": "/k"}}, "regions": [{"identifier": "h", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "wifi": {"ssid": "h", "passphraseFile": "/w"}}, {"identifier": "me", "anyOf": [{"phone": "/k1"}, {"phone": "/k2"}]}]}"#
                    .utf8), file: "b.json")
        #expect(configuration.secretPaths == ["/w", "/k1", "/k2", "/p", "/a", "/c", "/k", "/t"])
    }

    @Test func `the keys of phones of the page are saved and restored, and no other files of the state directory`()
        throws
    {
        let key = "ec0234a357c8ad05341010a60a397d9b\n"
        for (folder, content) in [(old, key), (new, "another\n")] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/state", withIntermediateDirectories: true)
            _ = try folder.file("state/anna.irk", Array(content.utf8))
        }
        _ = try old.file("state/bob.irk", Array("not named\n".utf8))
        let regions = #"{"regions": [{"identifier": "anna", "phone": "anna.irk"}]}"#
        _ = try old.file("state/regions.json", Array(regions.utf8))
        let file = "\(binary.folder)/b.tar"
        let saved = try backup(file)
        #expect(saved.status == 0 && saved.output.contains("state/anna.irk"), "\(saved)")
        let restored = try restore(file)
        #expect(restored.status == 0 && !(saved.output + restored.output).contains(key.prefix(12)), "\(restored)")
        #expect(new.text("state/anna.irk") == key && new.text("state/anna.irk.bak") == "another\n")
        #expect(try mode("\(new.path)/state/anna.irk") == 0o600)
        #expect(try mode("\(new.path)/etc/beacons.json") == 0o640, "its addresses may be secrets")
        #expect(new.text("state/regions.json") == regions && new.text("state/bob.irk") == nil)
    }

    @Test func `a restored machine has the files of the backup, and keeps the former ones`() throws {
        try replay(into: "\(old.path)/state")
        _ = try new.file("etc/mqtt.password", Array("broker\n".utf8))
        let file = "\(binary.folder)/b.tar"
        let saved = try backup(file)
        #expect(saved.status == 0 && saved.output.contains("it holds secrets"), "\(saved)")
        #expect(try mode(file) == 0o600)
        _ = try new.file("etc/mqtt.password", Array("another\n".utf8))
        _ = try new.file("etc/beacons.json", Array(#"{"regions": []}"#.utf8))
        try FileManager.default.createDirectory(atPath: "\(new.path)/state", withIntermediateDirectories: true)
        _ = try new.file("state/regions.json", Array("{}".utf8))
        _ = try new.file("state/history.sqlite-wal", Array("wal".utf8))
        let restored = try restore(file)
        #expect(restored.status == 0 && restored.output.contains("of node attic"), "\(restored)")
        #expect(bytes("\(new.path)/etc/beacons.json") == bytes("\(old.path)/beacons.json"))
        #expect(new.text("etc/beacons.json.bak") == #"{"regions": []}"#)
        #expect(new.text("etc/mqtt.password") == "broker\n" && new.text("etc/mqtt.password.bak") == "another\n")
        #expect(bytes("\(new.path)/state/state.json") == bytes("\(old.path)/state/state.json"))
        #expect(new.text("state/regions.json") == nil && new.text("state/regions.json.bak") == "{}")
        #expect(new.text("state/history.sqlite-wal") == nil && new.text("state/history.sqlite.bak-wal") == "wal")
        #expect(try mode("\(new.path)/state/history.sqlite") == 0o600)
        let events = ["\(old.path)/state", "\(new.path)/state"].map {
            try? binary.run(["history", "--json", "--state-dir", $0]).output
        }
        #expect(events[0] == events[1] && events[0]?.contains("didEnterRegion") == true)
        #expect(restored.output.contains("\(old.path)/passphrase: is the same already"), "\(restored)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(new.path)/state").allSatisfy {
                !$0.contains("restored")
            })
    }

    @Test func `a file outside the folder of the configuration is named and left out`() throws {
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        _ = try old.file("passphrase", Array("changed\n".utf8))
        let restored = try restore(file)
        #expect(
            restored.status == 0
                && restored.output.contains("passphrase: is left out, because it is not in the folder of"),
            "\(restored)")
        #expect(old.text("passphrase") == "changed\n")
        let command = try installCommand(restored)
        #expect(command.hasSuffix(" sh \(file) secret-1 \(old.path)/passphrase"), "\(restored)")
    }

    @Test func `with --json the result is one object, and nothing is asked`() throws {
        let file = "\(binary.folder)/b.tar"
        let saved =
            try JSONSerialization.jsonObject(with: Data(try backup(file, ["--json"]).output.utf8)) as? [String: Any]
        let content = saved?["content"] as? [String: Any]
        #expect(
            (content?["files"] as? [String])?.count == 2 && (content?["missing"] as? [Any])?.count == 4,
            "\(saved ?? [:])")
        #expect(try restore(file, ["--json"]).status == 64 && restore(file, []).status == 64)
        let restored =
            try JSONSerialization.jsonObject(
                with: Data(try restore(file, ["--json", "--yes", "--allow-servers"]).output.utf8)) as? [String: Any]
        #expect(restored?["node"] as? String == "attic" && restored?["applied"] as? Bool == false)
        #expect(restored?["changedKeys"] as? [String] == ["mqtt"])
        #expect(
            restored?["servers"] as? [[String: String]] == [["key": "mqtt", "address": "mqtt://localhost:1883"]])
        let again = try restore(file)
        #expect(again.status == 0 && again.output.contains("is the same already"), "\(again)")
    }

    @Test func `a backup on standard output is the same archive, which tar lists`() throws {
        let run = try binary.run(
            ["backup", "-", "--config", "\(old.path)/beacons.json", "--state-dir", "\(old.path)/none"],
            output: try binary.file("out.tar", []))
        #expect(run.status == 0 && run.errors.contains("it holds secrets"), "\(run)")
        let tar = ChildProcess()
        let list = Pipe()
        (tar.executableURL, tar.arguments, tar.standardOutput) =
            (URL(filePath: "/bin/tar"), ["-tf", "\(binary.folder)/out.tar"], list)
        try tar.run()
        let names = String(decoding: list.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(names == "manifest\nbeacons.json\nsecret-1\n")
    }

    @Test func `an existing file is not overwritten, and a failure leaves none`() throws {
        let file = try binary.file("b.tar", Array("mine".utf8))
        #expect(try backup(file).status == 74 && bytes(file) == Data("mine".utf8))
        let none = try binary.run(["backup", "\(binary.folder)/c.tar", "--config", "\(binary.folder)/none.json"])
        #expect(none.status == 78 && bytes("\(binary.folder)/c.tar") == nil, "\(none)")
    }

    @Test func `a backup in which any byte is another one changes nothing`() throws {
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        let archive = try #require(bytes(file))
        func refuses(_ content: Data, _ words: String, status: Int32 = 65) throws {
            try content.write(to: URL(filePath: file))
            let run = try restore(file)
            #expect(run.status == status && run.errors.contains(words), "\(run)")
            #expect(bytes("\(new.path)/etc/beacons.json") == nil)
        }
        for index in stride(from: 0, to: archive.count, by: 97) {
            var other = archive
            other[index] ^= 0x04
            try refuses(other, "cannot restore")
        }
        for length in [0, 1, 511, 512, archive.count - 512, archive.count - 1] {
            try refuses(archive.prefix(length), "damaged")
        }
        try refuses(archive + Data(count: 512), "damaged")
        let newer = String(decoding: archive, as: UTF8.self).replacing(#""format":1"#, with: #""format":9"#)
        try refuses(Data(newer.utf8), "a newer okaeri wrote it, in format 9")
        try archive.write(to: URL(filePath: file))
        chmod(file, 0o666)
        let open = try restore(file)
        #expect(open.status == 77 && open.errors.contains("other users can change it"), "\(open)")
    }

    @Test func `if a file cannot be replaced, the others are put back`() throws {
        try replay(into: "\(old.path)/state")
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        _ = try new.file("etc/beacons.json", Array(#"{"regions": []}"#.utf8))
        try FileManager.default.createDirectory(
            atPath: "\(new.path)/state/history.sqlite.bak/x", withIntermediateDirectories: true)
        _ = try new.file("state/history.sqlite", Array("old".utf8))
        let run = try restore(file)
        #expect(run.status == 74 && run.errors.contains("all files are as before"), "\(run)")
        #expect(new.text("etc/beacons.json") == #"{"regions": []}"# && new.text("state/history.sqlite") == "old")
        #expect(new.text("state/state.json") == nil && new.text("etc/mqtt.password") == nil)
    }

    @Test func `a state directory in use is not restored`() throws {
        let file = "\(binary.folder)/b.tar"
        try replay(into: "\(old.path)/state")
        #expect(try backup(file).status == 0)
        let lock = try StateLock(directory: "\(new.path)/state")
        let run = try restore(file)
        #expect(run.status == 69 && run.errors.contains("another okaeri keeps its state"), "\(run)")
        #expect(try new.names("etc").isEmpty && new.names("state") == ["okaeri.lock"])
        withExtendedLifetime(lock) {}
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root acts in the state directory as its owner, and follows no link out of it`() throws {
        try replay(into: "\(old.path)/state")
        let file = "\(binary.folder)/b.tar"
        #expect(try backup(file).status == 0)
        let (state, nobody) = ("\(new.path)/state", 65534 as UInt32)
        mkdir(state, 0o700)
        chown(state, nobody, nobody)
        chmod(new.path, 0o755)
        _ = try new.file("victim", Array("root's".utf8))
        chmod("\(new.path)/victim", 0o600)
        symlink("\(new.path)/victim", "\(state)/state.json")
        symlink("\(new.path)/victim", "\(state)/state.json.restored")
        let read = try binary.run(
            ["backup", "\(binary.folder)/c.tar", "--config", "\(old.path)/beacons.json", "--state-dir", state])
        #expect(read.status == 77 && read.errors.contains("Permission denied"), "\(read)")
        unlink("\(state)/state.json")
        let run = try restore(file)
        #expect(run.status == 0 && new.text("victim") == "root's", "\(run)")
        let owner = try FileManager.default.attributesOfItem(atPath: "\(state)/state.json")[.ownerAccountID] as? UInt32
        #expect(owner == nobody && bytes("\(state)/state.json") == bytes("\(old.path)/state/state.json"))
    }
}
