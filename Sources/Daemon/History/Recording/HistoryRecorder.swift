package import Logging
package import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriPlumbing
import Synchronization

/// Records every event before it is published, so that no published one is missing, however the process ends.
///
/// The disk has a thread of its own: the scan must not wait for an SD card, and an event does not for long: if the disk
/// does not answer, events are published before they are in the history, and that is logged.
package final class HistoryRecorder: Sendable {
    struct Limits: Sendable {
        /// The time for which an event waits for the disk.
        var answer = Duration.seconds(5)
        var end = Duration.seconds(5)
    }

    private let directory: String
    private let limits: Limits
    private let now: @Sendable () -> Moment
    private let logger: Logger
    private let settings: Settings
    private let makeWriter: @Sendable () -> any EventWriter
    private let queue: Mutex<RecordingQueue>

    /// Signalled when the thread of the disk, and that of ``run(publish:)``, have something to look at.
    private let toWrite = BinarySemaphore()
    private let toPublish = BinarySemaphore()

    package convenience init(
        directory: String, settings: Configuration.History, now: @escaping @Sendable () -> Moment, logger: Logger
    ) {
        let settings = Settings(settings)
        self.init(directory: directory, settings: settings, now: now, logger: logger) {
            HistoryWriter(
                directory: directory, settings: settings.present, durability: .powerCut, clock: now, logger: logger)
        }
    }

    /// - Parameter makeWriter: makes what writes, on the thread of the disk.
    init(
        directory: String, settings: Settings = Settings(.init()), limits: Limits = Limits(),
        now: @escaping @Sendable () -> Moment, logger: Logger,
        makeWriter: @escaping @Sendable () -> any EventWriter
    ) {
        self.directory = directory
        self.limits = limits
        self.settings = settings
        self.now = now
        self.logger = logger
        self.makeWriter = makeWriter
        queue = Mutex(RecordingQueue(limit: limits.answer))
    }

    /// The settings of a history, which change when the configuration is read again.
    final class Settings: Sendable {
        private let value: Mutex<Configuration.History>

        init(_ value: Configuration.History) { self.value = Mutex(value) }

        var present: Configuration.History { value.withLock(\.self) }

        func set(_ value: Configuration.History) { self.value.withLock { $0 = value } }
    }

    /// Something happened, and is to be published once it is recorded.
    ///
    /// - Returns: `false` if it is not recorded, and no event before it waits to be published: it is to be published now.
    package func record(_ event: Event) -> Bool {
        let waits = queue.withLock { $0.arrived(event, at: .now) }
        guard waits else { return false }
        toWrite.signal()
        // It waits for the time of the first that waits.
        toPublish.signal()
        return true
    }

    package func record(_ minutes: [SignalMinute]) {
        guard !minutes.isEmpty else { return }
        queue.withLock { $0.arrived(minutes) }
        toWrite.signal()
    }

    /// A silence ended. It is written with what comes next.
    package func record(_ silence: SilenceRecord) { queue.withLock { $0.arrived(silence) } }

    /// The reason why the history cannot be written now; `nil` while it can.
    package var problem: String? { queue.withLock { $0.stall ?? $0.problem } }

    /// The number of events that wait for the disk.
    package var unwritten: Int { queue.withLock(\.unwritten) }

    /// Whether events are published, be it without the history.
    package var isAlive: Bool {
        queue.withLock { !$0.isLate(by: limits.answer * 2, at: .now) }
    }

    /// Returns when everything that happened before is published.
    package func caughtUp() async {
        await withCheckedContinuation { continuation in
            if queue.withLock({ $0.await(continuation) }) { continuation.resume() }
        }
    }

    /// Ends ``run(publish:)`` once everything is published.
    package func stop() {
        queue.withLock { $0.isStopped = true }
        toWrite.signal()
        toPublish.signal()
    }

    /// Records what comes on a thread of its own, and publishes it on the calling one, until ``stop()``.
    ///
    /// - Parameter publish: Receives each event, in order, once recorded; unrecorded while the disk fails.
    package func run(publish: (Event) -> Void) {
        let disk = Self.startDisk(self)
        while true {
            let (events, continuations, isOver) = queue.withLock { queue in queue.take(at: .now) }
            for event in events { publish(event) }
            queue.withLock { $0.publicationEnded() }
            for continuation in continuations { continuation.resume() }
            reportStall()
            if isOver { break }
            let due = queue.withLock(\.due)
            toPublish.wait(until: due)
        }
        guard disk else { return }
        let end = ContinuousClock.now + limits.end
        while !queue.withLock(\.isWritten), toPublish.wait(until: end) {}
        let (isWritten, missing) = queue.withLock { ($0.isWritten, $0.unwritten) }
        if !isWritten {
            logger.error(
                "the disk does not answer: \(quantity(missing, "event")) may be missing from the history in \(directory); check the disk with `dmesg`"
            )
        }
    }

    private static func startDisk(_ recorder: HistoryRecorder) -> Bool {
        do throws(BlockingThread.StartError) {
            try BlockingThread.start { recorder.write() }
            return true
        } catch {
            recorder.queue.withLock { $0.stalled("the history is not written: \(error)") }
            return false
        }
    }

    /// The thread of the disk.
    private func write() {
        var writer = makeWriter()
        while true {
            toWrite.wait(until: writer.nextAttempt)
            let batch = queue.withLock { $0.takeBatch() }
            writer.record(batch.events, batch.minutes, batch.silences)
            queue.withLock { $0.wrote(batch, problem: writer.problem) }
            toPublish.signal()
            if batch.isLast { break }
        }
        writer.finish(at: now().wall)
        queue.withLock { $0.isWritten = true }
        toPublish.signal()
    }

    private func reportStall() {
        let news = queue.withLock { $0.takeStallNews() }
        switch news {
        case .began: logger.error("\(queue.withLock { $0.stall ?? "" }); events are published all the same")
        case .ended(let lost):
            let loss = lost > 0 ? "; \(quantity(lost, "event is", plural: "events are")) missing from the history" : ""
            logger.notice("the disk answers again\(loss)")
        case nil: break
        }
    }
}

extension HistoryRecorder: Configured {
    /// The number of days applies to the next removal, within a day. A history that is to end, or to begin, does so at the next start.
    package func configured(_ configuration: Configuration) {
        if configuration.history.keep > 0 { settings.set(configuration.history) }
    }
}
