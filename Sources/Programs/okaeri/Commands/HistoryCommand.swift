package import ArgumentParser
import Client
import Events
package import History
import Plumbing

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "What happened: the events the daemon has kept.",
        discussion: """
            TIME is \(WrittenTime.forms). --json prints the same objects as `okaeri monitor --json` did. --mistakes lists the \
            exits that were followed by a return within five minutes at like strength, how many a day if the daemon has \
            watched for one, and which sensitivity or exitAfter would have spared them. Reads the state directory; if you \
            may not, and name no --state-dir, the daemon answers, for which you must be in its group.
            """)

    @OptionGroup var state: StateOptions
    @OptionGroup var socket: SocketOptions

    @Option(help: "Only this region.")
    var region: String?

    @Option(help: ArgumentHelp("Nothing before this time.", valueName: "time"))
    var since: String?

    @Flag(help: "The exits that were wrong, and what would have spared them.")
    var mistakes = false

    @Flag(exclusivity: .exclusive, help: "The form of the output.")
    var form = HistoryReport.Form.text

    private var moment: Int64? { since.flatMap { WrittenTime.nanoseconds($0, now: KernelClock.realtime) } }

    func validate() throws {
        if let since, moment == nil {
            throw ValidationError("--since \(since) is no time; it takes \(WrittenTime.forms)")
        }
        if mistakes, form == .csv {
            throw ValidationError("--mistakes is printed as text or with --json; leave out --csv")
        }
    }

    func run() async throws {
        let output = OutputBuffer(flushesEachLine: false)
        defer { output.flush() }
        try await reading(state, socket) {
            try readFile(output)
        } daemon: { client async throws(APIClient.Failure) in
            try await ask(client, output)
        }
    }

    private func readFile(_ output: OutputBuffer) throws {
        if mistakes {
            let history = try MistakesHistory(
                directory: state.forReading, region: region, since: moment)
            return output.add(form == .json ? history.json : history.text)
        }
        let report = HistoryReport(directory: state.forReading, region: region, since: moment, form: form)
        try report.forEachLine { output.add($0) }
    }

    private func ask(_ client: APIClient, _ output: OutputBuffer) async throws(APIClient.Failure) {
        if mistakes {
            let history = try await client.mistakes(
                region: region, since: moment, as: MistakesHistory.self)
            return output.add(form == .json ? history.json : history.text)
        }
        if let header = form.header { output.add(header) }
        try await client.history(region: region, since: moment) { events in
            for event in events.compactMap(HistoryEvent.init) { output.add(form.line(event)) }
        }
    }
}

extension HistoryReport.Form: EnumerableFlag {
    package static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .text: "A line each for people, in the machine's time zone (the default)."
        case .json: "A JSON object a line."
        case .csv: "Comma-separated values."
        }
    }
}

/// Reads the history from its file, or from the daemon where this user has no such file or may not read it. What fails is
/// said, and the command ends.
func reading(
    _ state: StateOptions, _ socket: SocketOptions, file: () throws -> Void,
    daemon: (APIClient) async throws(APIClient.Failure) -> Void
) async throws {
    do {
        try file()
    } catch let error as HistoryError {
        guard state.directory == nil, error.isAboutThisUser else { throw ended(by: error) }
        do throws(APIClient.Failure) {
            try await daemon(socket.client)
        } catch let failure {
            let isDown = if case .noDaemon = failure { true } else { false }
            guard isDown else { throw CommandFailure(failure) }
            let status = ended(by: error)
            if case .denied = error { Terminal.complain(failure.description) }
            throw status
        }
    }
}

/// Says why the history cannot be read; the exit status that fits.
private func ended(by error: HistoryError) -> ExitCode {
    Terminal.complain(error.description)
    return error.exitStatus
}

extension HistoryError {
    /// Whether another user, such as that of the daemon, may be able to read a history.
    fileprivate var isAboutThisUser: Bool {
        switch self {
        case .denied, .missing: true
        case .damaged, .foreign, .newer, .full, .locked, .failed: false
        }
    }

    /// The exit status that fits.
    fileprivate var exitStatus: ExitCode {
        switch self {
        case .damaged, .foreign, .newer: Exit.dataError
        case .missing, .locked: Exit.unavailable
        case .denied: Exit.noPermission
        case .full, .failed: Exit.ioError
        }
    }
}
