import ArgumentParser
import OkaeriClient
import OkaeriEvents

struct StatusCommand: AsyncParsableCommand {
    static let configuration = {
        var configuration = CommandConfiguration(
            commandName: "status", abstract: "Print the state of the regions.",
            discussion: """
                Exit status: 0 inside, 1 outside, 2 unknown, 3 no daemon or a stale answer; without --region 0 if any region \
                is inside. With --nagios: 0 OK (inside), 1 WARNING (outside), 2 CRITICAL (no daemon, no Bluetooth), 3 \
                UNKNOWN. With --wait: the status of the awaited state, or of the current one after --timeout.
                """)
        // It is parsed alone, too: see `Okaeri.parsed`.
        configuration._superCommandName = "okaeri"
        return configuration
    }()

    @OptionGroup var socket: SocketOptions

    @Option(help: "Only this region.", completion: .regions)
    var region: String?

    @Flag(help: "The states of the house as its hub decides them, with the rooms.")
    var house = false

    @Option(
        help: "Wait until the state is inside, or outside. A restart of the daemon does not end it.",
        completion: .list(StateWait.State.allCases.map(\.rawValue)), transform: Self.state)
    var wait: StateWait.State?

    @Option(help: "The time limit of --wait in seconds; default: none.")
    var timeout: Double?

    @Flag(exclusivity: .exclusive, help: "The form of the output.")
    var form = Form.text

    enum Form: String, EnumerableFlag {
        case text, json, nagios
        static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .text: "Print text (the default)."
            case .json: "Print JSON."
            case .nagios: "Print the answer of a Nagios or Icinga plugin."
            }
        }
    }

    private static func state(_ word: String) throws -> StateWait.State {
        guard let state = StateWait.State(rawValue: word) else {
            throw ValidationError("--wait takes inside or outside")
        }
        return state
    }

    func validate() throws {
        if let timeout {
            guard wait != nil else { throw ValidationError("--timeout requires --wait") }
            guard timeout > 0, timeout <= 1e9 else {
                throw ValidationError("--timeout takes a number of seconds above zero")
            }
        }
        if wait != nil, form == .nagios {
            throw ValidationError("a plugin must answer at once; use --nagios or --wait")
        }
    }

    func run() async throws {
        if let wait {
            if let summary = try await awaited(wait) { try finish(summary) }
            let regions = region.map { "\"\($0)\" is" } ?? "the regions are"
            Terminal.printNotice("the time is up: \(regions) not \(wait.rawValue)")
        }
        var report: StatusReport
        do throws(APIClient.Failure) {
            report = try await socket.client.get(form == .json ? Route.status : Route.briefStatus)
        } catch {
            try refuse(CommandFailure(error, status: ExitCode(StatusSummary.noAnswer)), NagiosReport(error))
        }
        if house {
            guard let agreed = report.ofHouse else {
                try refuse(
                    CommandFailure(StatusReport.noHouse, status: Exit.usage),
                    NagiosReport(question: StatusReport.noHouse))
            }
            report = agreed
        }
        guard let summary = StatusSummary(report, region: region, isHouse: house) else {
            let failure = report.unknownRegion(region ?? "")
            try refuse(failure, NagiosReport(question: failure.message))
        }
        try finish(summary)
    }

    private func awaited(_ state: StateWait.State) async throws -> StatusSummary? {
        do throws(StateWait.Failure) {
            return try await StateWait(for: state, region: region, isHouse: house, client: socket.client)
                .run(timeout: timeout.map { .seconds($0) })
        } catch {
            switch error {
            case .noSuchRegion, .noHouse: throw CommandFailure(error.description, status: Exit.usage)
            case .barred(let failure): throw CommandFailure(failure, status: ExitCode(StatusSummary.noAnswer))
            }
        }
    }

    private func finish(_ summary: StatusSummary) throws -> Never {
        switch form {
        case .text: print(summary.text(in: Terminal.language))
        case .json: print(summary.json)
        case .nagios:
            print(summary.nagios.line)
            throw ExitCode(summary.nagios.exitStatus)
        }
        throw ExitCode(summary.exitStatus)
    }

    private func refuse(_ failure: CommandFailure, _ plugin: NagiosReport) throws -> Never {
        guard form == .nagios else { throw failure }
        print(plugin.line)
        throw ExitCode(plugin.exitStatus)
    }
}

extension StatusReport {
    /// Returns the failure of a request about a region that the daemon does not watch.
    func unknownRegion(_ identifier: String) -> CommandFailure {
        CommandFailure(
            unknownRegion(identifier, in: .english), localized: unknownRegion(identifier, in: Terminal.language),
            status: Exit.usage)
    }
}
