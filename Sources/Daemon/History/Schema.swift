/// Makes a file's tables what this version expects, or finds that it must not.
struct Schema {
    /// "Okae", big endian: marks our database (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID: Int64 = 0x4F6B_6165

    let connection: SQLiteConnection

    /// Refuses another program's file, and a newer okaeri's, without changing anything.
    func refuseStrangers(_ migrations: [Migration] = Migration.all) throws(HistoryError) {
        guard try !isEmpty else { return }
        guard try number("PRAGMA application_id") == Self.applicationID else { throw .foreign(file: connection.file) }
        if let unknown = try applied.first(where: { name in !migrations.contains { $0.name == name } }) {
            throw .newer(file: connection.file, migration: unknown)
        }
    }

    /// Applies the migrations that the file has not seen: all or none.
    func migrate(_ migrations: [Migration] = Migration.all) throws(HistoryError) {
        let applied = try self.applied
        let missing = migrations.filter { !applied.contains($0.name) }
        guard !missing.isEmpty else { return }
        try connection.transaction { () throws(HistoryError) in
            try connection.execute("PRAGMA application_id = \(Self.applicationID)")
            try connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) STRICT")
            for migration in missing {
                for statement in migration.statements { try connection.execute(statement) }
                try connection.execute("INSERT INTO migrations VALUES (?1)", [.text(migration.name)])
            }
        }
    }

    /// Whether there is no table yet.
    var isEmpty: Bool {
        get throws(HistoryError) { try number("SELECT count(*) FROM sqlite_schema") == 0 }
    }

    private var applied: [String] {
        get throws(HistoryError) {
            guard try number("SELECT count(*) FROM sqlite_schema WHERE name = 'migrations'") == 1 else { return [] }
            return try connection.rows("SELECT name FROM migrations ORDER BY rowid") { $0.text(0) }
        }
    }

    private func number(_ sql: String) throws(HistoryError) -> Int64 {
        try connection.rows(sql) { $0.integer(0) }.first ?? 0
    }
}
