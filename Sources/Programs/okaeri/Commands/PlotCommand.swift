import ArgumentParser
import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHistory
import OkaeriPlumbing
import SystemPackage

struct PlotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Draw a day as a picture (SVG): presence, the signal, the Wi-Fi.",
        discussion: """
            DATE is \(WrittenTime.forms). The daemon answers, for which you must be in its group; without a daemon, or with \
            --state-dir or --config, the command reads the file, and a configuration that is at hand gives the thresholds.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var state: StateOptions
    @OptionGroup var socket: SocketOptions

    @Option(help: ArgumentHelp("The day; default: today.", valueName: "date"))
    var day = "today"

    @Option(
        help: "The file to write or replace; default and -: standard output.", completion: .file(extensions: ["svg"]))
    var output: String?

    private var moment: Int64? { WrittenTime.nanoseconds(day, now: KernelClock.realtime) }

    func validate() throws {
        if moment == nil { throw ValidationError("--day \(day) is not a day; it takes \(WrittenTime.forms)") }
    }

    func run() async throws {
        // Without a configuration there is a picture all the same; one that was named must load.
        let regions =
            try config.file == nil
            ? (try? config.found(directory: state.directory).merged)?.configuration.regions ?? []
            : config.merged(directory: state.directory).merged.configuration.regions
        let now = KernelClock.realtime
        let day = moment ?? now
        var svg = ""
        try await reading(state, socket, prefersFile: config.file != nil) {
            var chart = DayChart(directory: state.forReading, day: day, regions: regions)
            chart.language = Terminal.language
            svg = try chart.svg(now: now)
        } daemon: { client async throws(APIClient.Failure) in
            svg = try await client.text(
                "\(Route.days)/\(LocalTime.day(day)).svg?\(Route.language)=\(Terminal.language.code)")
        }
        try write(svg)
    }

    private func write(_ svg: String) throws {
        guard let output, output != "-" else { return try Terminal.write(svg, to: .output) }
        do throws(FilePlace.Problem) {
            try OutputFile.write(Array(svg.utf8), to: output, permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw CommandFailure(
                "\(output.escapedName) cannot be written: \(error.description.escapedName); name another place with `--output`",
                status: Exit.ioError)
        }
    }
}
