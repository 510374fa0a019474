import ArgumentParser
import Events
import History
import Listening
import OkaeriConfiguration
import Presence
import Synchronization
import SystemPackage

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "The same over a capture, at the capture's own clock.")

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var log: LogOptions

    @Option(name: .customLong("state-dir"), help: "Keep a history here; none by default.")
    var stateDirectory: String?

    @Flag(help: "Print one JSON object a line; with --score, one in all.")
    var json = false

    @Flag(help: "Print how often exits would be false, and how late; nothing in it says who was where, or when.")
    var score = false

    @Option(help: "How many times faster than recorded; as fast as it goes by default.")
    var speed: Double?

    @Argument(help: "A btsnoop, pcap or pcapng file; - for standard input.", completion: .file())
    var capture: String

    func validate() throws {
        if let speed, !(speed > 0 && speed.isFinite) { throw ValidationError("--speed takes a number above zero") }
        if score, speed != nil { throw ValidationError("--score replays as fast as it goes: without --speed") }
        if score, stateDirectory != nil { throw ValidationError("--score keeps no history: without --state-dir") }
    }

    func run() throws {
        let (configuration, _) = try config.load()
        let progress = Terminal.showsProgress ? ProgressLine() : nil
        defer { progress?.clear() }
        let output = OutputBuffer(flushesEachLine: speed != nil || Terminal.isInteractive)
        defer { output.flush() }
        let regions = configuration.regions.map(\.monitored)
        let logger = Terminal.logger(verbose: log.verbose)
        let update = { @Sendable (read: UInt64, size: UInt64?) -> Void in progress?.update(read: read, size: size) }
        do throws(CaptureFileError) {
            if score {
                try Replay.score(capture, regions: regions, logger: logger, progress: update) { score in
                    progress?.clear()
                    output.add(json ? score.json : score.text)
                }
            } else {
                try Replay.run(
                    capture, regions: regions,
                    writer: stateDirectory.flatMap {
                        HistoryWriter.ofReplay(directory: $0, settings: configuration.history, logger: logger)
                    },
                    speed: speed, logger: logger, progress: update,
                    { [json] event in output.add(json ? event.json : event.line) })
            }
        } catch {
            output.flush()
            progress?.clear()
            Terminal.complain(error.description)
            // A recording that was interrupted ends in the middle of a packet: the rest of it is good.
            if !error.isCut { throw Exit.dataError }
        }
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
            Terminal.complain("standard output cannot be written: \(error)")
            ReplayCommand.exit(withError: Exit.ioError)
        }
    }
}
