import ArgumentParser
import Events
import History

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "What happened: the events the daemon has kept.",
        discussion: """
            TIME is \(Moment.forms). --json prints the same objects as `okaeri monitor --json` did. --mistakes tells the \
            exits that were followed by a return within five minutes at like strength, how many a day, and which \
            sensitivity or exitAfter would have spared them.
            """)

    @OptionGroup var state: StateOptions

    @Option(help: "Only this region.")
    var region: String?

    @Option(help: ArgumentHelp("Nothing before this time.", valueName: "time"))
    var since: String?

    @Flag(help: "The exits that were wrong, and what would have spared them.")
    var mistakes = false

    @Flag(exclusivity: .exclusive, help: "How to tell it.")
    var form = Form.text

    enum Form: String, EnumerableFlag {
        case text, json, csv

        static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .text: "A line each for people, in the machine's time zone (the default)."
            case .json: "A JSON object a line."
            case .csv: "Comma-separated values."
            }
        }

        fileprivate var form: HistoryReport.Form {
            switch self {
            case .text: .text
            case .json: .json
            case .csv: .csv
            }
        }
    }

    private var moment: Moment? { since.flatMap { Moment($0, now: Moment.now.nanoseconds) } }

    func validate() throws {
        if let since, moment == nil { throw ValidationError("--since \(since) is no time; it takes \(Moment.forms)") }
        if mistakes, form == .csv { throw ValidationError("--mistakes is told as text or with --json, not --csv") }
    }

    func run() throws {
        let output = OutputBuffer(flushesEachLine: false)
        defer { output.flush() }
        do {
            if mistakes {
                let history = try MistakesHistory(
                    directory: state.forReading, region: region, since: moment?.nanoseconds)
                return output.add(form == .json ? history.json : history.text)
            }
            let report = HistoryReport(
                directory: state.forReading, region: region, since: moment, form: form.form)
            try report.forEachLine { output.add($0) }
        } catch let error as HistoryError {
            Terminal.complain(error.description)
            throw error.exitStatus
        }
    }
}

extension HistoryError {
    /// The exit status that fits.
    var exitStatus: ExitCode {
        switch self {
        case .damaged, .foreign, .newer: Exit.dataError
        case .missing, .locked: Exit.unavailable
        case .denied: Exit.noPermission
        case .full, .failed: Exit.ioError
        }
    }
}
