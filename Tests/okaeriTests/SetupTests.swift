import Foundation
import OkaeriTestSupport
import Testing

/// `okaeri setup` as people run it, on the demonstration's capture in place of an adapter.
@Suite(.blocks, .serialized, .timeLimit(.minutes(5))) struct SetupCommandTests {
    private let binary: Binary
    private let terminal: Pseudoterminal
    private let arguments: [String]
    private static let questions = [
        ("runs Okaeri. [Y/n] ", "\n"), ("the nearest: ", "\n"), ("in your hand? [y/N] ", "y\n"),
        ("Anna or keys", "home\n"), ("Enter for none: ", "\n"),
        ("20 s. [y/N] ", "n\n"), ("takes a minute. [y/N] ", "\n"), ("beacons.json? [Y/n] ", "\n"),
    ]

    init() throws {
        binary = try Binary()
        terminal = try Pseudoterminal()
        arguments = ["setup", "--capture", Binary.capture, "--config", "beacons.json", "--socket", "none"]
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: binary.folder).sorted()) ?? []
    }

    /// Starts it and answers so many questions; the next one is on the screen then.
    private func start(answering count: Int) throws -> ChildProcess {
        let process = try binary.start(
            arguments, on: terminal, environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
        for (index, (question, answer)) in Self.questions.prefix(count + 1).enumerated() {
            #expect(terminal.read { $0.contains(question) }, "\(terminal.text)")
            if index == 1 { #expect(terminal.read { $0.contains("00112233-4455") }, "\(terminal.text)") }
            if index < count { try terminal.type(answer) }
        }
        return process
    }

    @Test func `the answers become a configuration`() throws {
        let process = try start(answering: Self.questions.count)
        terminal.end(of: process)
        #expect(process.terminationStatus == 0, "\(terminal.text)")
        #expect(files == ["beacons.json"])
        let text = try String(contentsOfFile: "\(binary.folder)/beacons.json", encoding: .utf8)
        #expect(text.contains("\"identifier\": \"home\"") && text.contains("00112233-4455"))
        #expect(terminal.text.contains("okaeri monitor --config beacons.json"))
        #expect(try binary.run(["config", "check", "--config", "beacons.json"]).status == 0)
    }

    @Test func `a measurement of the signal shows its readings, and ended it leaves nothing behind`() throws {
        let process = try start(answering: 6)
        try terminal.type("y\n")
        #expect(terminal.read { $0.contains("and press Enter: ") }, "\(terminal.text)")
        try terminal.type("\n")
        #expect(terminal.read { $0.contains(" s left, 0 readings") }, "\(terminal.text)")
        #expect(terminal.read { $0.contains(/s left, [1-9]/) }, "\(terminal.text)")
        kill(process.processIdentifier, SIGINT)
        terminal.end(of: process, within: 30)
        #expect(process.terminationStatus == 1 && files == [], "\(terminal.text)")
    }

    @Test(arguments: 0..<8)
    func `ended at any question it leaves nothing behind`(count: Int) throws {
        let process = try start(answering: count)
        // As the terminal does for ^C; and its end of input, ^D.
        if count.isMultiple(of: 2) { kill(process.processIdentifier, SIGINT) } else { try terminal.type("\u{4}") }
        terminal.end(of: process, within: 30)
        #expect(process.terminationReason == .exit && process.terminationStatus == 1, "\(terminal.text)")
        #expect(terminal.text.contains("nothing was written"))
        #expect(files == [])
    }

    @Test func `without a terminal the options answer`() throws {
        let unasked = try binary.run(["setup", "--config", "beacons.json"])
        #expect(unasked.status == 64 && unasked.output.isEmpty)
        #expect(unasked.errors.contains("--beacon UUID/MAJOR/MINOR --identifier home"))
        let beacon = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/100"
        let options = [
            "setup", "--config", "beacons.json", "--socket", "none", "--beacon", beacon, "--identifier", "home",
        ]
        let first = try binary.run(options)
        #expect(first.status == 0 && first.output.hasPrefix("beacons.json is written.\n"), "\(first)")
        let second = try binary.run(options + ["--ssid", "HomeNet"])
        #expect(second.status == 0 && second.output.contains("the one before is beacons.json.bak"), "\(second)")
        #expect(files == ["beacons.json", "beacons.json.bak"])
        let report = try binary.run(options + ["--json"])
        #expect(report.status == 0 && report.output.split(separator: "\n").count == 1, "\(report)")
        #expect(report.output.contains(#""identifier":"home""#) && report.output.contains(#""next":["#), "\(report)")
        let asking = try binary.run(["setup", "--config", "beacons.json", "--json"])
        #expect(asking.status == 64 && asking.output.hasPrefix(#"{"error":"with --json nothing is asked"#), "\(asking)")
    }

    @Test(arguments: ["{}", " { }\n", "{ \"adapter\": \"hci1\" }", "", "{\"regions\": []}"])
    func `a configuration without regions receives its first one`(text: String) throws {
        let file = try binary.file("beacons.json", text.utf8)
        let options = ["--beacon", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/100", "--identifier", "home"]
        let outcome = try binary.run(["setup", "--config", file, "--socket", "none"] + options)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try binary.run(["config", "check", "--config", file]).status == 0)
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(written.contains("\"identifier\": \"home\"") && written.contains("hci1") == text.contains("hci1"))
    }

    @Test(arguments: ["{ \"adaptor\": 1 }", "{ \"regions\": {} }", "[]"])
    func `a configuration with another mistake is refused as before`(text: String) throws {
        let file = try binary.file("beacons.json", text.utf8)
        let options = ["--beacon", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/100", "--identifier", "home"]
        #expect(try binary.run(["setup", "--config", file, "--socket", "none"] + options).status == 78)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    @Test(arguments: ["\"phone\": \"/keys/anna.key\"", "\"anyOf\": [{\"phone\": \"/keys/anna.key\"}]"])
    func `with --json the reason of a refused change is an object`(signs: String) throws {
        let file = try binary.file("beacons.json", "{\"regions\": [{\"identifier\": \"a\", \(signs)}]}".utf8)
        let options = ["--config", file, "--socket", "none", "--beacon", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/2"]
        let outcome = try binary.run(["setup", "--identifier", "a", "--json"] + options)
        #expect(outcome.status == 78 && outcome.errors.contains("regions[0]"), "\(outcome)")
        #expect(outcome.output.hasPrefix("{\"error\":\"") && outcome.output.hasSuffix("\"status\":78}\n"), "\(outcome)")
        #expect(outcome.output.contains("regions[0]"), "\(outcome)")
    }

    @Test func `with --json a file that cannot be written is an object`() throws {
        let options = ["--socket", "none", "--beacon", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/2", "--identifier", "a"]
        let outcome = try binary.run(["setup", "--config", "/proc/x.json", "--json"] + options)
        #expect([74, 77].contains(outcome.status), "\(outcome)")
        #expect(outcome.output.hasPrefix("{\"error\":\"/proc/x.json"), "\(outcome)")
        #expect(outcome.output.hasSuffix("\"status\":\(outcome.status)}\n"), "\(outcome)")
    }

    @Test func `a relative path of a passphrase is a mistake of the option`() throws {
        let outcome = try binary.run([
            "setup", "--config", "n.json", "--beacon", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/2", "--identifier", "a",
            "--ssid", "x", "--passphrase-file", "x", "--json",
        ])
        #expect(
            outcome.status == 64 && outcome.errors.contains("--passphrase-file takes an absolute path"), "\(outcome)")
        #expect(outcome.output.hasPrefix("{\"error\":\"--passphrase-file takes"), "\(outcome)")
        #expect(files == [])
    }

    /// Names that would move a terminal's cursor, begin a line in a log, or turn text around.
    private static let hostileNames = [
        "a\nb", "a\u{1B}[2Jb", "a\u{9B}b", "a\u{2028}b", "a\u{202E}b", "a\u{2066}b", "a\u{200F}b", "a\u{200B}b", "\t",
    ]

    @Test(arguments: hostileNames)
    func `a name with control characters is refused`(name: String) throws {
        let setup = try binary.run([
            "setup", "--config", "beacons.json", "--socket", "none", "--identifier", name, "--beacon",
            "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/100",
        ])
        #expect(setup.status == 64 && setup.errors.contains("--identifier takes"), "\(setup)")
        #expect(files == [])
        let identifier = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
        let text =
            "{\"regions\": [{\"identifier\": \(identifier), \"uuid\": \"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0\"}]}"
        let check = try binary.run(["config", "check", "--config", binary.file("hostile.json", text.utf8)])
        #expect(check.status == 78 && check.errors.contains("regions[0].identifier: found \""), "\(check)")
        let control = try #require(name.unicodeScalars.first { !$0.isASCII || $0.value < 0x20 })
        let escaped = "\\u{\(String(control.value, radix: 16, uppercase: true))}"
        #expect(check.errors.contains(escaped), "\(check)")
        #expect(!check.errors.dropLast().unicodeScalars.contains(control), "\(check)")
    }

    @Test(arguments: ["お帰り", "👩‍👩‍👧 home", "Anna's keys", "می‌خواهم"])
    func `a name of any script is taken`(name: String) throws {
        let setup = try binary.run([
            "setup", "--config", "beacons.json", "--socket", "none", "--identifier", name, "--beacon",
            "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/100",
        ])
        #expect(setup.status == 0, "\(setup)")
        #expect(try binary.run(["config", "check", "--config", "beacons.json"]).status == 0)
    }

    @Test func `an obstacle to writing is reported before any question`() throws {
        let options = ["--beacon", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "--identifier", "home"]
        let broken = try binary.file("broken.json", "{\"regions\": [".utf8)
        let refused = try binary.run(["setup", "--config", broken] + options)
        #expect(refused.status == 78 && refused.errors.contains("line 1, column 14"), "\(refused)")
        let folder = try binary.run(["setup", "--config", binary.folder] + options)
        #expect(folder.status == 74 && folder.errors.contains("is not a regular file"), "\(folder)")
        for wrong in [["--beacon", "x"], ["--identifier", ""], ["--passphrase-file", "/x"]] {
            #expect(try binary.run(["setup"] + wrong).status == 64)
        }
    }
}
