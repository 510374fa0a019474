import ArgumentParser
import OkaeriConfiguration
import History
import SystemPackage

struct PlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "The day as a picture (SVG): who was there when, the signal, the Wi-Fi.",
        discussion: "DATE is \(Moment.forms). A configuration that is at hand gives the thresholds.")

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var state: StateOptions

    @Option(help: ArgumentHelp("Which day; today by default.", valueName: "date"))
    var day = "today"

    @Option(help: "Where the picture goes; standard output by default.", completion: .file(extensions: ["svg"]))
    var out: String?

    private var moment: Moment? { Moment(day, now: Moment.now.nanoseconds) }

    func validate() throws {
        if moment == nil { throw ValidationError("--day \(day) is no day; it takes \(Moment.forms)") }
    }

    func run() throws {
        // Without a configuration there is a picture all the same; one that was named must load.
        let regions = try config.file == nil ? (try? config.found()) ?? [] : config.load().configuration.regions
        let now = Moment.now
        do {
            let chart = DayChart(directory: state.forReading, day: moment ?? now, regions: regions)
            try write(chart.svg(now: now))
        } catch let error as HistoryError {
            Terminal.complain(error.description)
            throw error.exitStatus
        }
    }

    private func write(_ svg: String) throws {
        guard let out else { return try Terminal.write(svg, to: .output) }
        do {
            let file = try FileDescriptor.open(
                FilePath(out), .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try file.closeAfter { _ = try file.writeAll(svg.utf8) }
        } catch {
            Terminal.complain("\(out) cannot be written: \((error as? Errno) ?? .ioError)")
            throw Exit.ioError
        }
    }
}

extension ConfigurationOptions {
    /// The regions of the configuration that would be used.
    fileprivate func found() throws -> [OkaeriConfiguration.Configuration.Region] {
        try OkaeriConfiguration.Configuration(file: OkaeriConfiguration.Configuration.file(named: nil)).regions
    }
}
