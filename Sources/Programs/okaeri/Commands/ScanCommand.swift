import ArgumentParser
import HCI
import OkaeriConfiguration
import OkaeriEvents
import OkaeriListening
import OkaeriPresence
import RegionMonitoring
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

    @Flag(
        help:
            "List phones, watches and other devices with resolvable private addresses instead; marks configured phones."
    )
    var phones = false

    @OptionGroup var config: ConfigurationOptions

    func run() async throws {
        let session = try ListeningSession(
            regions: [], adapter: listening.adapter, capture: listening.capture, logger: log.logger)
        if phones { return try await scanPhones(session) }
        let isTable = Terminal.isInteractive && !json
        try await listening.show(session) { isTable ? try await table(session) : try await lines(session) }
    }

    private func scanPhones(_ session: ListeningSession) async throws {
        let survey = session.phoneSurvey(identities)
        let isTable = Terminal.isInteractive && !json
        let show = Show {
            var screen = isTable ? LiveScreen() : nil
            var shown = Instant(nanoseconds: .min)
            try await Self.repeated(every: isTable ? .milliseconds(500) : .seconds(1)) {
                let now = session.instant
                let seen = survey.devices(since: isTable ? now.advanced(by: .seconds(-60)) : shown)
                shown = now.advanced(by: .nanoseconds(1))
                guard isTable else {
                    for device in seen { try Terminal.print(PhoneTable.line(device, at: session.time)) }
                    return
                }
                try screen?.draw(
                    PhoneTable.lines(seen, at: now, columns: Terminal.columns, rows: Terminal.rows))
            }
        }
        try await listening.run(session) { try await session.survey(survey, with: $0 + [show]) }
        for file in survey.reversed {
            Terminal.printNotice(
                "the key in \(file) has its bytes in the wrong order, which Okaeri has found out; nothing is to do")
        }
    }

    /// The identities of the configured phones that this user may read.
    private var identities: [String: DeviceIdentity] {
        var identities: [String: DeviceIdentity] = [:]
        do {
            let configuration = try config.found(directory: nil).merged.configuration
            for file in Set(configuration.regions.flatMap(\.monitored.signs).compactMap(\.phoneFile)).sorted() {
                do throws(IdentityFileError) {
                    identities[file] = try IdentityFile.load(file)
                } catch {
                    Terminal.printNotice("\(error); its phone is shown as a foreign one")
                }
            }
        } catch {
            Terminal.printNotice("no phone has a name: \(error)")
        }
        return identities
    }

    private func table(_ session: ListeningSession) async throws {
        var screen = LiveScreen()
        let draw = {
            let beacons = session.beacons(within: .seconds(60))
            try screen.draw(
                BeaconTable.lines(
                    beacons, columns: Terminal.columns, rows: Terminal.rows, isColored: Terminal.showsColor))
        }
        try draw()
        try await Self.repeated(every: .milliseconds(500), draw)
    }

    private func lines(_ session: ListeningSession) async throws {
        var shown: Instant?
        try await Self.repeated(every: .seconds(1)) {
            let beacons = session.beacons(after: shown)
            shown = session.instant
            for beacon in beacons { try Terminal.print(beacon.line(at: session.time)) }
        }
    }

    /// Calls `show` after each interval, and once more at the end: a capture may end within an interval.
    private static func repeated(every interval: Duration, _ show: () throws -> Void) async throws {
        while true {
            do {
                try await Task.sleep(for: interval)
            } catch {
                try show()
                throw error
            }
            try show()
        }
    }
}
