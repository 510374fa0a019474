extension HistoryReader {
    /// Writes a consistent copy to a new file, also while the daemon writes the history.
    package func copy(to file: String) throws(HistoryError) {
        try connection.execute("VACUUM INTO ?1", [.text(file)])
    }
}

extension HistoryStore {
    /// Throws if a copy that no program writes is damaged, or is no history that this version supports.
    package static func examine(_ file: String) throws(HistoryError) {
        let connection = try SQLiteConnection(file: file, mode: .immutable)
        try connection.refuseDamage()
        let schema = Schema(connection: connection)
        guard try !schema.isEmpty else { throw .damaged(file: file, reason: "it has no table") }
        try schema.refuseStrangers()
    }
}
