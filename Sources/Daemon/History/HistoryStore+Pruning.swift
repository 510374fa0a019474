import Plumbing

extension HistoryStore {
    /// The most that ``removeOld(keeping:at:)`` removes at once, in nanoseconds.
    private static let removalStep: Int64 = 7 * day
    private static let day: Int64 = 86_400_000_000_000

    /// Removes what is older than `days`, once a day, except for the last state of each region and of Bluetooth.
    ///
    /// A clock may be wrong for a while: after a leap the store waits for a day on it, and then removes at most the oldest
    /// week at once, so that a leap of a year does not remove a year.
    package func removeOld(keeping days: Int, at now: Int64) throws(HistoryError) {
        let passed = lastRemoval.map { now.subtractingReportingOverflow($0) }
        if let passed, !passed.overflow, 0..<Self.day ~= passed.partialValue { return }
        lastRemoval = now
        if let passed, passed.overflow || !(0..<2 * Self.day ~= passed.partialValue) { return }
        let age = Int64(days).multipliedReportingOverflow(by: Self.day)
        guard !age.overflow, case let limit = now.subtractingReportingOverflow(age.partialValue), !limit.overflow else {
            return
        }
        try connection.transaction { () throws(HistoryError) in try remove(before: limit.partialValue) }
    }

    private func remove(before limit: Int64) throws(HistoryError) {
        let oldest = try connection.rows(
            """
            SELECT min(time) FROM (
                SELECT min(time) AS time FROM events WHERE time < ?1 AND id NOT IN (\(Self.holding))
                UNION ALL SELECT min(time) FROM minutes UNION ALL SELECT min(time) FROM silences)
            """, [.integer(limit), SQLiteValue(run)]
        ) { $0.optionalInteger(0) }
        guard let oldest = oldest.first ?? nil, oldest < limit else { return }
        let end = min(limit, oldest.addingClamped(Self.removalStep))
        try connection.execute(
            "DELETE FROM events WHERE time < ?3 AND id NOT IN (\(Self.holding))",
            [.integer(limit), SQLiteValue(run), .integer(end)])
        try connection.execute("DELETE FROM minutes WHERE time < ?1", [.integer(end)])
        try connection.execute("DELETE FROM silences WHERE time < ?1", [.integer(end)])
        try connection.execute("UPDATE runs SET kept_from = ?1 WHERE began < ?1", [.integer(end)])
        try connection.execute(
            "DELETE FROM runs WHERE id IS NOT ?1 AND id NOT IN (SELECT run FROM events)", [SQLiteValue(run)])
    }

    /// The rows before a time that still hold then: the last ones of each run that went on. A run without a recorded end ended
    /// with its last sign of life; in a history of an earlier version, before the next run.
    private static let holding = """
        SELECT max(id) FROM events
        WHERE time < ?1 AND name IN ('didDetermineState', 'bluetoothStateDidUpdate') AND run IN (
            SELECT id FROM runs WHERE id IS ?2 OR coalesce(ended, seen) >= ?1
                OR coalesce(ended, seen) IS NULL
                    AND NOT EXISTS (SELECT 1 FROM runs AS later WHERE later.id > runs.id AND later.began <= ?1))
        GROUP BY run, name, region
        """
}
