import ArgumentParser
import OkaeriEvents
import OkaeriListening
import OkaeriPlumbing
import RegionMonitoring

struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Measure a beacon's signal, so that distances are right.",
        discussion: """
            Put the beacon one metre from the antenna, in line of sight: the result is measuredPower. Write it into \
            beacons.json. For more precise distances, put the beacon some metres away and use --distance: the result is \
            pathLossExponent. The measurement takes 20 s, or --duration; the daemon can run at the same time. With --node, \
            measure the same beacon one metre from each Pi of a house: the result is the offset of this Pi's receiver. With \
            --node and the name of a receiver of another make, the daemon's receptions by that receiver are measured. \
            Exit status 1 if the readings give no result.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var listening: ListeningOptions
    @OptionGroup var socket: SocketOptions
    @OptionGroup var log: LogOptions

    @Option(help: "The distance of the beacon in metres, at least 2; default: one metre.")
    var distance: Double?

    @Flag(help: "Measure this machine's receiver, or the named one, in place of the beacon.")
    var node = false

    @Option(
        parsing: .unconditional,
        help: "The RSSI at one metre in dBm, with --distance or --node; default: the region's measuredPower.")
    var measuredPower: Int8?

    @Flag(help: "Print JSON: region, key, value, readings, and the beacon.")
    var json = false

    @Argument(help: "A region's identifier, or UUID[/MAJOR[/MINOR]].", completion: .regions)
    var region: String

    @Argument(help: "With --node, the name of a receiver of another make, before or behind the region.")
    var receiver: String?

    /// The time needed to distinguish the signal from the echoes.
    private static let duration = 20.0

    func validate() throws {
        if let distance, !(Calibration.shortestDistance...1000 ~= distance) {
            throw ValidationError(Terminal.language(CalibrationPhrase.distanceOption))
        }
        if let measuredPower, measuredPower >= 0 || distance == nil && !node {
            throw ValidationError(Terminal.language(CalibrationPhrase.powerOption))
        }
        if node, distance != nil { throw ValidationError(Terminal.language(CalibrationPhrase.nodeOption)) }
        if receiver != nil, !node { throw ValidationError(Terminal.language(CalibrationPhrase.receiverOption)) }
    }

    func run() async throws {
        if let receiver { return try await measure(receiver) }
        let beacons = try config.beacons(region)
        var monitored = try config.region(region)
        if let measuredPower { monitored.measuredPower = measuredPower }
        if distance != nil, monitored.measuredPower == nil {
            throw ValidationError(Terminal.language(CalibrationPhrase.noMeasuredPower, region))
        }
        let seconds = listening.duration ?? Self.duration
        let question = CalibrationSummary.Question(
            region: monitored, distance: distance, duration: .seconds(seconds), isNode: node)
        let session = try ListeningSession(
            regions: [], adapter: listening.adapter, capture: listening.capture, speed: nil, logger: log.logger)
        let language = Terminal.language
        Terminal.printNotice(language(CalibrationPhrase.leave, question.place(in: language)))
        let countdown = listening.capture == nil && Terminal.showsProgress
        // The time counts from the adapter's first reception: no other limit.
        var untimed = listening
        untimed.duration = nil
        try await untimed.run(session) { services in
            let calibration = try await session.calibrate(beacons, for: .seconds(seconds), with: services) {
                if countdown { Self.show(left: $0, readings: $1) }
            }
            do throws(Calibration.Failure) {
                let summary = try CalibrationSummary(calibration, question)
                print(json ? summary.json : summary.text(in: Terminal.language))
            } catch {
                throw CommandFailure(CalibrationSummary.sentence(error, question), status: .failure)
            }
        }
    }

    /// Shows the time left, on one line of standard error.
    static func show(left: Duration, readings: Int) {
        let seconds = Int((left / .seconds(1)).rounded())
        let text = left == .zero ? "" : Terminal.language(CalibrationPhrase.left, "\(seconds)", "\(readings)")
        try? Terminal.write("\r\u{1B}[K\(text)", to: .errors)
    }
}
