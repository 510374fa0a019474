import ArgumentParser
import OkaeriEvents
import OkaeriListening
import RegionMonitoring

struct RangeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "range", abstract: "Print the distance of a region's beacons once a second.",
        discussion: """
            On a terminal it shows a table; otherwise it prints the events didRangeBeacons and rangingBeaconsDidFail, a \
            JSON object a line.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var listening: ListeningOptions
    @OptionGroup var log: LogOptions

    @Flag(help: "Print JSON lines on a terminal, too.")
    var json = false

    @Argument(help: "A region's identifier, or UUID[/MAJOR[/MINOR]].", completion: .regions)
    var region: String

    func run() async throws {
        var monitored = try config.region(region)
        monitored.ranging = .always
        let session = try ListeningSession(
            regions: [monitored], adapter: listening.adapter, capture: listening.capture, logger: log.logger)
        let events = session.events()
        let isTable = Terminal.isInteractive && !json
        try await listening.show(session) {
            var screen = isTable ? LiveScreen() : nil
            for await event in events {
                switch event.kind {
                case .didRangeBeacons:
                    if screen != nil {
                        let beacons = session.beacons(within: RegionMonitor.rangingMemory)
                            .filter { !$0.regions.isEmpty }
                        try screen?.draw(
                            BeaconTable.lines(
                                beacons, columns: Terminal.columns, rows: Terminal.rows, isColored: Terminal.showsColor)
                        )
                    } else {
                        try Terminal.print(event.json)
                    }
                case .rangingBeaconsDidFail(_, let reason):
                    if isTable { Terminal.printNotice(reason) } else { try Terminal.print(event.json) }
                case .didStartMonitoring, .didDetermineState, .didEnterRegion, .didExitRegion, .monitoringDidFail,
                    .bluetoothStateDidUpdate, .wifiPrompt, .wifiPromptAnswered, .wifiPromptWithdrawn, .wifiJoined,
                    .wifiJoinFailed, .wifiActionCompleted, .wifiActionFailed, .wifiUnavailable, .wifiAccessLimited,
                    .peripheralDidConnect,
                    .peripheralDidDisconnect, .peripheralDidFailToConnect, .house:
                    break
                }
            }
        }
    }
}
