import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import OkaeriAgent
import OkaeriConfiguration
import OkaeriDaemon
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup
import OkaeriSystemd
import ServiceLifecycle

struct MonitorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Run the daemon in the foreground.",
        discussion: """
            It waits for a missing adapter, permission or NetworkManager. On a terminal it shows Wi-Fi prompts itself; \
            elsewhere answer them with `okaeri answer`. SIGHUP reloads the configuration. Under systemd it reports its \
            state to the service manager, and writes its events to the journal with \
            fields\(Installation.words(": `journalctl -u okaeri REGION=home`", or: "")).
            """, shouldDisplay: false)

    /// The substitutes for NetworkManager.
    enum WiFiKind: String, ExpressibleByArgument, CaseIterable {
        case networkManager = "network-manager"
        case simulated
    }

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var socket: SocketOptions
    @OptionGroup var state: StateOptions
    @OptionGroup var log: LogOptions

    @Flag(help: "Print a JSON object a line.")
    var json = false

    @Option(
        help: """
            A capture (btsnoop, pcap, pcapng, PacketLogger; also by gzip) in place of an adapter. The daemon runs on at its end, \
            and stores nothing without --state-dir.
            """)
    var capture: String?

    @Option(help: "The factor of the capture's speed.")
    var speed = 1.0

    @Option(help: "The service that joins networks: network-manager, or simulated for a trial.")
    var wifi = WiFiKind.networkManager

    func validate() throws {
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed takes a number above zero") }
    }

    func run() async throws {
        try Libraries.load()
        // The state by a capture is not this home's, unless a directory is named for it.
        let directory = capture == nil ? state.forDaemon : state.directory
        let (configuration, file, saved) = try load(directory)
        let logger = Terminal.logger(verbose: log.verbose)
        logger.notice("version \(Version())")
        for notice in configuration.notices + (capture == nil ? [] : configuration.noticesOfCapture) {
            logger.warning("\(file): \(notice)")
        }
        for problem in saved.problems { logger.warning("\(problem)") }
        if let capture { logger.warning("NOT REAL: the capture \(capture) stands in for the Bluetooth adapter") }
        if wifi == .simulated { logger.warning("NOT REAL: a simulated Wi-Fi stands in for NetworkManager") }
        let daemon = try Daemon(
            configuration,
            options: .init(
                configurationFile: file, saved: saved, capture: capture, speed: speed,
                simulatesWiFi: wifi == .simulated,
                socket: socket.forDaemon,
                stateDirectory: directory,
                serviceManager: ServiceManager(environment: environment),
                isRestarted: environment["OKAERI_RESTARTED"] == "yes",
                node: NodeName.local,
                version: Version().number, commit: Version().commit,
                writeBackup: directory.map { Self.backupWriter(file, directory: $0) }),
            logger: logger)
        var services: [any Service] = [printer(daemon.hub)]
        if Terminal.canAsk, !json {
            services.append(
                TerminalPrompt(daemon: daemon, events: daemon.allEvents(), language: Language(environment: environment))
            )
        }
        do {
            try await daemon.run(with: services)
        } catch is RestartRequested {
            throw CommandFailure(
                "the daemon ends to be started again, as a client of the MQTT broker requested", status: Exit.temporary)
        } catch let error as DaemonError {
            throw CommandFailure(error.description, status: Exit.unavailable)
        }
    }

    /// Reads the configuration with the regions that the page has saved in the state directory.
    private func load(
        _ directory: String?
    ) throws -> (configuration: OkaeriConfiguration.Configuration, file: String, saved: SavedReport) {
        do throws(ConfigurationError) {
            let file = try OkaeriConfiguration.Configuration.file(named: config.file)
            let merged = try MergedConfiguration(file: file, directory: directory)
            var configuration = merged.configuration
            try configuration.readIdentities(file: file)
            return (configuration, file, merged.saved)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Returns a function that writes an encrypted backup as `okaeri backup` does, with the rights of the daemon.
    private static func backupWriter(_ file: String, directory: String) -> BackupWriter {
        let backup = Backup(
            configurationFile: file, directory: directory, version: Version().number, actsAsOwner: false)
        return { output, passphrase, deadline throws(BackupWriterFailure) in
            do throws(BackupFailure) {
                let report = try backup.write(to: output, passphrase: passphrase, Interruption(at: deadline))
                // The daemon has not written each file of its directory yet.
                return report.missing.count { !$0.path.hasPrefix("\(directory)/") }
            } catch {
                throw BackupWriterFailure(
                    error.kind == .interrupted
                        ? "the backup takes too long; run \(Remedy.okaeri("backup FILE"))"
                        : error.description.escapedName)
            }
        }
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Into the journal where standard output leads there, unless JSON is asked for.
    private func printer(_ hub: EventHub) -> any Service {
        guard !json, let journal = Journal(behind: STDOUT_FILENO, identifier: "okaeri", environment: environment)
        else { return EventPrinter.onStandardOutput(hub, asJSON: json) }
        return EventPrinter.inJournal(hub, journal, logsRanging: log.verbose)
    }
}
