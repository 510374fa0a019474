extension HistoryReader {
    /// Writes a consistent copy to a new file, also while the daemon writes the history.
    ///
    /// - Parameter isCancelled: Called again and again; the copy fails if the result is `true`, and the caller removes its file.
    package func copy(to file: String, unless isCancelled: @escaping () -> Bool) throws(HistoryError) {
        try connection.interruptible(by: isCancelled) { () throws(HistoryError) in
            try connection.execute("VACUUM INTO ?1", [.text(file)])
        }
    }
}

extension HistoryStore {
    /// Throws if a copy that no program writes is damaged, or is no history that this version supports.
    package static func examine(_ file: String, unless isCancelled: @escaping () -> Bool) throws(HistoryError) {
        let connection = try SQLiteConnection(file: file, mode: .immutable)
        try connection.interruptible(by: isCancelled) { () throws(HistoryError) in try connection.refuseDamage() }
        let schema = Schema(connection: connection)
        guard try !schema.isEmpty else { throw .damaged(file: file, reason: "it has no table") }
        try schema.refuseStrangers()
    }
}
