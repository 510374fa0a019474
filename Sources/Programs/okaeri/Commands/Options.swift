import ArgumentParser
import FoundationEssentials
import Glibc
import IBeacon
import OkaeriClient
import OkaeriConfiguration
import OkaeriHistory
import OkaeriPlumbing
import RegionMonitoring

/// `--config`.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: "The configuration; default: $OKAERI_CONFIG, ./beacons.json (not as root), /etc/okaeri/beacons.json.")
    var file: String?

    /// Returns the configuration and its file, or ends the command.
    func load() throws -> (configuration: Configuration, file: String) {
        do throws(ConfigurationError) {
            let file = try Configuration.file(named: file)
            return (try Configuration(file: file), file)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The same with the regions that the page of the service has saved, if the file is the service's or a state directory is named.
    ///
    /// - Parameter isQuiet: Whether nothing is printed about the parts of those that are not used.
    func merged(
        directory: String? = nil, isQuiet: Bool = false
    ) throws -> (merged: MergedConfiguration, file: String) {
        do throws(ConfigurationError) {
            let found = try found(directory: directory)
            if !isQuiet { found.merged.saved.problems.forEach(Terminal.printNotice) }
            return found
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Reads the same and prints nothing.
    func found(directory: String?) throws(ConfigurationError) -> (merged: MergedConfiguration, file: String) {
        let file = try Configuration.file(named: file)
        return (try MergedConfiguration(file: file, directory: savedDirectory(of: file, named: directory)), file)
    }

    /// The state directory with the regions that the page has saved beside a file; `nil` for none.
    func savedDirectory(of file: String, named directory: String?) -> String? {
        SavedRegionsFile.directory(
            of: file, named: directory, environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0)
    }

    /// The beacons of the region that is configured under `name`; or those of no configuration, where `name` is
    /// UUID[/MAJOR[/MINOR]].
    func beacons(_ name: String) throws -> BeaconConstraint {
        let region = try region(name)
        guard let constraint = region.constraint else {
            throw ValidationError(
                "the region \"\(name)\" \(region.otherSigns ?? ""): \(region.signsText); name beacons as UUID[/MAJOR[/MINOR]]"
            )
        }
        return constraint
    }

    /// The region that is configured under `name`; or that of no configuration, where `name` is UUID[/MAJOR[/MINOR]].
    func region(_ name: String) throws -> MonitoredRegion {
        if let constraint = BeaconConstraint(name) {
            return MonitoredRegion(BeaconRegion(identifier: name, constraint: constraint))
        }
        let (merged, file) = try merged(isQuiet: true)
        let configuration = merged.configuration
        if let found = configuration.regions.first(where: { $0.identifier == name }) { return found.monitored }
        merged.saved.problems.forEach(Terminal.printNotice)
        let known = configuration.regions.map(\.identifier).joined(separator: ", ")
        guard !known.isEmpty else {
            throw ValidationError(
                "\(file) has no region yet; \(Remedy.setup().order()), or name UUID[/MAJOR[/MINOR]]")
        }
        throw ValidationError(
            "\(file) has no region \"\(name)\", only \(known); name one of them, or UUID[/MAJOR[/MINOR]]")
    }
}

/// `--socket`.
struct SocketOptions: ParsableArguments {
    @Option(
        help: "The daemon's socket; default: $OKAERI_SOCKET, $XDG_RUNTIME_DIR/okaeri.sock, /run/okaeri/okaeri.sock.")
    var socket: String?

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    var forDaemon: String { SocketPath.forDaemon(named: socket, environment: environment) }

    var client: APIClient { APIClient(socket: SocketPath.forClient(named: socket, environment: environment)) }
}

/// `--state-dir`.
struct StateOptions: ParsableArguments {
    @Option(
        name: .customLong("state-dir"),
        help:
            "The state directory; default: $STATE_DIRECTORY, $XDG_STATE_HOME/okaeri, /var/lib/okaeri for root, ~/.local/state/okaeri."
    )
    var directory: String?

    private var environment: [String: String] { ProcessInfo.processInfo.environment }
    private var isRoot: Bool { geteuid() == 0 }

    var forDaemon: String { StateDirectory.forDaemon(named: directory, environment: environment, isRoot: isRoot) }

    /// The directory of the state.
    var holdingState: String {
        StateDirectory.forClient(
            named: directory, environment: environment, isRoot: isRoot, holding: StateDirectory.File.state.rawValue)
    }

    /// The directory of the history.
    var forReading: String {
        StateDirectory.forClient(
            named: directory, environment: environment, isRoot: isRoot, holding: HistoryStore.fileName)
    }
}

/// `--verbose`.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Log more on standard error.")
    var verbose = false
}

/// `--adapter`, `--capture`: what to listen to.
struct SourceOptions: ParsableArguments {
    @Option(help: "The adapter, such as hci0; default: the first that is up.")
    var adapter: String?

    @Option(help: "A capture (btsnoop, pcap, pcapng, PacketLogger; also by gzip) in place of an adapter.")
    var capture: String?

    func validate() throws {
        if let adapter { try Self.validate(adapter: adapter) }
    }

    static func validate(adapter: String) throws {
        if !adapter.hasPrefix("hci") || UInt16(decimal: adapter.dropFirst(3)) == nil {
            throw ValidationError("--adapter takes a name such as hci0")
        }
    }
}

/// `--adapter`, `--capture`, `--duration`: what to listen to, and how long.
struct ListeningOptions: ParsableArguments {
    @OptionGroup var source: SourceOptions

    @Option(help: "Stop after this many seconds.")
    var duration: Double?

    var adapter: String? { source.adapter }
    var capture: String? { source.capture }

    func validate() throws {
        if let duration, !(duration > 0 && duration <= 1e9) {
            throw ValidationError("--duration takes a number of seconds above zero")
        }
    }
}

/// Sends requests to the daemon, and ends the command if one fails.
func exitingOnFailure(_ ask: () async throws(APIClient.Failure) -> Void) async throws {
    do throws(APIClient.Failure) {
        try await ask()
    } catch {
        throw CommandFailure(error)
    }
}

extension CompletionKind {
    /// The identifiers of the configured regions.
    static var regions: CompletionKind {
        .custom { _, _, _ in
            (try? ConfigurationOptions.parse([]).found(directory: nil).merged.configuration.regions.map(\.identifier))
                ?? []
        }
    }
}
