import Glibc

/// Reads a history, whether somebody writes it or not. Changes nothing. For one thread at a time.
package final class HistoryReader {
    let connection: SQLiteConnection
    private let file: String

    /// Opens the history in `directory`.
    package init(directory: String) throws(HistoryError) {
        file = "\(directory)/\(HistoryStore.fileName)"
        guard access(file, R_OK) == 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            throw isMissing ? .missing(file: file) : .denied(file: file, reason: String(cString: strerror(errno)))
        }
        do throws(SQLiteError) {
            connection = try Self.open(file)
        } catch {
            throw HistoryError(error, file: "\(directory)/\(HistoryStore.fileName)")
        }
        let schema = Schema(connection: connection, file: file)
        guard try !schema.isEmpty else { throw .missing(file: file) }
        try schema.refuseStrangers()
    }

    /// A reader, too, leaves a lock beside the file. Where it may not, it reads without, if nobody can be writing.
    private static func open(_ file: String) throws(SQLiteError) -> SQLiteConnection {
        do throws(SQLiteError) {
            return try probed(SQLiteConnection(file: file, mode: .readOnly))
        } catch {
            guard error.isAboutAccess, access("\(file)-wal", F_OK) != 0 else { throw error }
            return try probed(SQLiteConnection(file: file, mode: .immutable))
        }
    }

    private static func probed(_ connection: SQLiteConnection) throws(SQLiteError) -> SQLiteConnection {
        _ = try connection.rows("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
        return connection
    }

    /// Hands out events in the order they happened, until `body` answers false.
    ///
    /// - Parameters:
    ///   - region: only this region's.
    ///   - since: none before this time; nil: from the beginning.
    ///   - until: none at or after this time; nil: to the end.
    package func forEachEvent(
        region: String? = nil, since: Int64? = nil, until: Int64? = nil, _ body: (HistoryEvent) -> Bool
    ) throws(HistoryError) {
        try ask { connection throws(SQLiteError) in
            try connection.query(
                """
                SELECT time, name, region, json FROM events
                WHERE (?1 IS NULL OR region = ?1) AND time >= ?2 AND time < ?3 ORDER BY id
                """, [SQLiteValue(region), .integer(since ?? .min), .integer(until ?? .max)]
            ) { row in
                body(
                    HistoryEvent(
                        time: row.integer(0), name: row.text(1), region: row.optionalText(2), json: row.text(3)))
            }
        }
    }

    func ask<Answer>(
        _ question: (SQLiteConnection) throws(SQLiteError) -> Answer
    ) throws(HistoryError) -> Answer {
        do throws(SQLiteError) {
            return try question(connection)
        } catch {
            throw HistoryError(error, file: file)
        }
    }
}
