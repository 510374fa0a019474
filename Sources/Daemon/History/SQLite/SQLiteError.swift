import CSQLite

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
