import Events
import ArgumentParser
import Client

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "What the daemon knows.",
        discussion: """
            Exit status: 0 inside, 1 outside, 2 unknown, 3 no daemon or a stale answer. Without --region, 0 if any \
            region is inside. With --nagios: 0 OK (inside), 1 WARNING (outside), 2 CRITICAL (no daemon, no Bluetooth), \
            3 UNKNOWN. --wait exits with the state it waited for, or with the present one when the time is up.
            """)

    @OptionGroup var socket: SocketOptions

    @Option(help: "Only this region.")
    var region: String?

    @Flag(help: "As all nodes of the house agree, not as this machine alone hears it.")
    var house = false

    @Option(
        help: "Wait until it is inside, or outside; also for a daemon that restarts.",
        completion: .list(StateWait.State.allCases.map(\.rawValue)), transform: Self.state)
    var wait: StateWait.State?

    @Option(help: "Wait no longer than this many seconds; as long as it takes by default.")
    var timeout: Double?

    @Flag(exclusivity: .exclusive, help: "The form of the output.")
    var form = Form.text

    enum Form: String, EnumerableFlag {
        case text, json, nagios
        static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .text: "A few lines for people (the default)."
            case .json: "As JSON."
            case .nagios: "As a Nagios or Icinga plugin."
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
            Terminal.complain("the time is up: \(regions) not \(wait.rawValue)")
        }
        var report: StatusReport
        do throws(APIClient.Failure) {
            report = try await socket.client.get(form == .json ? Route.status : Route.briefStatus)
        } catch {
            try refuse(error.description, ExitCode(StatusSummary.noAnswer), NagiosReport(error))
        }
        if house {
            guard let agreed = report.ofHouse else {
                try refuse(StatusReport.noHouse, Exit.usage, NagiosReport(question: StatusReport.noHouse))
            }
            report = agreed
        }
        guard let summary = StatusSummary(report, region: region, isHouse: house) else {
            let sentence = report.unknownRegion(region ?? "")
            try refuse(sentence, Exit.usage, NagiosReport(question: sentence))
        }
        try finish(summary)
    }

    private func awaited(_ state: StateWait.State) async throws -> StatusSummary? {
        do throws(StateWait.Failure) {
            return try await StateWait(for: state, region: region, isHouse: house, client: socket.client)
                .run(timeout: timeout.map { .seconds($0) })
        } catch {
            Terminal.complain(error.description)
            switch error {
            case .noSuchRegion, .noHouse: throw Exit.usage
            case .barred: throw ExitCode(StatusSummary.noAnswer)
            }
        }
    }

    private func finish(_ summary: StatusSummary) throws -> Never {
        switch form {
        case .text: print(summary.text)
        case .json: print(summary.json)
        case .nagios:
            print(summary.nagios.line)
            throw ExitCode(summary.nagios.exitStatus)
        }
        throw ExitCode(summary.exitStatus)
    }

    private func refuse(_ sentence: String, _ status: ExitCode, _ plugin: NagiosReport) throws -> Never {
        guard form == .nagios else {
            Terminal.complain(sentence)
            throw status
        }
        print(plugin.line)
        throw ExitCode(plugin.exitStatus)
    }
}
