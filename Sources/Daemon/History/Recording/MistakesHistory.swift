import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring

/// The output of `okaeri history --mistakes`: exits that a return followed within five minutes with a similar signal, and
/// the settings that would have avoided them. Encodes as what `--json` prints, for the daemon.
package struct MistakesHistory: Codable, Sendable {
    /// The beginning of the record; `nil` if no run of the daemon has recorded silences yet.
    private let since: String?
    /// The oldest first.
    private let mistakes: [Mistake]
    private let regions: [Summary]

    fileprivate struct Mistake: Codable {
        var time: String
        var region: String
        /// The length of the silence, and the time from the exit to the return; in seconds.
        var silence: Double
        var leftFor: Double
        /// The mean signal of the minute before and the first one after, in dBm.
        var signalBefore: Double?
        var signalAfter: Int?
    }

    fileprivate struct Summary: Codable {
        var identifier: String
        var mistakes: MistakesReport
        /// The number on each day of the machine's calendar that had any.
        var byDay: [String: Int]
        /// The exitAfter that would have avoided all of them, in whole seconds; nil where there was none.
        var exitAfter: Int?
    }

    /// - Parameters:
    ///   - since: none before this time, in nanoseconds since the Unix epoch; nil: from when silences were first recorded.
    package init(directory: String, region: String?, since: Int64?) throws(HistoryError) {
        let reader = try HistoryReader(directory: directory)
        let records = try reader.silences(region: region, since: since)
        let watched = try reader.silencesWatched()
        let start = watched?.start.map { max($0, since ?? .min) }
        // The daemon's downtime is not a time in which an exit could have been false.
        let length = start.flatMap { watched?.nanoseconds(in: $0..<Int64.max) } ?? 0
        self.since = start.map(Timestamp.text)
        mistakes = records.filter { $0.silence.wasFalseExit }.sorted { $0.time < $1.time }.map(Mistake.init)
        regions = Dictionary(grouping: records, by: \.region).sorted { $0.key < $1.key }.map { identifier, records in
            Summary(identifier: identifier, records: records, watched: length)
        }
    }

    /// For a person, in the machine's time zone.
    package var text: String {
        guard let since else {
            return
                "There is no record of false exits: an earlier version wrote this history. The daemon records them from now on."
        }
        let known = "since \(LocalTime.text(stamp: since))"
        var lines = mistakes.map(\.line)
        if lines.isEmpty { lines = ["No false exit \(known)."] }
        for region in regions { lines += [""] + region.lines(known) }
        return lines.joined(separator: "\n")
    }

    package var json: String { JSON.line(self) }
}

extension MistakesHistory.Mistake {
    fileprivate init(_ record: SilenceRecord) {
        self.init(
            time: Timestamp.text(record.time), region: record.region, silence: record.silence.length.seconds(digits: 3),
            leftFor: record.silence.leftFor?.seconds(digits: 3) ?? 0, signalBefore: record.silence.signalBefore,
            signalAfter: record.silence.signalAfter.map(Int.init))
    }

    fileprivate var line: String {
        let signals = [signalBefore.map(\.plain), signalAfter.map(String.init)].map { $0 ?? "?" }
        return [
            LocalTime.text(stamp: time), region,
            "silent for \(silence.rounded(digits: 1).plain) s, back \(leftFor.rounded(digits: 1).plain) s after the exit",
            "\(signals[0]) dBm before, \(signals[1]) dBm after",
        ].joined(separator: "  ")
    }
}

extension MistakesHistory.Summary {
    /// - Parameter watched: the time in which mistakes would have been recorded, in nanoseconds.
    fileprivate init(identifier: String, records: [SilenceRecord], watched: Int64) {
        let mistakes = records.filter { $0.silence.wasFalseExit }
        self.init(
            identifier: identifier, mistakes: MistakesReport(records.map(\.silence), nanoseconds: watched),
            byDay: Dictionary(grouping: mistakes) { LocalTime.day($0.time) }.mapValues(\.count),
            exitAfter: mistakes.map(\.silence.length).max().map { Int(($0 / .seconds(1)).rounded(.up)) })
    }

    fileprivate func lines(_ known: String) -> [String] {
        let rate = mistakes.ratePerDay.map { ", \($0) a day" } ?? ""
        let days = byDay.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", ")
        let spared = exitAfter.map { ["  \"exitAfter\": \($0) would have avoided all of them"] } ?? []
        return [
            "\(identifier)  \(quantity(mistakes.falseExits, "false exit")) \(known)"
                + rate + (days.isEmpty ? "" : ": \(days)"),
            "  There would have been \(mistakes.quick) with \"sensitivity\": \"quick\", \(mistakes.balanced) with "
                + "\"balanced\", \(mistakes.patient) with \"patient\"",
        ] + spared
    }
}
