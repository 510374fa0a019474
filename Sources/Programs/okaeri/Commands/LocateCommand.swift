import ArgumentParser
import OkaeriConfiguration
import OkaeriEvents
import OkaeriListening
import OkaeriPresence
import RegionMonitoring
import ServiceLifecycle

struct LocateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate", abstract: "Scan, and print which regions this machine is in.",
        discussion: """
            It needs no daemon, and uses only advertisements that it receives itself. It ends as soon as every requested \
            region is inside, or after --timeout. A region is outside only if the scan ran for the whole time. Exit \
            status: 0 inside, 1 outside, 2 unknown; without --region 0 if any region is inside.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var source: SourceOptions
    @OptionGroup var log: LogOptions

    @Option(help: "Only this region: an identifier, or UUID[/MAJOR[/MINOR]].", completion: .regions)
    var region: String?

    @Option(help: "The time limit in seconds, 2 to 3600.")
    var timeout = 10.0

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard timeout >= LocateAnswer.shortest / .seconds(1), timeout <= 3600 else {
            throw ValidationError("--timeout takes a number of seconds from 2 to 3600")
        }
    }

    func run() async throws {
        let (regions, adapter) = try question()
        let limit = Duration.seconds(timeout)
        let session = try ListeningSession(
            regions: regions, adapter: source.adapter ?? adapter, capture: source.capture, speed: nil,
            quietPeriod: limit / 4, logger: log.logger)
        var status = ExitCode.success
        let countdown = source.capture == nil && Terminal.showsProgress ? [Countdown(limit: limit)] : []
        try await source.run(session) { services in
            let answer = try await session.locate(regions, within: limit, with: services + countdown)
            print(json ? answer.json(at: session.time(of: answer.time)) : answer.text)
            status = ExitCode(answer.exitStatus)
        }
        throw status
    }

    /// Returns the regions to look for, and the adapter of the configuration.
    private func question() throws -> ([MonitoredRegion], adapter: String?) {
        if let region { return ([try config.region(region)], nil) }
        let (configuration, file) = try config.load()
        guard !configuration.regions.isEmpty else {
            throw CommandFailure(
                "\(file) has no region; find your beacon with `okaeri setup`, or name one with `--region`",
                status: Exit.configuration)
        }
        return (configuration.regions.map(\.monitored), configuration.adapter)
    }
}

/// The remaining time, on one line of standard error.
private struct Countdown: Service {
    let limit: Duration

    func run() async throws {
        let end = ContinuousClock.now + limit
        do {
            try await cancelWhenGracefulShutdown {
                while true {
                    let seconds = max(0, Int(((end - .now) / .seconds(1)).rounded(.up)))
                    try Terminal.write("\r\u{1B}[Klistening, \(seconds) s left", to: .errors)
                    try await Task.sleep(for: .seconds(1))
                }
            }
        } catch is CancellationError {}
        try Terminal.write("\r\u{1B}[K", to: .errors)
    }
}
