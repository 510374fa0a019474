import Glibc

/// Reads a history, also while the daemon writes it. Changes nothing. For one thread at a time.
package final class HistoryReader {
    let connection: SQLiteConnection

    package init(directory: String) throws(HistoryError) {
        let file = "\(directory)/\(HistoryStore.fileName)"
        guard access(file, R_OK) == 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            throw isMissing ? .missing(file: file) : .denied(file: file, reason: String(cString: strerror(errno)))
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
