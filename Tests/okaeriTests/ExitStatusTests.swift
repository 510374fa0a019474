import ArgumentParser
import Foundation
import OkaeriTestSupport
import Testing

@testable import okaeri

/// The table of exit statuses in docs/commands.md, for all commands.
@Suite(.blocks) struct ExitStatusTests {
    private let binary: Binary

    init() throws {
        binary = try Binary()
    }

    /// The commands that need the daemon, with arguments that are right, and their exit status without one.
    private static let withoutDaemon: [String: (arguments: [String], status: Int32)] = [
        "status": ([], 3), "explain": (["home"], 69), "prompts": ([], 69), "answer": (["1", "join"], 69),
        "nodes list": ([], 69), "nodes forget": (["attic"], 69), "web link": ([], 69), "web devices": ([], 69),
        "web revoke": (["all"], 69), "notify test": ([], 69), "calibrate": (["home", "--node", "kitchen"], 69),
    ]

    /// The commands that use the daemon if it runs, and their behaviour otherwise.
    private static let withOptionalDaemon = [
        "agent": "waits for it", "doctor": "reports it", "gatt": "waits for it", "history": "reads the file",
        "monitor": "is the daemon", "plot": "reads the file", "setup": "configures it", "join": "configures it",
        "web on": "configures it", "web off": "configures it",
    ]

    /// The commands that read the configuration, with arguments that are right otherwise.
    private static let withConfiguration: [String: [String]] = [
        "wifi qr": [],
        "monitor": [], "replay": [Binary.capture], "range": ["home"], "locate": [], "calibrate": ["home"],
        "config check": [], "config remove": ["home"], "advertise": ["--region", "home"], "backup": ["unwritten.tar"],
        "enroll": ["anna", "--import", "-", "--yes"],
    ]

    private static let withoutConfiguration = [
        "doctor": "reports it", "plot": "draws without it", "scan": "marks no phones then", "setup": "writes it",
        "join": "writes it",
        "web on": "writes it",
        "web off": "writes it", "restore": "writes it",
    ]

    /// The commands without those that only contain others, with their help.
    private var commands: [String: String] {
        func leaves(_ command: any ParsableCommand.Type, _ path: [String]) -> [(String, String)] {
            let subcommands = command.configuration.subcommands
            guard subcommands.isEmpty else {
                return subcommands.flatMap { leaves($0, path + [$0.configuration.commandName ?? ""]) }
            }
            return [(path.joined(separator: " "), Okaeri.helpMessage(for: command, includeHidden: false, columns: 80))]
        }
        return Dictionary(uniqueKeysWithValues: leaves(Okaeri.self, []))
    }

    @Test func `each command without a daemon has the table's status, and an object with --json`() throws {
        for (command, help) in commands where help.contains("--socket") {
            if Self.withOptionalDaemon[command] != nil { continue }
            let (arguments, status) = try #require(Self.withoutDaemon[command], "\(command) is in no table")
            let line = command.split(separator: " ").map(String.init) + arguments
            let outcome = try binary.run(line + ["--socket", "\(binary.folder)/none.sock"])
            #expect(outcome.status == status && outcome.output.isEmpty, "\(command): \(outcome)")
            #expect(outcome.errors.contains("there is no listener on \(binary.folder)/none.sock"), "\(command)")
            guard help.contains("--json") else { continue }
            let answer = try binary.run(line + ["--socket", "\(binary.folder)/none.sock", "--json"])
            let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
            #expect(object?["status"] as? Int == Int(status) && answer.status == status, "\(command): \(answer)")
            #expect((object?["error"] as? String)?.contains("there is no listener") == true, "\(command): \(answer)")
        }
    }

    @Test func `each command that reads the configuration ends with 78 if it does not load`() throws {
        let broken = try binary.file("broken.json", Array(#"{"regions": 5}"#.utf8))
        for (command, help) in commands where help.contains("--config") {
            if Self.withoutConfiguration[command] != nil { continue }
            let arguments = try #require(Self.withConfiguration[command], "\(command) is in no table")
            let line = command.split(separator: " ").map(String.init) + arguments
            let outcome = try binary.run(line + ["--config", broken])
            #expect(outcome.status == 78 && outcome.errors.contains("broken.json"), "\(command): \(outcome)")
        }
    }

    @Test func `each command ends with 64 for an option that it does not have`() throws {
        for command in commands.keys {
            let line = command.split(separator: " ").map(String.init)
            let outcome = try binary.run(line + ["--no-such-option"])
            #expect(outcome.status == 64 && outcome.output.isEmpty, "\(command): \(outcome)")
        }
    }

    @Test(arguments: [["range", "nope"], ["calibrate", "nope"], ["wifi", "qr", String(repeating: "a", count: 33)]])
    func `a mistake that a command finds while it runs has the usage of that command`(line: [String]) throws {
        let outcome = try binary.run(line + ["--config", binary.configuration])
        let words = line.prefix(line.count - 1).joined(separator: " ")
        #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
        #expect(
            outcome.errors.hasPrefix("Error: ") && outcome.errors.contains("\nUsage: okaeri \(words) ["), "\(outcome)")
        #expect(outcome.errors.contains("See 'okaeri \(words) --help'") && !outcome.errors.contains("<subcommand>"))
    }

    @Test(
        arguments: [
            (["foo"], "there is no command `okaeri foo`; `okaeri --help` lists the commands"),
            (["config", "foo"], "there is no command `okaeri config foo`; `okaeri config --help` lists the commands"),
            (["hsitory"], "did you mean `okaeri history`?"),
            (["statsu"], "did you mean `okaeri status`?"),
            (["nodes", "forgt", "x"], "did you mean `okaeri nodes forget`?"),
        ])
    func `a mistyped command is answered with the similar one`(line: [String], hint: String) throws {
        let outcome = try binary.run(line)
        #expect(outcome.status == 64 && outcome.errors.contains(hint), "\(outcome)")
    }

    @Test func `the object of a failure is the last one`() throws {
        let taken = try binary.file("report", [])
        let outcome = try binary.run(
            ["doctor", "--report", taken, "--json", "--socket", "\(binary.folder)/none.sock"])
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 74 && lines.count > 1, "\(outcome)")
        #expect(lines.last?.hasPrefix(#"{"error":"#) == true)
        #expect(lines.dropLast().allSatisfy { !$0.contains(#"{"error":"#) })
    }

    @Test func `the page lists each status that a command uses`() throws {
        let page = try String(contentsOfFile: "\(Binary.top)/docs/commands.md", encoding: .utf8)
        for status in [0, 1, 2, 3, 64, 65, 69, 74, 77, 78] {
            #expect(page.contains("\n| \(status) |"), "\(status)")
        }
    }
}
