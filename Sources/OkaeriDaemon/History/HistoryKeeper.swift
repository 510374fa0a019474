import History
import Logging
import NIOConcurrencyHelpers
import RegionMonitoring
import Synchronization

/// Puts every event into the history before anybody is told, so that what was told is never missing there, however the
/// process ends.
///
/// The disk has a thread of its own: an SD card may take its time, and the scan must not wait for it.
final class HistoryKeeper: Sendable {
    private struct Queue {
        var events: [Event] = []
        var minutes: [SignalMinute] = []
        var silences: [SilenceRecord] = []
        var isStopped = false
        var isOver = false
        /// Why nothing can be written now, if so.
        var problem: String?
        /// Who wants to know when everything up to now is told.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let queue = Mutex(Queue())

    /// 1 while there is something in the queue.
    private let news = ConditionLock(value: 0)
    private let directory: String
    private let settings: Configuration.History
    private let wallClock: any WallClock
    private let logger: Logger

    init(directory: String, settings: Configuration.History, wallClock: any WallClock, logger: Logger) {
        self.directory = directory
        self.settings = settings
        self.wallClock = wallClock
        self.logger = logger
    }

    /// Something happened, and is to be told once it is kept.
    func keep(_ event: Event) { change { $0.events.append(event) } }

    /// What was heard in a minute.
    func keep(_ minutes: [SignalMinute]) {
        if !minutes.isEmpty { change { $0.minutes += minutes } }
    }

    /// A silence ended. It is written with what comes next.
    func keep(_ silence: SilenceRecord) { queue.withLock { $0.silences.append(silence) } }

    /// Why the history cannot be written now; nil while it can.
    var problem: String? { queue.withLock(\.problem) }

    /// Returns when everything that happened before is kept and told.
    func caughtUp() async {
        await withCheckedContinuation { continuation in
            let isOver = queue.withLock { queue in
                if !queue.isOver { queue.waiting.append(continuation) }
                return queue.isOver
            }
            if isOver { continuation.resume() } else { ring() }
        }
    }

    /// Ends ``run(tell:)`` once everything is kept and told.
    func stop() { change { $0.isStopped = true } }

    private func change(_ change: @Sendable (inout Queue) -> Void) {
        queue.withLock { change(&$0) }
        ring()
    }

    private func ring() {
        news.lock()
        news.unlock(withValue: 1)
    }

    /// Tells what is known of the last week's silences. To be called on the thread that may wait for the disk.
    func recall(into ledger: SilenceLedger, at now: Int64) {
        do {
            let reader = try HistoryReader(directory: directory)
            let start = now &- SilenceLedger.week
            guard let since = try reader.silencesBegan() else { return }
            ledger.restore(try reader.silences(since: start), since: max(since, start))
        } catch {
            // There may be none yet; what is wrong with it is told when it is to be written.
            logger.debug("no earlier silences are known: \(error)")
        }
    }

    /// Keeps what comes, on the calling thread, until ``stop()``.
    ///
    /// - Parameter tell: is given each event, in order, once it is kept; or at once while the disk fails.
    func run(tell: (Event) -> Void) {
        var writer = HistoryWriter(
            directory: directory, settings: settings, durability: .powerCut, logger: logger)
        while true {
            wait(until: writer.nextAttempt)
            let taken = queue.withLock { queue in
                defer { (queue.events, queue.minutes, queue.silences, queue.waiting) = ([], [], [], []) }
                return queue
            }
            writer.record(taken.events, taken.minutes, taken.silences)
            queue.withLock { [problem = writer.problem?.description] queue in queue.problem = problem }
            for event in taken.events { tell(event) }
            for continuation in taken.waiting { continuation.resume() }
            if taken.isStopped { break }
        }
        let late = queue.withLock { queue in
            queue.isOver = true
            defer { queue.waiting = [] }
            return queue.waiting
        }
        for continuation in late { continuation.resume() }
        writer.finish(at: wallClock.now)
    }

    private func wait(until instant: Instant?) {
        if let instant {
            let seconds = SystemClock.monotonic.duration(to: instant) / .seconds(1)
            guard news.lock(whenValue: 1, timeoutSeconds: max(0, seconds)) else { return }
        } else {
            news.lock(whenValue: 1)
        }
        news.unlock(withValue: 0)
    }
}
