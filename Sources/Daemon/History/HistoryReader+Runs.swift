import Events
import Plumbing

/// From a start of the daemon to its end.
struct Run {
    var id: Int64
    /// The part of it of which rows are kept.
    var time: Range<Int64>
    /// Before the beginning where the clock was set back meanwhile.
    var end: Int64
    /// The limit up to which older rows were removed; the earliest time where none were.
    var keptFrom: Int64
    var hasSilences: Bool
}

extension HistoryReader {
    /// Returns when the daemon ran, in the order of its starts. A run that was cut ended with its last sign of life.
    ///
    /// - Parameter now: the end of a last run without a recorded end; `nil`: its last sign of life. The reader does not
    ///   see whether that run goes on.
    func runs(until now: Int64?) throws(HistoryError) -> [Run] {
        let rows = try runRows()
        // The row that has the maximum (sqlite.org/lang_select.html#bareagg).
        let latest = try connection.rows("SELECT run, time, max(id) FROM events GROUP BY run") {
            ($0.integer(0), $0.integer(1))
        }
        let lastEvents = Dictionary(latest) { first, _ in first }
        // Before any later run began; a clock may have been set back between two.
        var laterBegan: Int64?
        var runs: [Run] = []
        for (index, row) in rows.enumerated().reversed() {
            let next = index + 1 < rows.count ? rows[index + 1].began : nil
            var sign = max(row.seen ?? .min, lastEvents[row.id] ?? row.began)
            if row.ended == nil, sign >= row.began, let minute = try lastMinute(before: laterBegan ?? .max) {
                sign = max(sign, minute.addingClamped(SignalMinute.length))
            }
            let end = row.ended ?? next.map { $0 < row.began ? sign : min(sign, $0) } ?? now ?? sign
            let keptFrom = row.keptFrom ?? .min
            let start = max(row.began, keptFrom)
            runs.append(
                Run(
                    id: row.id, time: start..<max(start, end), end: end, keptFrom: keptFrom,
                    hasSilences: row.hasSilences))
            laterBegan = min(laterBegan ?? row.began, row.began)
        }
        return runs.reversed()
    }

    private typealias RunRow = (
        id: Int64, began: Int64, ended: Int64?, seen: Int64?, keptFrom: Int64?, hasSilences: Bool
    )

    private func runRows() throws(HistoryError) -> [RunRow] {
        // A reader changes nothing, so that the tables may be those of an earlier version.
        let columns = try connection.rows("SELECT name FROM pragma_table_info('runs')") { $0.text(0) }
        func column(_ name: String) -> String { columns.contains(name) ? name : "NULL" }
        return try connection.rows(
            """
            SELECT id, began, ended, \(column("seen")), \(column("kept_from")), \(column("has_silences"))
            FROM runs ORDER BY id
            """
        ) { row in
            (
                id: row.integer(0), began: row.integer(1), ended: row.optionalInteger(2),
                seen: row.optionalInteger(3), keptFrom: row.optionalInteger(4),
                hasSilences: row.optionalInteger(5) ?? 0 != 0
            )
        }
    }

    /// Returns the times of the first run and the last event, in nanoseconds since the Unix epoch; `nil`: none.
    package func bounds() throws(HistoryError) -> ClosedRange<Int64>? {
        let keptFrom = Dictionary(try runRows().map { ($0.id, $0.keptFrom) }) { first, _ in first }
        let found = try connection.rows("SELECT run, min(time), max(time) FROM events GROUP BY run") { row in
            // A row that still holds may be much older than the others that are kept.
            let first = max(row.integer(1), (keptFrom[row.integer(0)] ?? nil) ?? .min)
            return (first: first, last: max(first, row.integer(2)))
        }
        guard let first = found.map(\.first).min(), let last = found.map(\.last).max() else { return nil }
        return first...last
    }

    private func lastMinute(before time: Int64) throws(HistoryError) -> Int64? {
        try connection.rows("SELECT max(time) FROM minutes WHERE time < ?1", [.integer(time)]) {
            $0.optionalInteger(0)
        }.first ?? nil
    }
}
