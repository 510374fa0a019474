import ArgumentParser
import Events
import Listening
import RegionMonitoring

struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Measure a beacon, so that distances are right.",
        discussion: """
            First put the beacon down one metre from the antenna, in its sight: that gives measuredPower. Write it into \
            beacons.json. Then, for more, some metres away with --distance: that gives pathLossExponent. It \
            listens for 20 s, or --duration; a daemon may run meanwhile. Exit status 1 if the readings give no result.
            In a house of several Pis, --node measures how much weaker than it should this one receives: measure the same beacon \
            at one metre of each.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var listening: ListeningOptions
    @OptionGroup var log: LogOptions

    @Option(help: "How far away the beacon is, in metres: at least 2. Without it, one metre.")
    var distance: Double?

    @Flag(help: "Measure this machine's receiver, not the beacon: gives the node's offset.")
    var node = false

    @Option(
        parsing: .unconditional,
        help: "The RSSI at one metre, in dBm; else the region's measuredPower. With --distance or --node.")
    var measuredPower: Int8?

    @Argument(help: "A region's identifier, or UUID[/MAJOR[/MINOR]].")
    var region: String

    /// The time needed to distinguish the signal from the echoes.
    private static let duration = 20.0

    func validate() throws {
        if let distance, !(Calibration.shortestDistance...1000 ~= distance) {
            throw ValidationError("--distance takes metres from 2 to 1000; leave it out for one metre")
        }
        if let measuredPower, measuredPower >= 0 || distance == nil && !node {
            throw ValidationError("--measured-power takes dBm from -127 to -1, and goes with --distance or --node")
        }
        if node, distance != nil { throw ValidationError("--node is measured at one metre; leave out --distance") }
    }

    func run() async throws {
        var monitored = try config.region(region)
        if let measuredPower { monitored.measuredPower = measuredPower }
        if distance != nil, monitored.measuredPower == nil {
            throw ValidationError(
                "\"\(region)\" has no measuredPower; calibrate without --distance first, or use --measured-power"
            )
        }
        let seconds = listening.duration ?? Self.duration
        let question = CalibrationSummary.Question(
            region: monitored, distance: distance, duration: .seconds(seconds), isNode: node)
        let session = try ListeningSession(
            regions: [], adapter: listening.adapter, capture: listening.capture, speed: nil, logger: log.logger)
        Terminal.complain("leave the beacon where it is, \(question.place) from the antenna and in sight of it")
        let countdown = listening.capture == nil && Terminal.showsProgress
        // The time is the listening's own, from when the adapter first hears: no other limit.
        var untimed = listening
        untimed.duration = nil
        try await untimed.run(session) { services in
            let calibration = try await session.calibrate(monitored, for: .seconds(seconds), with: services) {
                if countdown { Self.show(left: $0, readings: $1) }
            }
            do throws(Calibration.Failure) {
                try print(CalibrationSummary(calibration, question).text)
            } catch {
                Terminal.complain(CalibrationSummary.sentence(error, question))
                throw ExitCode.failure
            }
        }
    }

    /// Shows the time left, on one line of standard error.
    static func show(left: Duration, readings: Int) {
        let seconds = Int((left / .seconds(1)).rounded())
        let text = left == .zero ? "" : "\(seconds) s left, \(readings) readings"
        try? Terminal.write("\r\u{1B}[K\(text)", to: .errors)
    }
}
