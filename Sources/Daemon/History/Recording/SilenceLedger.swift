package import Logging
package import OkaeriEvents
package import OkaeriPlumbing
package import RegionMonitoring
import Synchronization

/// The silences of the last week: how many exits were false, and how many each sensitivity would have had. The status
/// answers from here, without the disk.
package final class SilenceLedger: Sendable {
    private struct State {
        var records: [SilenceRecord] = []
        /// The earlier runs.
        var watched = WatchedTime()
        /// The beginning of this run.
        var began: Moment?
    }

    private let state = Mutex(State())

    package init() {}

    /// The period that is counted, in nanoseconds.
    static let week: Int64 = 7 * 86_400_000_000_000

    /// The number of stored silences. A home has a few dozen in a week.
    private static let capacity = 4096

    /// Goes on from the last week of a history. To be called on a thread that may wait for the disk.
    package func recall(from directory: String, at now: Int64, logger: Logger) {
        do {
            let reader = try HistoryReader(directory: directory)
            guard let watched = try reader.silencesWatched() else { return }
            restore(try reader.silences(since: now &- Self.week), watched: watched)
        } catch {
            // There may be none yet; a failure is reported when it is to be written.
            logger.debug("no earlier silences are known: \(error)")
        }
    }

    /// Goes on from what the history knows.
    package func restore(_ records: [SilenceRecord], watched: WatchedTime) {
        state.withLock { state in
            state.records = Array((records + state.records).suffix(Self.capacity))
            state.watched = watched
        }
    }

    /// From `time` on it is known what happens, if it was not known before.
    package func began(at time: Moment) {
        state.withLock { $0.began = $0.began ?? time }
    }

    package func add(_ record: SilenceRecord) {
        state.withLock { state in
            if state.records.count == Self.capacity { state.records.removeFirst() }
            state.records.append(record)
        }
    }

    /// The last week's mistakes about a region; nil before anything is known.
    package func report(region: String, now moment: Moment) -> MistakesReport? {
        state.withLock { state in
            let now = moment.wall
            var watched = state.watched
            // The network may have set the clock since then.
            let began = state.began?.corrected(at: moment).wall
            if let began, began < now { watched.add(began..<now) }
            guard let since = watched.start, since < now else { return nil }
            let start = max(since, now.subtractingClamped(Self.week))
            let silences = state.records.filter { $0.region == region && $0.time >= start && $0.time <= now }
            return MistakesReport(silences.map(\.silence), nanoseconds: watched.nanoseconds(in: start..<now))
        }
    }
}
