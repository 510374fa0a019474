import History
import RegionMonitoring
import Synchronization

/// The silences of the last week: how many exits were false, and how many each sensitivity would have had. The status
/// answers from here, without the disk.
final class SilenceLedger: Sendable {
    private struct State {
        var records: [SilenceRecord] = []
        /// Since when it is known: nanoseconds since the Unix epoch.
        var since: Int64?
    }

    private let state = Mutex(State())

    /// What is counted, in nanoseconds.
    static let week: Int64 = 7 * 86_400_000_000_000

    /// How many silences are remembered. A home has a few dozen in a week.
    private static let capacity = 4096

    /// Goes on from what the history knows.
    func restore(_ records: [SilenceRecord], since: Int64) {
        state.withLock { state in
            state.records = Array((records + state.records).suffix(Self.capacity))
            state.since = min(state.since ?? since, since)
        }
    }

    /// From `time` on it is known what happens, if it was not known before.
    func began(at time: Int64) {
        state.withLock { $0.since = min($0.since ?? time, time) }
    }

    func add(_ record: SilenceRecord) {
        state.withLock { state in
            if state.records.count == Self.capacity { state.records.removeFirst() }
            state.records.append(record)
        }
    }

    /// The last week's mistakes about a region; nil before anything is known.
    func report(region: String, now: Int64) -> MistakesReport? {
        state.withLock { state in
            guard let since = state.since, since < now else { return nil }
            let start = max(since, now &- Self.week)
            let silences = state.records.filter { $0.region == region && $0.time >= start && $0.time <= now }
            return MistakesReport(silences.map(\.silence), nanoseconds: now &- start)
        }
    }
}

/// How many exits were false as people see it, back within five minutes and at like strength: in the last week, or since it is
/// known.
public struct MistakesReport: Codable, Sendable, Equatable {
    /// In how many days.
    public var days: Double
    public var falseExits: Int
    public var perDay: Double
    /// How many each sensitivity would have had where the exit time is learned.
    public var quick: Int
    public var balanced: Int
    public var patient: Int

    init(_ silences: [EndedSilence], nanoseconds: Int64) {
        let days = Double(nanoseconds) / 86_400e9
        func count(_ sensitivity: Sensitivity) -> Int {
            silences.count { $0.isFalseExit(after: $0.exitTimes[sensitivity]) }
        }
        falseExits = silences.count(where: \.wasFalseExit)
        self.days = days.rounded(digits: 2)
        perDay = days > 0 ? (Double(falseExits) / days).rounded(digits: 2) : 0
        (quick, balanced, patient) = (count(.quick), count(.balanced), count(.patient))
    }
}
