import Foundation
import OkaeriTestSupport
import Testing

@testable import okaeri

/// The program on a terminal, where a person reads and is asked.
@Suite(.blocks, .serialized, .timeLimit(.minutes(5))) struct TerminalTests {
    private let binary: Binary
    private let terminal: Pseudoterminal

    init() throws {
        binary = try Binary()
        terminal = try Pseudoterminal()
    }

    /// A daemon on the demonstration, some seconds of which are spent at home; one thread for what blocks, as with one core.
    private func monitor() throws -> ChildProcess {
        try binary.start(
            [
                "monitor", "--capture", Binary.capture, "--config", binary.configuration, "--wifi", "simulated",
                "--socket", "\(binary.folder)/socket", "--state-dir", "\(binary.folder)/state", "--speed", "10",
            ], on: terminal, environment: ["NIO_SINGLETON_BLOCKING_POOL_THREAD_COUNT": "1"])
    }

    private let question = "Join the Wi-Fi “HomeNet”?"

    private var state: String {
        (try? String(contentsOfFile: "\(binary.folder)/state/state.json", encoding: .utf8)) ?? ""
    }

    /// The terminal's `readLine` sat on the thread that the state is written on.
    @Test func `while the question waits the state is written, and SIGTERM ends it in order`() throws {
        let process = try monitor()
        #expect(terminal.read { $0.contains(question) }, "\(terminal.text)")
        #expect(terminal.read { _ in state.contains("HomeNet") }, "\(state)")
        kill(process.processIdentifier, SIGTERM)
        terminal.end(of: process, within: 30)
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(terminal.text)")
        #expect(!FileManager.default.fileExists(atPath: "\(binary.folder)/socket"))
    }

    @Test func `a member of the group reads the history through the daemon, and a killed daemon leaves no lock`() throws
    {
        let process = try monitor()
        #expect(terminal.read { $0.contains(question) }, "\(terminal.text)")
        let asking = ["--socket", "\(binary.folder)/socket"]
        // The state of this user is elsewhere.
        let elsewhere = ["STATE_DIRECTORY": "\(binary.folder)/none"]
        func asked(_ arguments: [String]) throws -> Binary.Outcome {
            try binary.run(arguments + asking, environment: elsewhere)
        }
        let text = try asked(["history", "--region", "home"])
        #expect(text.status == 0 && text.lines.contains { $0.contains("  didEnterRegion  home") }, "\(text)")
        let mistakes = try asked(["history", "--mistakes"])
        #expect(mistakes.status == 0 && mistakes.output.hasPrefix("No false exit since "), "\(mistakes)")
        #expect(try asked(["history", "--csv"]).lines.first?.hasPrefix("time,event,region") == true)
        #expect(try asked(["plot", "--day", "2026-11-20"]).output.hasPrefix("<svg"))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let replay = try binary.run(["replay", "--state-dir", "\(binary.folder)/state"] + binary.demo)
        #expect(replay.status == 0, "\(replay.errors)")
    }

    @Test func `what is typed answers, and what means nothing is asked again`() throws {
        let process = try monitor()
        #expect(terminal.read { $0.contains(question) }, "\(terminal.text)")
        try terminal.type("perhaps\n")
        #expect(terminal.read { $0.components(separatedBy: question).count == 3 }, "\(terminal.text)")
        try terminal.type("later\n")
        #expect(terminal.read { $0.contains("wifiPromptAnswered") }, "\(terminal.text)")
        kill(process.processIdentifier, SIGTERM)
        terminal.end(of: process, within: 30)
        #expect(process.terminationStatus == 0)
    }

    /// At the capture's own speed: of two minutes the first two seconds.
    @Test func `a table is drawn in place, and the cursor comes back`() throws {
        let start = try binary.file("start", Data(contentsOf: URL(filePath: Binary.capture)).prefix(400))
        let process = try binary.start(["scan", "--capture", start], on: terminal)
        terminal.end(of: process)
        #expect(process.terminationStatus == 0)
        let (hidden, shown) = ("\u{1B}[?25l", "\u{1B}[?25h")
        #expect(terminal.text.hasPrefix(hidden))
        #expect(terminal.text.components(separatedBy: shown).count == 2)
        let frames = terminal.text.components(separatedBy: "\u{1B}[J")
        try #require(frames.count > 2)
        // Each frame goes up by as many lines as the one before had, and clears each that it draws.
        for (before, frame) in zip(frames, frames.dropFirst()) where frame.contains("\u{1B}[K") {
            let lines = before.components(separatedBy: "\r\u{1B}[K").count - 1
            #expect(frame.hasPrefix("\u{1B}[\(lines)A\r\u{1B}[K"))
        }
        #expect(frames.contains { $0.contains("UUID") && $0.contains(" dBm") || $0.contains("RSSI") })
    }

    @Test func `a screen that is ended by SIGINT gives the cursor back, too`() throws {
        let process = try binary.start(["scan", "--capture", Binary.capture], on: terminal)
        #expect(terminal.read { $0.contains("\u{1B}[J") })
        // As the terminal does for ^C; it is not the process's own here.
        kill(process.processIdentifier, SIGINT)
        terminal.end(of: process, within: 30)
        #expect(process.terminationReason == .exit)
        #expect(terminal.text.contains("\u{1B}[?25h"))
    }
}
