package import Events
import RegionMonitoring

extension HistoryReader {
    /// The silences that ended since a time, the oldest first.
    package func silences(region: String? = nil, since: Int64? = nil) throws(HistoryError) -> [SilenceRecord] {
        // A history that only an earlier version has written has none.
        guard try hasSilences else { return [] }
        return try connection.rows(
            """
            SELECT time, region, length, left_for, quick, balanced, patient, signal_before, signal_after FROM silences
            WHERE (?1 IS NULL OR region = ?1) AND time >= ?2 ORDER BY time
            """, [SQLiteValue(region), .integer(since ?? .min)]
        ) { row in
            SilenceRecord(
                time: row.integer(0), region: row.text(1),
                silence: EndedSilence(
                    length: Self.duration(row.optionalReal(2)),
                    exitTimes: .init(
                        quick: Self.duration(row.optionalReal(4)), balanced: Self.duration(row.optionalReal(5)),
                        patient: Self.duration(row.optionalReal(6))),
                    leftFor: row.optionalReal(3).map { Self.duration($0) }, signalBefore: row.optionalReal(7),
                    signalAfter: row.optionalInteger(8).map { Int8(clamping: $0) }))
        }
    }

    /// The time in which silences were recorded; `nil` where no run has recorded any.
    package func silencesWatched() throws(HistoryError) -> WatchedTime? {
        let runs = try runs(until: nil).filter(\.hasSilences)
        return runs.isEmpty ? nil : WatchedTime(runs.map(\.time))
    }

    /// Returns a duration of at most a year: the file may be damaged.
    private static func duration(_ seconds: Double?) -> Duration { .seconds(min(max(seconds ?? 0, 0), 31_536_000)) }

    private var hasSilences: Bool {
        get throws(HistoryError) {
            try connection.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'silences'") { $0.integer(0) } == [1]
        }
    }
}
