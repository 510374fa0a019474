import Events
import Plumbing
import RegionMonitoring

/// What `okaeri history --mistakes` tells: exits that were followed by a return within five minutes at like strength, and
/// what would have spared them.
package struct MistakesHistory: Sendable {
    private let regions: [(identifier: String, silences: [SilenceRecord])]
    /// Since when it is known; nil where no run of the daemon has recorded silences yet.
    private let start: Int64?
    private let end: Int64

    /// - Parameters:
    ///   - directory: the state directory that holds the history.
    ///   - region: only this one; nil for all.
    ///   - since: none before this time; nil: from when silences were first recorded.
    ///   - now: the present.
    package init(directory: String, region: String?, since: Moment?, now: Moment) throws {
        let reader = try HistoryReader(directory: directory)
        let records = try reader.silences(region: region, since: since?.nanoseconds)
        start = try reader.silencesBegan().map { max($0, since?.nanoseconds ?? .min) }
        end = now.nanoseconds
        regions = Dictionary(grouping: records, by: \.region).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private struct Mistake: Encodable {
        var time: String
        var region: String
        /// How long it was silent, and how long ago it was left when it was back; in seconds.
        var silence: Double
        var leftFor: Double
        /// The mean signal of the minute before and the first one after, in dBm.
        var signalBefore: Double?
        var signalAfter: Int?
    }

    private struct Summary: Encodable {
        var identifier: String
        var mistakes: MistakesReport
        /// How many on each day of the machine's calendar that had any.
        var byDay: [String: Int]
        /// The exitAfter that would have spared all of them, in whole seconds; nil where there was none.
        var exitAfter: Int?
    }

    private struct Document: Encodable {
        var since: String?
        var mistakes: [Mistake]
        var regions: [Summary]
    }

    /// The mistakes of a region, the oldest first.
    private func mistakes(_ silences: [SilenceRecord]) -> [SilenceRecord] {
        silences.filter { $0.silence.wasFalseExit }
    }

    private var summaries: [Summary] {
        regions.map { identifier, silences in
            let mistakes = mistakes(silences)
            return Summary(
                identifier: identifier,
                mistakes: MistakesReport(silences.map(\.silence), nanoseconds: max(0, end &- (start ?? end))),
                byDay: Dictionary(grouping: mistakes) { LocalTime.day($0.time) }.mapValues(\.count),
                exitAfter: mistakes.map(\.silence.length).max().map { Int(($0 / .seconds(1)).rounded(.up)) })
        }
    }

    /// For a person, in the machine's time zone.
    package var text: String {
        guard let start else {
            return "Nothing is known yet: an earlier version wrote this history. The daemon records it from now on."
        }
        let known = "since \(LocalTime.text(start))"
        var lines = regions.flatMap { mistakes($0.silences) }.sorted { $0.time < $1.time }.map(line)
        if lines.isEmpty { lines = ["No false exit \(known)."] }
        for summary in summaries {
            let mistakes = summary.mistakes
            let days = summary.byDay.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", ")
            lines += [
                "",
                "\(summary.identifier)  \(mistakes.falseExits) false exit\(mistakes.falseExits == 1 ? "" : "s") \(known), "
                    + "\(mistakes.perDay.plain) a day"
                    + (days.isEmpty ? "" : ": \(days)"),
                "  It would have had \(mistakes.quick) with \"sensitivity\": \"quick\", \(mistakes.balanced) with "
                    + "\"balanced\", \(mistakes.patient) with \"patient\"",
            ]
            if let exitAfter = summary.exitAfter { lines.append("  and none of them with \"exitAfter\": \(exitAfter)") }
        }
        return lines.joined(separator: "\n")
    }

    private func line(_ record: SilenceRecord) -> String {
        let signals = [record.signalBefore.map(\.plain), record.signalAfter.map(String.init)].map { $0 ?? "?" }
        return [
            LocalTime.text(record.time), record.region,
            "silent for \(record.length.rounded(digits: 1).plain) s, back \(record.leftFor?.rounded(digits: 1).plain ?? "?") s "
                + "after the exit", "\(signals[0]) dBm before, \(signals[1]) dBm after",
        ].joined(separator: "  ")
    }

    /// One JSON object.
    package var json: String {
        let list = regions.flatMap { mistakes($0.silences) }.sorted { $0.time < $1.time }.map { record in
            Mistake(
                time: Timestamp.text(record.time), region: record.region, silence: record.length,
                leftFor: record.leftFor ?? 0, signalBefore: record.signalBefore, signalAfter: record.signalAfter)
        }
        let document = Document(since: start.map(Timestamp.text), mistakes: list, regions: summaries)
        return JSON.document(document)
    }
}
