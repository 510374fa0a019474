import History
public import Logging
public import RegionMonitoring
import Synchronization
import SystemPackage

/// Where a history is kept.
public struct HistoryPlace: Sendable {
    /// The state directory.
    public var directory: String
    public var settings: Configuration.History

    public init(directory: String, settings: Configuration.History) {
        self.directory = directory
        self.settings = settings
    }
}

/// The whole road over a capture, at the capture's own clock.
public enum Replay {
    /// Replays a capture on the calling thread.
    ///
    /// - Parameters:
    ///   - history: where what happens is kept, and for how long; nil: nowhere.
    ///   - speed: how many times faster than it was recorded; nil: as fast as it goes.
    ///   - progress: is told from time to time how many bytes have been read, and how many there are.
    ///   - tell: is given each event, in order.
    /// - Throws: when the capture is no capture or damaged; what came before the damage has been told.
    public static func run(
        _ capture: String, regions: [MonitoredRegion], history: HistoryPlace? = nil, speed: Double?, logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ tell: @escaping @Sendable (Event) -> Void
    ) throws(CaptureFileError) {
        let source = CaptureSource(file: capture, speed: speed, logger: logger, progress: progress)
        guard let history, history.settings.keep > 0 else {
            return try run(source, PresenceCore(regions: regions, wallClock: source, publish: tell))
        }
        let writer = Mutex(
            HistoryWriter(
                directory: history.directory, settings: history.settings, durability: .process, logger: logger))
        defer { writer.withLock { $0.finish(at: source.now) } }
        let core = PresenceCore(
            regions: regions, wallClock: source,
            publish: { event in
                writer.withLock { $0.record([event]) }
                tell(event)
            }, summarize: { minutes in writer.withLock { $0.record([], minutes) } },
            silenceEnded: { silence in writer.withLock { $0.record([], [], [silence]) } })
        defer { core.summarizeMinute() }
        try run(source, core)
    }

    /// Replays a capture on the calling thread, as fast as it goes, to tell how good the exit times are.
    ///
    /// - Parameters:
    ///   - progress: is told from time to time how many bytes have been read, and how many there are.
    ///   - tell: is given the score: of a capture that is cut, too.
    /// - Throws: when the capture is no capture, damaged or cut.
    public static func score(
        _ capture: String, regions: [MonitoredRegion], logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ tell: (ScoreReport) -> Void
    ) throws(CaptureFileError) {
        let scorer = Scorer(regions)
        do throws(CaptureFileError) {
            try run(CaptureSource(file: capture, speed: nil, logger: logger, progress: progress), scorer)
        } catch {
            if error.isCut { tell(scorer.report) }
            throw error
        }
        tell(scorer.report)
    }

    private static func run(_ source: CaptureSource, _ receiver: some PacketReceiver) throws(CaptureFileError) {
        do {
            _ = try source.run(receiver)
        } catch let error as CaptureFileError {
            throw error
        } catch {
            throw .unreadable(file: source.name, .ioError)
        }
    }
}
