import Glibc
package import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring

/// Reads a history, also while the daemon writes it. Changes nothing. For one thread at a time.
package final class HistoryReader {
    let connection: SQLiteConnection

    package init(directory: String) throws(HistoryError) {
        let file = "\(directory)/\(HistoryStore.fileName)"
        guard access(file, R_OK) == 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .missing(file: file)
            case EACCES: throw .notPermitted(file: file)
            default: throw .denied(file: file, reason: String(cString: strerror(errno)))
            }
        }
        connection = try Self.open(file)
        let schema = Schema(connection: connection)
        guard try !schema.isEmpty else { throw .missing(file: file) }
        try schema.refuseStrangers()
    }

    /// Without the permission to leave a lock beside the file it reads without one, if no process can be writing.
    private static func open(_ file: String) throws(HistoryError) -> SQLiteConnection {
        do throws(HistoryError) {
            return try probed(SQLiteConnection(file: file, mode: .readOnly))
        } catch {
            guard case .denied = error, access("\(file)-wal", F_OK) != 0 else { throw error }
            return try probed(SQLiteConnection(file: file, mode: .immutable))
        }
    }

    private static func probed(_ connection: SQLiteConnection) throws(HistoryError) -> SQLiteConnection {
        _ = try connection.rows("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
        return connection
    }

    /// Hands out events in the order they happened, until `body` answers false.
    package func forEachEvent(
        region: String? = nil, since: Int64? = nil, _ body: (HistoryEvent) -> Bool
    ) throws(HistoryError) {
        try forEachRow(region, (since ?? .min)...Int64.max, after: 0) { body($1) }
    }

    /// Returns events in the order they happened, and the row to go on after; `nil` where there are no more.
    ///
    /// - Parameters:
    ///   - span: none before it, and none at its end or later.
    ///   - row: none up to this row.
    package func events(
        region: String?, in span: Range<Int64>, after row: Int64, limit: Int
    ) throws(HistoryError) -> (events: [HistoryEvent], next: Int64?) {
        var (events, last, isMore): ([HistoryEvent], Int64, Bool) = ([], row, false)
        guard !span.isEmpty else { return (events, nil) }
        try forEachRow(region, span.lowerBound...(span.upperBound - 1), after: row) { row, event in
            isMore = events.count == limit
            if isMore { return false }
            events.append(event)
            last = row
            return true
        }
        return (events, isMore ? last : nil)
    }

    /// Returns the identifiers of the regions that have events, in order: a bounded number, for a message.
    package func regions() throws(HistoryError) -> [String] {
        try connection.rows("SELECT DISTINCT region FROM events WHERE region IS NOT NULL ORDER BY region LIMIT 1000") {
            $0.text(0)
        }
    }

    private func forEachRow(
        _ region: String?, _ span: ClosedRange<Int64>, after row: Int64, _ body: (Int64, HistoryEvent) -> Bool
    ) throws(HistoryError) {
        try connection.query(
            """
            SELECT id, time, name, region, json FROM events
            WHERE (?1 IS NULL OR region = ?1) AND time BETWEEN ?2 AND ?3 AND id > ?4 ORDER BY id
            """, [SQLiteValue(region), .integer(span.lowerBound), .integer(span.upperBound), .integer(row)]
        ) { row in
            body(
                row.integer(0),
                HistoryEvent(
                    time: row.integer(1), name: row.text(2), region: row.optionalText(3), json: row.text(4)))
        }
    }
}

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
        let lastEvents = try lastEvents()
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

    /// Returns the times of the last events of the runs, at least of those without a recorded end.
    private func lastEvents() throws(HistoryError) -> [Int64: Int64] {
        let last =
            try hasStates
            ? """
            SELECT id, time FROM
                (SELECT id, (SELECT time FROM events WHERE run = runs.id ORDER BY id DESC LIMIT 1) AS time
                FROM runs WHERE ended IS NULL) WHERE time IS NOT NULL
            """
            // Without the index of a later version all events are read, once: the row that has the maximum
            // (sqlite.org/lang_select.html#bareagg).
            : "SELECT run, time, max(id) FROM events GROUP BY run"
        return Dictionary(try connection.rows(last) { ($0.integer(0), $0.integer(1)) }) { first, _ in first }
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
        var first: Int64?
        // A row that still holds may be much older than the others that are kept: few are read.
        try connection.query("SELECT time, run FROM events INDEXED BY events_by_time ORDER BY time") { row in
            let time = row.integer(0)
            if let first, time >= first { return false }
            first = min(first ?? .max, max(time, (keptFrom[row.integer(1)] ?? nil) ?? .min))
            return true
        }
        let latest = try connection.rows("SELECT max(time) FROM events") { $0.integer(0) }
        guard let first, var last = latest.first else { return nil }
        for (run, keptFrom) in keptFrom {
            guard let keptFrom, keptFrom > last else { continue }
            let isKept = try connection.rows("SELECT 1 FROM events WHERE run = ?1 LIMIT 1", [.integer(run)]) { _ in true
            }
            if !isKept.isEmpty { last = keptFrom }
        }
        return first...max(first, last)
    }

    /// Returns the regions of which a state is kept, each with the times of the first one and of the last one's end, by name.
    ///
    /// - Parameters:
    ///   - now: The end of a run that has not ended.
    ///   - configured: The regions to leave out.
    package func formerRegions(
        now: Int64, configured: Set<String>
    ) throws(HistoryError) -> [(region: String, time: ClosedRange<Int64>)] {
        try provideStates()
        let ends = Dictionary(try runs(until: now).map { ($0.id, $0.end) }) { first, _ in first }
        var former: [(region: String, time: ClosedRange<Int64>)] = []
        for region in try regionsWithStates(except: configured) {
            let times = try connection.rows(
                "SELECT min(time), max(time) FROM states WHERE region = ?1", [.text(region)]
            ) { ($0.integer(0), $0.integer(1)) }
            // The row that has the maximum (sqlite.org/lang_select.html#bareagg).
            let latest = try connection.rows(
                "SELECT run, value, max(event) FROM states WHERE region = ?1", [.text(region)]
            ) { $0.text(1) == "unknown" ? nil : $0.integer(0) }
            guard let (first, last) = times.first else { continue }
            // A state counts until the end of its run.
            let end = (latest.first ?? nil).flatMap { ends[$0] } ?? .min
            former.append((region, first...max(first, last, end)))
        }
        return former
    }

    /// Returns the regions of which a state is kept, by name: a bounded number. Each is found with one look at the index.
    private func regionsWithStates(except configured: Set<String>) throws(HistoryError) -> [String] {
        var regions: [String] = []
        try connection.query(
            """
            WITH RECURSIVE names (region) AS (
                SELECT min(region) FROM states
                UNION ALL
                SELECT (SELECT min(region) FROM states WHERE region > names.region) FROM names WHERE region IS NOT NULL)
            SELECT region FROM names WHERE region IS NOT NULL
            """
        ) { row in
            if case let region = row.text(0), !configured.contains(region) { regions.append(region) }
            return regions.count < DayRecord.regionLimit
        }
        return regions
    }

    /// Makes the table `states` for this connection alone where an earlier version has written the file.
    func provideStates() throws(HistoryError) {
        guard try !hasStates, try !isThere("states", in: "sqlite_temp_schema") else { return }
        try connection.execute("CREATE TEMP TABLE states AS \(StatesOfEvents.all)")
        try connection.execute("CREATE INDEX temp.states_by_region ON states (region, time)")
    }

    /// Whether the file has the table `states`, and the indexes that came with it.
    private var hasStates: Bool { get throws(HistoryError) { try isThere("states") } }

    private func lastMinute(before time: Int64) throws(HistoryError) -> Int64? {
        try connection.rows("SELECT max(time) FROM minutes WHERE time < ?1", [.integer(time)]) {
            $0.optionalInteger(0)
        }.first ?? nil
    }
}

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

    private var hasSilences: Bool { get throws(HistoryError) { try isThere("silences") } }

    private func isThere(_ table: String, in schema: String = "sqlite_schema") throws(HistoryError) -> Bool {
        try connection.rows("SELECT count(*) FROM \(schema) WHERE name = ?1", [.text(table)]) { $0.integer(0) } == [1]
    }
}

/// Ranges of the wall clock that are taken. A clock that is set back goes through the same hours twice.
struct Coverage {
    /// Disjoint, the last first: what is added comes from the end as a rule.
    private var ranges: [Range<Int64>] = []

    /// Adds a stretch. Returns the parts of it that were not covered, the last first.
    mutating func add(_ range: Range<Int64>) -> [Range<Int64>] {
        guard !range.isEmpty else { return [] }
        let first = ranges.partition { $0.lowerBound < range.upperBound }
        let last = ranges[first...].partition { $0.upperBound <= range.lowerBound }
        var parts: [Range<Int64>] = []
        var reached = range.upperBound
        for covered in ranges[first..<last] {
            if covered.upperBound < reached { parts.append(covered.upperBound..<reached) }
            reached = covered.lowerBound
        }
        if range.lowerBound < reached { parts.append(range.lowerBound..<reached) }
        let lower = min(range.lowerBound, ranges[first..<last].last?.lowerBound ?? range.lowerBound)
        let upper = max(range.upperBound, ranges[first..<last].first?.upperBound ?? range.upperBound)
        ranges.replaceSubrange(first..<last, with: [lower..<upper])
        return parts
    }
}

extension RandomAccessCollection {
    /// Returns the first index at which `isBehind` is true; it is false for all elements before.
    fileprivate func partition(_ isBehind: (Element) -> Bool) -> Index {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
            if isBehind(self[middle]) { high = middle } else { low = index(after: middle) }
        }
        return low
    }
}

/// The time in which the daemon ran, run by run. An hour that the wall's clock shows twice was watched twice.
package struct WatchedTime: Sendable {
    /// In the order of the runs, in nanoseconds since the Unix epoch.
    private var runs: [Range<Int64>]

    package init(_ runs: [Range<Int64>] = []) {
        self.runs = runs
    }

    /// The earliest moment; `nil` where no run is known.
    package var start: Int64? { runs.map(\.lowerBound).min() }

    package mutating func add(_ run: Range<Int64>) { runs.append(run) }

    package func nanoseconds(in stretch: Range<Int64>) -> Int64 {
        runs.reduce(0) { sum, run in
            let part = run.clamped(to: stretch)
            let length = part.upperBound.subtractingReportingOverflow(part.lowerBound)
            return sum.addingClamped(length.overflow ? .max : length.partialValue)
        }
    }
}
