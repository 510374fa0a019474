import ArgumentParser
import HCI
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHistory
import OkaeriListening
import OkaeriPresence
import OkaeriReceivers
import Synchronization
import SystemPackage

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play a capture, or the captures of several nodes, and print the events.", shouldDisplay: false)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var log: LogOptions

    @Option(name: .customLong("state-dir"), help: "Write a history into this directory; default: none.")
    var stateDirectory: String?

    @Flag(help: "Print a JSON object a line; with --score a single one.")
    var json = false

    @Flag(help: "Print false exits and delays for each sensitivity, without identifiers and times of day.")
    var score = false

    @Option(
        help: "With --score: the key file of a phone, which is scored instead of the configured regions.",
        completion: .file())
    var phone: String?

    @Option(help: "The factor of the recorded speed; default: as fast as possible.")
    var speed: Double?

    @Argument(
        help:
            """
            A btsnoop, pcap, pcapng or PacketLogger file, also packed by gzip; - is standard input. For several nodes NODE=CAPTURE each; a name \
            such as espresense-kitchen stands for one of "receivers", and its capture has what that receiver published.
            """,
        completion: .file())
    var captures: [String]

    func validate() throws {
        if let speed, !(speed > 0 && speed.isFinite) { throw ValidationError("--speed takes a number above zero") }
        if phone != nil, !score { throw ValidationError("--phone belongs to --score") }
        if let phone, IdentityResolvingKey(phone) != nil {
            throw ValidationError("--phone takes a key file, not a key")
        }
        if score, speed != nil { throw ValidationError("--score replays at full speed; leave out --speed") }
        if score, stateDirectory != nil { throw ValidationError("--score writes no history; leave out --state-dir") }
        guard let house else {
            if captures.count == 1 { return }
            throw ValidationError("several captures need the names of their nodes; write NODE=CAPTURE for each")
        }
        if score || speed != nil || stateDirectory != nil {
            throw ValidationError("--score, --speed and --state-dir are for one capture; leave them out")
        }
        if Set(house.map(\.node)).count < house.count {
            throw ValidationError("a node is named twice; give each one capture")
        }
    }

    /// The captures of several nodes; nil where it is one without a name.
    private var house: [HouseReplay.Capture]? {
        let named = captures.compactMap { argument -> HouseReplay.Capture? in
            guard let sign = argument.firstIndex(of: "="), Configuration.isNodeName(String(argument[..<sign])) else {
                return nil
            }
            return .init(node: String(argument[..<sign]), file: String(argument[argument.index(after: sign)...]))
        }
        return named.count == captures.count ? named : nil
    }

    /// The right to write the history; `nil` where none is written. A directory that cannot be locked cannot be written either,
    /// which the writer reports.
    private func stateLock(keeps: Bool) throws -> StateLock? {
        guard let stateDirectory, keeps else { return nil }
        do throws(StateLock.Failure) {
            return try StateLock(directory: stateDirectory)
        } catch {
            if case .unusable = error { return nil }
            throw CommandFailure(error.description, status: Exit.unavailable)
        }
    }

    /// The configuration with the keys of its phones, or that of the phone which is scored alone.
    private func loaded() throws -> (Configuration, file: String) {
        if let phone {
            do throws(IdentityFileError) {
                return (try Configuration(scoring: SocketPath.absolute(phone)), phone)
            } catch {
                throw CommandFailure(error.description, status: Exit.configuration)
            }
        }
        var (configuration, file) = try config.load()
        do throws(ConfigurationError) {
            try configuration.readIdentities(file: file)
        } catch {
            throw CommandFailure(error)
        }
        return (configuration, file)
    }

    func run() throws {
        let (configuration, file) = try loaded()
        let progress = Terminal.showsProgress ? ProgressLine() : nil
        defer { progress?.clear() }
        let output = OutputBuffer(flushesEachLine: speed != nil || Terminal.isInteractive)
        defer { output.flush() }
        let regions = configuration.regions.map(\.monitored)
        let logger = Terminal.logger(verbose: log.verbose)
        let update = { @Sendable (read: UInt64, size: UInt64?) -> Void in progress?.update(read: read, size: size) }
        let lock = try stateLock(keeps: configuration.history.keep > 0)
        defer { withExtendedLifetime(lock) {} }
        do throws(CaptureFileError) {
            if let house {
                for node in house
                where configuration.nodes[node.node]?.room == nil && !configuration.isReceiver(node.node) {
                    Terminal.printNotice(
                        "\(node.node) is in no room; add \"nodes\": {\"\(node.node)\": {\"room\": …}} to \(file)")
                }
                let cut = try HouseReplay.run(
                    house, nodes: configuration.nodes, receivers: configuration.receivers, regions: regions,
                    identities: configuration.identities, logger: logger, progress: update
                ) { [json] event in output.add(json ? event.json : event.line) }
                output.flush()
                for error in cut { Terminal.printNotice(error.description) }
            } else if score {
                try Replay.score(
                    captures[0], regions: regions, identities: configuration.identities, logger: logger,
                    progress: update
                ) { score in
                    progress?.clear()
                    output.add(json ? score.json : score.text)
                }
            } else {
                try Replay.run(
                    captures[0], regions: regions, identities: configuration.identities,
                    writer: stateDirectory.flatMap {
                        HistoryWriter.ofReplay(directory: $0, settings: configuration.history, logger: logger)
                    },
                    speed: speed, logger: logger, progress: update,
                    { [json] event in output.add(json ? event.json : event.line) })
            }
        } catch {
            output.flush()
            progress?.clear()
            // A recording that was interrupted ends in the middle of a packet: the rest of it is good.
            guard error.isCut else { throw CommandFailure(error.description, status: Exit.dataError) }
            Terminal.printNotice(error.description)
        }
    }
}

extension Configuration {
    /// Whether a node of a replay has the name of a receiver of another make.
    fileprivate func isReceiver(_ node: String) -> Bool {
        receivers.contains { node.hasPrefix("\($0.topics.make.rawValue)-") }
    }
}

/// Collects lines for standard output: a capture of a day has many, and each write costs.
final class OutputBuffer: Sendable {
    private static let size = 1 << 16
    private let flushesEachLine: Bool
    private let text = Mutex("")

    init(flushesEachLine: Bool) {
        self.flushesEachLine = flushesEachLine
    }

    func add(_ line: String) {
        let isFull = text.withLock { text in
            text += line + "\n"
            return text.utf8.count >= Self.size
        }
        if isFull || flushesEachLine { flush() }
    }

    func flush() {
        let waiting = text.withLock { text in
            defer { text = "" }
            return text
        }
        guard !waiting.isEmpty else { return }
        do throws(Errno) {
            try Terminal.write(waiting, to: .output)
        } catch {
            Terminal.printNotice("standard output cannot be written: \(error)")
            ReplayCommand.exit(withError: Exit.ioError)
        }
    }
}
