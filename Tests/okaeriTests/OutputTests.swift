import ArgumentParser
import Foundation
import OkaeriTestSupport
import Testing

@testable import okaeri

/// Standard output that is full or closed.
@Suite(.blocks, .serialized, .timeLimit(.minutes(10))) struct OutputTests {
    /// The way to make a command print something here.
    private enum Way {
        /// With these arguments, and a file as standard input.
        case alone([String], input: String = "/dev/null")
        /// The same, beside a daemon.
        case beside([String])
        /// Not at all.
        case not(because: String)
    }

    private let binary: Binary
    private let socket: String
    private let state: String

    init() throws {
        binary = try Binary()
        (socket, state) = ("\(binary.folder)/socket", "\(binary.folder)/state")
        chmod(try binary.file("psk", "correct horse\n".utf8), 0o600)
        chmod(try binary.file("key", "ec0234a357c8ad05341010a60a397d9b\n".utf8), 0o600)
        _ = try binary.file("cut", Data(contentsOf: URL(filePath: Binary.capture)).prefix(400))
        _ = try binary.file("none.json", #"{"regions": []}"#.utf8)
        _ = try binary.file("page.json", #"{"web": {"listen": "127.0.0.1:8080"}, "regions": []}"#.utf8)
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let region = #""identifier": "home", "uuid": "\#(uuid)", "major": 100, "minor": 100"#
        let wifi = #""wifi": {"ssid": "HomeNet", "passphraseFile": "\#(binary.folder)/psk"}"#
        let web = #""web": {"listen": "127.0.0.1:\#(try freePort())"}"#
        _ = try binary.file("beacons.json", "{\(web), \"regions\": [{\(region), \(wifi)}]}".utf8)
    }

    private func way(_ command: String) -> Way? {
        let config = ["--config", "beacons.json"]
        let capture = ["--capture", "\(binary.folder)/cut"]
        let radio = "it needs a radio"
        let ways: [String: Way] = [
            "setup": .alone(
                ["--config", "new.json", "--socket", "none", "--identifier", "home"]
                    + ["--beacon", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/1", "--json"]),
            "web on": .alone(["--config", "none.json", "--socket", "none"]),
            "web off": .alone(["--config", "page.json"]),
            "web link": .beside(["--json"]), "web devices": .beside(["--json"]), "web revoke": .beside(["all"]),
            "join": .alone(
                ["127.0.0.1:1", "--config", "none.json", "--username", "", "--room", "r", "--name", "n", "--yes"]),
            "enroll": .alone(
                ["anna", "--config", "none.json", "--import", "-", "--yes"], input: "\(binary.folder)/key"),
            "doctor": .alone(config + ["--socket", "none"]),
            "bluetooth status": .alone(["--timeout", "0.1"]), "bluetooth on": .not(because: radio),
            "demo": .alone(["--speed", "10000"]),
            "status": .beside([]), "explain": .beside(["home"]), "history": .alone(["--state-dir", state]),
            "plot": .alone(["--state-dir", state]), "nodes list": .not(because: "there is no house"),
            "nodes forget": .not(because: "there is no house"),
            "locate": .alone(config + capture + ["--timeout", "2"]), "scan": .alone(capture),
            "range": .alone(["00112233-4455-6677-8899-AABBCCDDEEFF", "--json"] + capture),
            "calibrate": .not(because: "the capture is too short"),
            "prompts": .beside(["--json"]), "answer": .not(because: "no prompt is pending"),
            "wifi qr": .alone(config + ["--text"]), "agent": .not(because: "it prints nothing"),
            "monitor": .not(because: "it does not end"),
            "config check": .alone(config), "config example": .alone([]),
            "config remove": .alone(["home", "--config", "one.json", "--state-dir", "\(binary.folder)/none"]),
            "notify test": .not(because: "there is no server"),
            "backup": .alone(["\(binary.folder)/\(UUID()).tar", "--config", "none.json", "--state-dir", state]),
            "restore": .alone(
                ["kept.tar", "--config", "restored.json", "--state-dir", "\(binary.folder)/restored", "--yes"]),
            "devices": .not(because: radio), "connect": .not(because: radio), "advertise": .not(because: radio),
            "gatt": .not(because: radio), "record": .alone(["-"] + capture),
            "replay": .alone([Binary.capture] + config), "decode": .alone(["020106"]),
        ]
        return ways[command]
    }

    private var commands: [String] {
        func leaves(_ command: any ParsableCommand.Type, _ path: [String]) -> [String] {
            let subcommands = command.configuration.subcommands
            if subcommands.isEmpty { return [path.joined(separator: " ")] }
            return subcommands.flatMap { leaves($0, path + [$0.configuration.commandName ?? ""]) }
        }
        return leaves(Okaeri.self, []).sorted()
    }

    private func expectLoss(_ arguments: [String], input: String = "/dev/null") throws {
        let full = try binary.run(arguments, input: input, output: "/dev/full")
        #expect(full.status == 74 && full.errors.contains("No space left"), "full: \(arguments): \(full)")
        let closed = try binary.runWithoutOutput(arguments, input: input)
        #expect(closed.status == 74 && closed.errors.contains("Bad file descriptor"), "closed: \(arguments): \(closed)")
    }

    /// A daemon on the demonstration's capture, whose standard output is full.
    private func withDaemon(_ body: () throws -> Void) async throws -> ChildProcess {
        let daemon = try binary.start(
            [
                "monitor", "--capture", Binary.capture, "--config", "beacons.json", "--wifi", "simulated", "--socket",
                socket,
                "--state-dir", state, "--speed", "100000",
            ], output: "/dev/full")
        defer {
            kill(daemon.processIdentifier, SIGTERM)
            daemon.waitUntilExit()
        }
        try await eventually("the daemon answers") { try binary.run(["status", "--socket", socket]).status < 3 }
        try body()
        return daemon
    }

    /// Writes the configurations that commands change.
    private func writeEdited() throws {
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        for (name, text) in [
            ("none", #"{"regions": []}"#), ("page", #"{"web": {"listen": "[::1]:80"}, "regions": []}"#),
            ("one", #"{"regions": [{"identifier": "home", "uuid": "\#(uuid)"}]}"#),
        ] {
            _ = try binary.file("\(name).json", text.utf8)
        }
    }

    @Test func `each command ends with 74 if standard output is full or closed`() async throws {
        let daemon = try await withDaemon {
            for command in commands {
                let words = command.split(separator: " ").map(String.init)
                guard case .beside(let arguments) = try #require(way(command), "\(command) is in no table") else {
                    continue
                }
                try expectLoss(words + arguments + ["--socket", socket])
            }
        }
        #expect(daemon.terminationStatus == 74, "monitor watches until it is ended")
        let saved = try binary.run(["backup", "kept.tar", "--config", "none.json", "--state-dir", state])
        #expect(saved.status == 0, "\(saved)")
        for command in commands {
            guard case .alone(let arguments, let input)? = way(command) else { continue }
            // Some commands write a file, which must not be there at the second time.
            try writeEdited()
            let words = command.split(separator: " ").map(String.init)
            let full = try binary.run(words + arguments, input: input, output: "/dev/full")
            #expect(full.status == 74 && full.errors.contains("No space left"), "full: \(command): \(full)")
            for file in ["new.json", "anna.irk", "restored.json", "restored"] {
                try? FileManager.default.removeItem(atPath: "\(binary.folder)/\(file)")
            }
            try writeEdited()
            guard case .alone(let again, _)? = way(command) else { continue }
            let closed = try binary.runWithoutOutput(words + again, input: input)
            #expect(
                closed.status == 74 && closed.errors.contains("Bad file descriptor"), "closed: \(command): \(closed)")
        }
    }

    @Test(arguments: [[], ["--help"], ["--version"], ["web", "--help"], ["--generate-completion-script", "bash"]])
    func `the program alone, its help and its version end with 74, too`(arguments: [String]) throws {
        try expectLoss(arguments)
    }

    @Test func `an object of a failure that is lost is a loss, too`() throws {
        try expectLoss(["explain", "home", "--json", "--socket", "\(binary.folder)/none.sock"])
    }

    @Test func `a reader that stands still does not keep the daemon from its end`() async throws {
        let pipe = "\(binary.folder)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDWR)
        defer { close(reader) }
        // F_SETPIPE_SZ of fcntl(2): one page.
        #expect(fcntl(reader, 1031, 4096) == 4096)
        let daemon = try binary.start(
            [
                "monitor", "--capture", Binary.capture, "--config", binary.configuration, "--wifi", "simulated",
                "--socket",
                socket, "--state-dir", state, "--speed", "100000", "--json",
            ], output: pipe)
        var waiting: Int32 = 0
        try await eventually("the pipe is full") { ioctl(reader, UInt(FIONREAD), &waiting) == 0 && waiting > 3500 }
        kill(daemon.processIdentifier, SIGTERM)
        try await eventually("the daemon ends") { !daemon.isRunning }
        if daemon.isRunning { kill(daemon.processIdentifier, SIGKILL) }
        #expect(daemon.terminationStatus == 0)
    }

    @Test func `a command that prints nothing on standard output ends as always`() throws {
        let arguments = ["explain", "home", "--socket", "\(binary.folder)/none.sock"]
        #expect(try binary.run(arguments, output: "/dev/full").status == 69)
        #expect(try binary.runWithoutOutput(arguments).status == 69)
    }

    /// A file or a socket that is opened later must not take the place of a closed stream.
    @Test func `nothing is written into another file in the place of standard output`() throws {
        let file = "\(binary.folder)/new.tar"
        let outcome = try binary.runWithoutOutput(["backup", file, "--config", "none.json", "--state-dir", state])
        #expect(outcome.status == 74, "\(outcome)")
        let bytes = try Data(contentsOf: URL(filePath: file))
        #expect(bytes.range(of: Data("it holds secrets".utf8)) == nil && bytes.count.isMultiple(of: 512))
    }
}
