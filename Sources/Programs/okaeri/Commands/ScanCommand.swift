import Events
import ArgumentParser
import Listening
import ServiceLifecycle
import SystemPackage

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "List the iBeacons in range, live.",
        discussion:
            "On a terminal it shows a table; otherwise it prints a JSON object a line, one a second for each beacon received."
    )

    @OptionGroup var listening: ListeningOptions
    @OptionGroup var log: LogOptions

    @Flag(help: "Print JSON lines on a terminal, too.")
    var json = false

    func run() async throws {
        let session = try ListeningSession(
            regions: [], adapter: listening.adapter, capture: listening.capture, logger: log.logger)
        let isTable = Terminal.isInteractive && !json
        try await listening.show(session) { isTable ? try await table(session) : try await lines(session) }
    }

    private func table(_ session: ListeningSession) async throws {
        var screen = LiveScreen()
        while !Task.isCancelled {
            let beacons = session.beacons(within: .seconds(60))
            try screen.draw(
                BeaconTable.lines(
                    beacons, columns: Terminal.columns, rows: Terminal.rows, isColored: Terminal.showsColor))
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func lines(_ session: ListeningSession) async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: .seconds(1))
            for beacon in session.beacons(within: .seconds(1)) { try Terminal.print(beacon.line(at: session.time)) }
        }
    }
}
