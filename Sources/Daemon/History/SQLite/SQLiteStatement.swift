import CSQLite

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

    borrowing func optionalReal(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(statement, column)
    }

    package borrowing func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    /// The text, with what is no UTF-8 in it replaced: the file may be damaged.
    borrowing func optionalText(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
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
