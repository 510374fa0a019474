import FoundationEssentials
import Glibc
package import OkaeriClient
package import OkaeriEvents
import OkaeriPlumbing

/// The service okaeri of systemd: whether it is installed, and how it uses a changed configuration.
package struct ServiceControl: Sendable {
    /// The step that was carried out.
    package enum Outcome: Sendable, Equatable {
        case reloaded, started

        /// A sentence.
        package var phrase: ServicePhrase {
            switch self {
            case .reloaded: .reloaded
            case .started: .started
            }
        }
    }

    /// The reason why the service does not use the configuration.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible, LocalizedFailure {
        /// The command that failed, also by the daemon's refusal; `nil` if the daemon did not answer after it.
        package var command: String?
        package var reason: String
        /// The last error that the service wrote to the journal; `nil` if there is none.
        package var journal: String?

        package init(command: String?, reason: String, journal: String?) {
            (self.command, self.reason, self.journal) = (command, reason, journal)
        }

        /// A reload after which the former configuration stays in force: systemd reports it as done.
        ///
        /// - Parameter problem: The mistakes, a line each.
        static func refusal(_ problem: String) -> Failure {
            let lines = problem.split(whereSeparator: \.isNewline).joined(separator: " ")
            return Failure(command: "systemctl reload \(unit)", reason: lines, journal: nil)
        }

        package var description: String { sentence(in: .english) }

        package func sentence(in language: Language) -> String {
            let last = journal.map { language(ServicePhrase.lastError, $0) } ?? ""
            return command.map { language(ServicePhrase.commandFailed, $0, reason, last) }
                ?? language(ServicePhrase.noAnswer, reason, last)
        }
    }

    package static let unit = "okaeri"
    /// The configuration that the unit names.
    package static let file = "/etc/okaeri/beacons.json"
    /// The socket of the service.
    package static let socket = "/run/okaeri/okaeri.sock"

    private static let unitFolders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// A Boolean value that indicates whether systemd has a unit for the daemon.
    package static var isInstalled: Bool {
        unitFolders.contains { FileManager.default.fileExists(atPath: "\($0)/\(unit).service") }
    }

    /// A Boolean value that indicates whether this process can control the service: it is installed, systemd runs this
    /// machine (sd_booted(3)), and the user is root.
    package static var isControllable: Bool {
        isInstalled && FileManager.default.fileExists(atPath: "/run/systemd/system") && geteuid() == 0
    }

    /// The number of looks at a daemon that is to read its configuration: `systemctl reload` ends when the signal is sent.
    private static let attempts = 40

    private let command: SystemCommand
    private let loaded: @Sendable () async -> Result<StatusReport.Loaded?, Failure>
    private let interval: Duration

    /// - Parameter client: The client of the service.
    package init(client: APIClient = APIClient(socket: Self.socket)) {
        self.init(command: SystemCommand(), interval: .milliseconds(250)) {
            do throws(APIClient.Failure) {
                let status: StatusReport = try await client.get(Route.briefStatus)
                return .success(status.configuration)
            } catch {
                return .failure(Failure(command: nil, reason: error.description, journal: nil))
            }
        }
    }

    /// - Parameters:
    ///   - command: Runs `systemctl` and `journalctl`.
    ///   - interval: The time between two looks.
    ///   - loaded: Asks the daemon for its configuration, and returns the failure if it does not answer.
    init(
        command: SystemCommand, interval: Duration,
        loaded: @escaping @Sendable () async -> Result<StatusReport.Loaded?, Failure>
    ) {
        self.command = command
        self.interval = interval
        self.loaded = loaded
    }

    /// Whether the service runs, or is about to.
    package var isRunning: Bool {
        get async { await command("systemctl", "is-active", "--quiet", Self.unit).succeeded }
    }

    /// Has the service use its configuration: reloads a service that runs, and enables and starts one that does not.
    /// Returns when the daemon has read it.
    package func apply() async throws(Failure) -> Outcome {
        if await isRunning {
            let before = try? await loaded().get()
            try await carryOut("systemctl", "reload", Self.unit)
            try await awaitReload(after: before)
            return .reloaded
        }
        try await begin("enable", "--quiet", "--now")
        return .started
    }

    /// Stops the service until ``start()``. A restart of the machine starts it too.
    package func stop() async throws(Failure) {
        try await carryOut("systemctl", "stop", Self.unit)
    }

    /// Starts the service, and returns when the daemon answers.
    package func start() async throws(Failure) {
        try await begin("start")
    }

    private func begin(_ words: String...) async throws(Failure) {
        // Earlier starts may have failed too often for another one.
        _ = await command("systemctl", "reset-failed", Self.unit)
        try await carryOut(["systemctl"] + words + [Self.unit])
        _ = try await answer()
    }

    /// Returns when the daemon has read its configuration once more.
    ///
    /// - Parameter before: Its answer before the reload.
    private func awaitReload(after before: StatusReport.Loaded?) async throws(Failure) {
        for attempt in 1...Self.attempts {
            guard let now = try await answer() else { return }
            if let problem = now.problem {
                // The same mistake as before may be an answer from before the reload.
                if problem != before?.problem || attempt == Self.attempts { throw .refusal(problem) }
            } else if now.time != before?.time {
                return
            }
            try? await Task.sleep(for: interval)
        }
        throw Failure(
            command: "systemctl reload \(Self.unit)", reason: "the daemon has not read its configuration",
            journal: await lastError())
    }

    private func answer() async throws(Failure) -> StatusReport.Loaded? {
        switch await loaded() {
        case .success(let loaded): return loaded
        case .failure(var failure):
            failure.journal = await lastError()
            throw failure
        }
    }

    private func carryOut(_ words: String...) async throws(Failure) { try await carryOut(words) }

    private func carryOut(_ words: [String]) async throws(Failure) {
        let result = await command.run(words)
        guard !result.succeeded else { return }
        let reason = result.complaint.isEmpty ? "exit status \(result.status ?? -1)" : result.complaint
        throw Failure(command: words.joined(separator: " "), reason: reason, journal: await lastError())
    }

    private func lastError() async -> String? {
        let found = await command(
            "journalctl", "--unit", Self.unit, "--boot", "--priority", "err", "--lines", "1", "--output", "cat",
            "--no-pager", "--quiet")
        guard found.succeeded, let line = found.output.split(whereSeparator: \.isNewline).last else { return nil }
        return String(line.prefix(1000)).plain(replacesFormat: true)
    }
}
