package import ArgumentParser
import OkaeriClient
import OkaeriEvents
package import OkaeriHistory
import OkaeriPlumbing

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Print past events.",
        discussion: """
            TIME is \(WrittenTime.forms); in the hour that the end of summer time repeats, the first one. --json prints the \
            same objects as `okaeri monitor --json` did. --mistakes lists the false exits: a return followed within five \
            minutes, with a similar signal. It also prints their number a day, if the record covers a day, and the sensitivity \
            or exitAfter that would have avoided them. The command asks the daemon, and you must be in its group; without a \
            daemon, or with --state-dir, the command reads the file. Exit status: 0; 64 for a region that is unknown; 65 if the \
            file is damaged; 69 if there is no history; 77 without the right to read it.
            """)

    @OptionGroup var state: StateOptions
    @OptionGroup var socket: SocketOptions

    @Option(help: "Only this region.", completion: .regions)
    var region: String?

    @Option(help: ArgumentHelp("Only events from this time on.", valueName: "time"))
    var since: String?

    @Flag(help: "The false exits, and the settings that would have avoided them.")
    var mistakes = false

    @Flag(exclusivity: .exclusive, help: "The form of the output.")
    var form = HistoryReport.Form.text

    private var moment: Int64? { since.flatMap { WrittenTime.nanoseconds($0, now: KernelClock.realtime) } }

    func validate() throws {
        if let since, moment == nil {
            throw ValidationError("--since \(since) is not a time; it takes \(WrittenTime.forms)")
        }
        if mistakes, form == .csv {
            throw ValidationError("--mistakes is printed as text or with --json; leave out --csv")
        }
    }

    func run() async throws {
        let output = OutputBuffer(flushesEachLine: false)
        defer { output.flush() }
        var hasEvents = false
        var mistake: CommandFailure?
        try await reading(state, socket) {
            mistake = try region.flatMap(unknownInFile)
            if mistake == nil { hasEvents = try readFile(output) }
        } daemon: { client async throws(APIClient.Failure) in
            if let region { mistake = try await unknown(region, to: client) }
            if mistake == nil { hasEvents = try await ask(client, output) }
        }
        if let mistake { throw mistake }
        // A program reads an empty output, and a person waits for one.
        if !hasEvents, form == .text, Terminal.showsProgress { Terminal.printNotice(noEvents(in: Terminal.language)) }
    }

    private func noEvents(in language: Language) -> String {
        let since = moment.map { LocalTime.text($0) }
        return switch (region, since) {
        case (nil, nil): language(FailurePhrase.noEvents)
        case (let region?, nil): language(FailurePhrase.noEventsOf, region.plain())
        case (nil, let since?): language(FailurePhrase.noEventsSince, since)
        case (let region?, let since?): language(FailurePhrase.noEventsOfSince, region.plain(), since)
        }
    }

    /// Returns the failure for a region that the daemon does not watch and of which it has no event.
    private func unknown(_ region: String, to client: APIClient) async throws(APIClient.Failure) -> CommandFailure? {
        let status: StatusReport = try await client.get(Route.briefStatus)
        if status.regions.contains(where: { $0.identifier == region }) { return nil }
        return try await client.hasEvents(of: region) ? nil : status.unknownRegion(region)
    }

    /// Returns the failure for a region of which the file has no event.
    private func unknownInFile(_ region: String) throws -> CommandFailure? {
        let known = try HistoryReader(directory: state.forReading).regions()
        if known.contains(region) { return nil }
        return CommandFailure(
            "there is no region \"\(region)\" in the history, "
                + (known.isEmpty ? "which has no event of a region" : "only \(known.joined(separator: ", "))"),
            status: Exit.usage)
    }

    /// Returns whether there is an event, or a report of them.
    private func readFile(_ output: OutputBuffer) throws -> Bool {
        if mistakes {
            let history = try MistakesHistory(
                directory: state.forReading, region: region, since: moment)
            output.add(form == .json ? history.json : history.text)
            return true
        }
        var hasEvents = false
        let report = HistoryReport(directory: state.forReading, region: region, since: moment, form: form)
        try report.forEachLine {
            output.add($0)
            hasEvents = true
        }
        return hasEvents
    }

    /// Returns whether there is an event, or a report of them.
    private func ask(_ client: APIClient, _ output: OutputBuffer) async throws(APIClient.Failure) -> Bool {
        if mistakes {
            let history = try await client.mistakes(
                region: region, since: moment, as: MistakesHistory.self)
            output.add(form == .json ? history.json : history.text)
            return true
        }
        var hasEvents = false
        if let header = form.header { output.add(header) }
        try await client.history(region: region, since: moment) { events in
            for event in events.compactMap(HistoryEvent.init) {
                output.add(form.line(event))
                hasEvents = true
            }
        }
        return hasEvents
    }
}

extension HistoryReport.Form: EnumerableFlag {
    package static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .text: "Print text in the machine's time zone (the default)."
        case .json: "Print a JSON object a line."
        case .csv: "Print comma-separated values."
        }
    }
}

/// Reads the history from the daemon, or from its file where no daemon can be asked or a directory is named. A failure ends the
/// command.
///
/// - Parameter prefersFile: Whether the file is read although a daemon can be asked.
func reading(
    _ state: StateOptions, _ socket: SocketOptions, prefersFile: Bool = false, file: () throws -> Void,
    daemon: (APIClient) async throws(APIClient.Failure) -> Void
) async throws {
    var refusal: APIClient.Failure?
    if state.directory == nil, !prefersFile {
        do throws(APIClient.Failure) {
            return try await daemon(socket.client)
        } catch {
            guard error.leavesFile else { throw CommandFailure(error) }
            refusal = error
        }
    }
    do {
        try file()
    } catch let error as HistoryError {
        // The daemon has the history, and the rights of its group are the simplest remedy.
        if case .notPermitted? = refusal, let refusal, error.exitStatus != Exit.dataError {
            throw CommandFailure(refusal)
        }
        guard error.exitStatus == Exit.noPermission, let refusal else {
            throw CommandFailure(error, status: error.exitStatus)
        }
        let texts = [Language.english, .japanese].map {
            $0(FailurePhrase.daemonNeither, error.sentence(in: $0), refusal.sentence(in: $0))
        }
        throw CommandFailure(LocalizedText(texts[0], japanese: texts[1]), status: error.exitStatus)
    }
}

extension APIClient.Failure {
    /// Whether the file may hold a history although the daemon gives none.
    fileprivate var leavesFile: Bool {
        switch self {
        case .noDaemon, .notPermitted, .refused(status: 404, _): true
        case .noAnswer, .refused: false
        }
    }
}

extension HistoryError {
    /// The exit status that fits.
    fileprivate var exitStatus: ExitCode {
        switch self {
        case .damaged, .foreign, .newer: Exit.dataError
        case .missing, .locked: Exit.unavailable
        case .denied, .notPermitted: Exit.noPermission
        case .full, .failed, .notAFile: Exit.ioError
        }
    }
}
