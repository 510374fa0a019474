import OkaeriEvents
import Synchronization
import Testing

@testable import OkaeriSetup

/// A systemd that records the commands, and fails those that are named.
private final class Systemd: Sendable {
    private let ran = Mutex<[String]>([])
    private let failing: [String: String]
    private let isActive: Bool
    private let journal: String

    init(isActive: Bool, failing: [String: String] = [:], journal: String = "") {
        (self.isActive, self.failing, self.journal) = (isActive, failing, journal)
    }

    /// The commands of systemctl that change something.
    var commands: [String] { ran.withLock { $0.filter { !$0.contains("is-active") && !$0.hasPrefix("journalctl") } } }

    /// - Parameter answers: The daemon's answers before and after the reload; the last one again and again.
    func control(_ answers: [Result<StatusReport.Loaded?, ServiceControl.Failure>]? = nil) -> ServiceControl {
        let command = SystemCommand { words in
            let text = words.joined(separator: " ")
            self.ran.withLock { $0.append(text) }
            if words.contains("is-active") { return .init(status: self.isActive ? 0 : 3) }
            if words[0] == "journalctl" { return .init(status: 0, output: self.journal) }
            guard let complaint = self.failing[words[1]] else { return .init(status: 0) }
            return .init(status: 1, complaint: complaint)
        }
        let left = Mutex(answers ?? [Self.read(at: "1"), Self.read(at: "2")])
        return ServiceControl(command: command, interval: .zero) {
            left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    static func read(at time: String, problem: String? = nil) -> Result<StatusReport.Loaded?, ServiceControl.Failure> {
        .success(.init(file: "b.json", time: time, problem: problem))
    }
}

@Suite struct ServiceControlTests {
    @Test func `a service that runs is reloaded, another one is enabled and started`() async throws {
        let running = Systemd(isActive: true)
        #expect(try await running.control().apply() == .reloaded)
        #expect(running.commands == ["systemctl reload okaeri"])
        let stopped = Systemd(isActive: false, failing: ["reset-failed": "Unit okaeri.service not loaded."])
        #expect(try await stopped.control().apply() == .started)
        #expect(stopped.commands == ["systemctl reset-failed okaeri", "systemctl enable --quiet --now okaeri"])
    }

    @Test func `a stopped service is started without enabling it`() async throws {
        let systemd = Systemd(isActive: true)
        try await systemd.control().stop()
        try await systemd.control().start()
        #expect(
            systemd.commands == ["systemctl stop okaeri", "systemctl reset-failed okaeri", "systemctl start okaeri"])
    }

    @Test func `a failed start names the command and the journal's last error`() async throws {
        let systemd = Systemd(
            isActive: false, failing: ["enable": "Job for okaeri.service failed."],
            journal: "earlier\nhci0 is \u{1B}[2Jgone\n")
        let failure = await #expect(throws: ServiceControl.Failure.self) {
            _ = try await systemd.control().apply()
        }
        #expect(
            failure?.description == """
                `systemctl enable --quiet --now okaeri` failed: Job for okaeri.service failed.; its last error is "hci0 is  \
                [2Jgone"; `journalctl -u okaeri` shows more
                """)
    }

    @Test func `a daemon that does not answer is a failure`() async throws {
        let failure = await #expect(throws: ServiceControl.Failure.self) {
            _ = try await Systemd(isActive: true)
                .control([.failure(.init(command: nil, reason: "no listener", journal: nil))]).apply()
        }
        #expect(failure?.command == nil && failure?.reason == "no listener" && failure?.journal == nil)
    }

    @Test func `a configuration that the daemon refuses is a failure of the reload`() async throws {
        let systemd = Systemd(isActive: true, journal: "b.json: mqtt.host: found 1\n")
        let mistake = "the old one stays in force:\nb.json: mqtt.host: found 1\n"
        let failure = await #expect(throws: ServiceControl.Failure.self) {
            _ = try await systemd.control([Systemd.read(at: "1"), Systemd.read(at: "1", problem: mistake)]).apply()
        }
        #expect(
            failure?.description == """
                `systemctl reload okaeri` failed: the old one stays in force: b.json: mqtt.host: found 1; \
                `journalctl -u okaeri` shows more
                """)
    }

    @Test func `an answer from before the reload is not taken for its result`() async throws {
        let old = Systemd.read(at: "1", problem: "b.json: mqtt.host: found 1")
        let late = Systemd(isActive: true)
        #expect(try await late.control([old, old, old, Systemd.read(at: "2")]).apply() == .reloaded)
        let same = await #expect(throws: ServiceControl.Failure.self) { _ = try await late.control([old]).apply() }
        #expect(same?.reason == "b.json: mqtt.host: found 1")
        let deaf = await #expect(throws: ServiceControl.Failure.self) {
            _ = try await late.control([Systemd.read(at: "1")]).apply()
        }
        #expect(deaf?.reason == "the daemon has not read its configuration")
    }

    @Test func `a command is run without a shell, and its failure has a reason`() async {
        let run = SystemCommand()
        #expect(await run("echo", "$HOME; x") == .init(status: 0, output: "$HOME; x\n"))
        #expect(await run("false").status == 1)
        let missing = await run("no-such-command-of-okaeri")
        #expect(missing.status == nil && missing.complaint == "no-such-command-of-okaeri is not installed")
        let refused = await run("ls", "/no-such-file")
        #expect(refused.status == 2 && refused.complaint.contains("cannot access '/no-such-file'"), "\(refused)")
    }
}
