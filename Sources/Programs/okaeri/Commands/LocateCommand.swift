import ArgumentParser
import Events
import Listening
import OkaeriConfiguration
import Presence
import RegionMonitoring

struct LocateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate", abstract: "Where this machine is now.",
        discussion: """
            Scans by itself, whether a daemon runs or not, and uses only advertisements from now on. It answers as soon \
            as every requested region is inside, else when the time is up; a region is reported "outside" only if the \
            scan ran all the time. Exit status: 0 inside, 1 outside, 2 unknown; without --region, 0 if inside any region.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var source: SourceOptions
    @OptionGroup var log: LogOptions

    @Option(help: "Only this one: a region's identifier, or UUID[/MAJOR[/MINOR]].")
    var region: String?

    @Option(help: "Answer within this many seconds.")
    var timeout = 10.0

    @Flag(help: "As JSON.")
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
        try await source.run(session) { services in
            let answer = try await session.locate(regions, within: limit, with: services)
            print(json ? answer.json(at: session.time) : answer.text)
            status = ExitCode(answer.exitStatus)
        }
        throw status
    }

    /// Returns the regions to look for, and the adapter of the configuration.
    private func question() throws -> ([MonitoredRegion], adapter: String?) {
        if let region { return ([try config.region(region)], nil) }
        let (configuration, file) = try config.load()
        guard !configuration.regions.isEmpty else {
            Terminal.complain(
                "\(file) has no region; find your beacon with `okaeri setup`, or name one with `--region`")
            throw Exit.configuration
        }
        return (configuration.regions.map(\.monitored), configuration.adapter)
    }
}
