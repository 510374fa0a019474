import Logging
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSystemd
import Synchronization

/// Reads the configuration again, and gives it to every part that goes by it.
final class Reloader: Sendable {
    private struct Loaded {
        var configuration: Configuration
        /// The wall clock's time at which it was read, in nanoseconds.
        var time: Int64
        /// The reason why the file was not read again, if the last attempt failed.
        var problem: String?
        /// The changes that take effect at the next start.
        var pending: [StatusReport.Loaded.Pending] = []
    }

    /// The longest description of a file's mistakes in a status report. The journal has all of it.
    private static let longestProblem = 1000

    private let file: String
    private let reader: ConfigurationReader
    /// The configuration of the start. Settings that need a restart are in force as they were then.
    private let start: Configuration
    private let loaded: Mutex<Loaded>
    /// The last attempt to read the file again.
    private let attempts = Mutex<Task<Void, Never>?>(nil)
    private let parts: [any Configured]
    private let supervision: Supervision?
    private let logger: Logger

    /// - Parameters:
    ///   - reader: Reads the file, and the regions that the page has saved.
    ///   - parts: in the order in which they are given it.
    init(
        file: String, reader: ConfigurationReader? = nil, configuration: Configuration, parts: [any Configured],
        supervision: Supervision?, logger: Logger
    ) {
        self.file = file
        self.reader =
            reader ?? ConfigurationReader(file: file, directory: nil, used: SavedReport(), logger: logger)
        start = configuration
        loaded = Mutex(Loaded(configuration: configuration, time: KernelClock.realtime))
        self.parts = parts
        self.supervision = supervision
        self.logger = logger
    }

    /// The configuration in force.
    var configuration: Configuration { loaded.withLock(\.configuration) }

    /// The file, the last attempt to read it again, and what waits for a restart.
    var report: StatusReport.Loaded {
        let loaded = loaded.withLock(\.self)
        return .init(
            file: file, time: Timestamp.text(loaded.time), problem: loaded.problem,
            restart: loaded.pending.isEmpty ? nil : loaded.pending)
    }

    /// Reads the configuration again. Attempts follow one another, so that the last one reads the latest text.
    func reload() async {
        let attempt = attempts.withLock { last in
            let attempt = Task { [last] in
                await last?.value
                await readAgain()
            }
            last = attempt
            return attempt
        }
        await attempt.value
    }

    private func readAgain() async {
        supervision?.reloading()
        do throws(ConfigurationError) {
            let new = try await read()
            let pending = Self.pending(from: start, to: new)
            let known = loaded.withLock { loaded in
                defer { loaded = Loaded(configuration: new, time: KernelClock.realtime, pending: pending) }
                return loaded.pending
            }
            for change in pending where !known.contains(change) {
                logger.warning(
                    "\(change.key) takes effect at the next start: \(change.reason); \(Remedy.restart().order())"
                )
            }
            for part in parts { await part.configured(new) }
            logger.notice("the configuration was read again", metadata: ["file": "\(file)"])
            supervision?.reloaded(Set(new.regions.map(\.identifier)))
        } catch {
            let problem = String(error.description.prefix(Self.longestProblem))
            loaded.withLock { $0.problem = problem }
            supervision?.reloaded(nil)
            logger.error("the configuration was not read again; the old one stays in force:\n\(error)")
        }
    }

    /// Returns the changes since the start that only a restart brings into force.
    static func pending(from old: Configuration, to new: Configuration) -> [StatusReport.Loaded.Pending] {
        guard (old.history.keep > 0) != (new.history.keep > 0) else { return [] }
        let reason =
            new.history.keep > 0
            ? "no event is recorded until then" : "events are recorded until then, because others wait for the record"
        return [.init(key: "history.keep", reason: reason)]
    }

    private func read() async throws(ConfigurationError) -> Configuration {
        try await BlockingThread.run({ [file] code in
            ConfigurationError(
                file: file, place: "reading it", found: "no free thread (error \(code))", expected: "one")
        }) { [reader] () throws(ConfigurationError) in try reader.read() }
    }
}

/// The listeners over TCP follow their keys of the configuration once the daemon runs.
final class ConfiguredServers: Configured {
    private let apply = Mutex<(@Sendable (Configuration) -> Void)?>(nil)

    func follow(_ apply: @escaping @Sendable (Configuration) -> Void) { self.apply.withLock { $0 = apply } }

    func configured(_ configuration: Configuration) { apply.withLock(\.self)?(configuration) }
}
