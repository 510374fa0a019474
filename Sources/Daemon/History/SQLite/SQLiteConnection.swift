import CSQLite

/// One connection to a database file, for one thread at a time. Closed with its owner.
final class SQLiteConnection {
    enum Mode {
        /// Write, and make the file where it is missing.
        case readWrite
        /// Read, beside a program that writes.
        case readOnly
        /// Read a file without a writer, in a place where not even a lock can be put.
        case immutable
    }

    let file: String
    private let connection: OpaquePointer

    /// The time to wait for another program's lock, in milliseconds.
    private static let busyTimeout: Int32 = 2000

    /// Opens the database in `file`. Whether it is one shows with the first statement.
    init(file: String, mode: Mode) throws(HistoryError) {
        let flags =
            switch mode {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly, .immutable: SQLITE_OPEN_READONLY
            }
        let name = "file:\(Self.escaped(file))" + (mode == .immutable ? "?immutable=1" : "")
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(
            name, &connection, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let connection else {
            throw HistoryError(SQLiteError(code: SQLITE_NOMEM, message: "out of memory"), file: file)
        }
        guard code == SQLITE_OK else {
            let error = SQLiteError(last: connection, code: code)
            sqlite3_close_v2(connection)
            throw HistoryError(error, file: file)
        }
        self.file = file
        self.connection = connection
        sqlite3_busy_timeout(connection, Self.busyTimeout)
    }

    deinit { sqlite3_close_v2(connection) }

    /// A file's name for a URI: `?`, `#` and `%` mean something there.
    private static func escaped(_ file: String) -> String {
        file.map { ["%": "%25", "?": "%3f", "#": "%23"][$0] ?? String($0) }.joined()
    }

    /// Runs a statement that answers nothing.
    func execute(_ sql: String, _ values: [SQLiteValue] = []) throws(HistoryError) {
        try query(sql, values) { _ in true }
    }

    /// Runs a query and hands out its rows until `body` answers false.
    func query(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (borrowing SQLiteStatement) -> Bool
    ) throws(HistoryError) {
        do throws(SQLiteError) {
            let statement = try SQLiteStatement(sql, on: connection)
            try statement.bind(values)
            while try statement.step(), body(statement) {}
        } catch {
            throw HistoryError(error, file: file)
        }
    }

    func rows<Row>(
        _ sql: String, _ values: [SQLiteValue] = [], _ read: (borrowing SQLiteStatement) -> Row
    ) throws(HistoryError) -> [Row] {
        var rows: [Row] = []
        try query(sql, values) { row in
            rows.append(read(row))
            return true
        }
        return rows
    }

    /// Reads the whole file, and throws if it is damaged.
    func refuseDamage() throws(HistoryError) {
        let complaints = try rows("PRAGMA quick_check(1)") { $0.text(0) }
        if let complaint = complaints.first(where: { $0 != "ok" }) { throw .damaged(file: file, reason: complaint) }
    }

    private final class Check {
        let isCancelled: () -> Bool

        init(_ isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }
    }

    /// The number of instructions of SQLite between two checks.
    private static let checkInterval: Int32 = 1000

    /// Runs statements, which fail soon after `isCancelled` returns `true`.
    func interruptible(
        by isCancelled: @escaping () -> Bool, _ body: () throws(HistoryError) -> Void
    ) throws(HistoryError) {
        let check = Unmanaged.passRetained(Check(isCancelled))
        sqlite3_progress_handler(
            connection, Self.checkInterval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Check>.fromOpaque(context).takeUnretainedValue().isCancelled() ? 1 : 0
            }, check.toOpaque())
        defer {
            sqlite3_progress_handler(connection, 0, nil, nil)
            check.release()
        }
        try body()
    }

    var lastRow: Int64 { sqlite3_last_insert_rowid(connection) }

    /// All of `body`'s statements or none of them.
    func transaction(_ body: () throws(HistoryError) -> Void) throws(HistoryError) {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            // Some failures have rolled back by themselves; then this one has nothing to do and fails.
            try? execute("ROLLBACK")
            throw error
        }
    }
}
