import COkaeriSQLite
import Glibc

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
    ///
    /// Links in the path of the directory are followed, and a link in the place of the file is refused.
    init(file: String, mode: Mode) throws(HistoryError) {
        try RegularFiles.refuseOthers(at: file)
        let flags =
            switch mode {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly, .immutable: SQLITE_OPEN_READONLY
            }
        let name = "file:\(Self.escaped(Self.withoutLinks(file)))" + (mode == .immutable ? "?immutable=1" : "")
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(
            name, &connection,
            flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW,
            nil)
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

    /// Returns the path with the links of its directory resolved: SQLite refuses a link in any part.
    private static func withoutLinks(_ file: String) -> String {
        guard let end = file.lastIndex(of: "/"),
            let found = realpath(end == file.startIndex ? "/" : String(file[..<end]), nil)
        else { return file }
        defer { free(found) }
        return String(cString: found) + file[end...]
    }

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

struct SQLiteStatement: ~Copyable {
    private let statement: OpaquePointer
    private let connection: OpaquePointer

    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw SQLiteError(last: connection, code: code) }
        self.statement = statement
        self.connection = connection
    }

    deinit { sqlite3_finalize(statement) }

    /// Binds the values to the parameters `?1`, `?2`, …
    borrowing func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        for (index, value) in zip((1 as Int32)..., values) {
            let code =
                switch value {
                case .null: sqlite3_bind_null(statement, index)
                case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
                case .real(let real): sqlite3_bind_double(statement, index, real)
                case .text(let text): okaeri_sqlite3_bind_text(statement, index, text, Int32(text.utf8.count))
                }
            guard code == SQLITE_OK else { throw SQLiteError(last: connection, code: code) }
        }
    }

    /// Goes on to the next row. Returns false when there is none.
    borrowing func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLiteError(last: connection, code: code)
        }
    }
}

// MARK: The row that ``step()`` went to; columns count from 0

extension SQLiteStatement {
    package borrowing func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    borrowing func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    borrowing func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

    borrowing func optionalReal(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(statement, column)
    }

    package borrowing func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    /// The text, with what is not UTF-8 in it replaced: the file may be damaged.
    borrowing func optionalText(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Calls `body` with the bytes of a text; without any for NULL.
    borrowing func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = sqlite3_column_text(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }

    private borrowing func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}

extension SQLiteError {
    /// The error that a call on `connection` has just answered with.
    init(last connection: OpaquePointer, code: Int32) {
        let extended = sqlite3_extended_errcode(connection)
        self.init(
            code: extended & 0xFF == code & 0xFF ? extended : code, message: String(cString: sqlite3_errmsg(connection))
        )
    }
}

struct SQLiteError: Error, Hashable, CustomStringConvertible {
    /// The extended result code (sqlite.org/rescode.html).
    var code: Int32

    /// SQLite's own message.
    var message: String

    var description: String { "\(message) (SQLite result \(code))" }

    /// The low byte is the kind of failure, the rest its place.
    private var primary: Int32 { code & 0xFF }

    /// Whether the file's content makes no sense, by accident or because it never was a database.
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primary) }

    /// Whether the file could not be opened, or not in the way that was asked for.
    var isAboutAccess: Bool { [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH].contains(primary) }

    var isAboutRoom: Bool { primary == SQLITE_FULL }

    /// Whether another program keeps the database locked.
    var isAboutLocks: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(primary) }
}

/// The value of a column, or of a bound parameter.
enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    init(_ value: Int64?) { self = value.map(Self.integer) ?? .null }
    init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
    init(_ value: Double?) { self = value.map(Self.real) ?? .null }
    init(_ value: String?) { self = value.map(Self.text) ?? .null }
}
