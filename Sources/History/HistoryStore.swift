package import Events

/// The one that writes a history. For one thread at a time.
package final class HistoryStore {
    /// What a commit must outlive. All of it outlives the process, however that ends.
    package enum Durability: Sendable {
        /// A power cut: each commit waits for the disk.
        case powerCut
        /// The process alone: after a power cut the last few seconds may be missing, and the rest is sound.
        case process
    }

    /// The database's name in the state directory.
    package static let fileName = "history.sqlite"

    private let file: String
    private let connection: SQLiteConnection

    /// The row in `runs` that what is recorded belongs to: there once there is something.
    private var run: Int64?

    /// When old rows were last removed.
    private var lastRemoval: Int64?

    /// Opens the history in `directory`, and makes it where it is missing.
    ///
    /// The whole file is read once: damage is to be found now, and not by whoever wants to read it in a month.
    package convenience init(directory: String, durability: Durability) throws(HistoryError) {
        try self.init(directory: directory, durability: durability, pageLimit: nil)
    }

    /// - Parameter pageLimit: how many pages the file may have: stands in for a disk that is full.
    package init(directory: String, durability: Durability, pageLimit: Int?) throws(HistoryError) {
        file = "\(directory)/\(Self.fileName)"
        do throws(SQLiteError) {
            connection = try SQLiteConnection(file: file, mode: .readWrite)
            var complaints = try connection.rows("PRAGMA quick_check(1)") { $0.text(0) }
            complaints.removeAll { $0 == "ok" }
            if let complaint = complaints.first { throw SQLiteError.damage(complaint) }
        } catch {
            throw HistoryError(error, file: "\(directory)/\(Self.fileName)")
        }
        // Before anything is changed: it may not be ours.
        let schema = Schema(connection: connection, file: file)
        try schema.refuseStrangers()
        try ask { () throws(SQLiteError) in
            // Readers and the writer do not wait for each other, and a commit is one write.
            _ = try connection.rows("PRAGMA journal_mode = WAL") { $0.text(0) }
            try connection.execute("PRAGMA synchronous = \(durability == .powerCut ? "FULL" : "NORMAL")")
            // What was removed need not be overwritten: it is no secret, and an SD card counts its writes.
            _ = try connection.rows("PRAGMA secure_delete = FAST") { $0.integer(0) }
            if let pageLimit { _ = try connection.rows("PRAGMA max_page_count = \(pageLimit)") { $0.integer(0) } }
        }
        try schema.migrate()
    }

    /// Records all of this, or nothing of it.
    package func record(
        _ events: [HistoryEvent], _ minutes: [SignalMinute], _ silences: [SilenceRecord] = []
    ) throws(HistoryError) {
        guard let first = events.first?.time ?? minutes.first?.time ?? silences.first?.time else { return }
        var run = self.run
        try ask { () throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                let owner = if let run { run } else { try begin(at: first) }
                run = owner
                for event in events { try insert(event, run: owner) }
                for minute in minutes { try merge(minute) }
                for silence in silences { try insert(silence) }
            }
        }
        // Not before the commit: what was rolled back is no row.
        self.run = run
    }

    /// The daemon comes to its end, in order.
    package func runEnded(at time: Int64) throws(HistoryError) {
        guard let run else { return }
        try ask { () throws(SQLiteError) in
            try connection.execute("UPDATE runs SET ended = ?1 WHERE id = ?2", [.integer(time), .integer(run)])
        }
    }

    /// The most that ``removeOld(keeping:at:)`` removes at once, in nanoseconds.
    private static let removalStep: Int64 = 7 * day
    private static let day: Int64 = 86_400_000_000_000

    /// Removes what is older than `days`, once a day.
    ///
    /// A clock may be wrong for a while: after a leap a day is to pass on it before it is believed, and at most the oldest
    /// week goes at once, so that a year's leap does not cost a year.
    package func removeOld(keeping days: Int, at now: Int64) throws(HistoryError) {
        let passed = lastRemoval.map { now.subtractingReportingOverflow($0) }
        if let passed, !passed.overflow, 0..<Self.day ~= passed.partialValue { return }
        lastRemoval = now
        if let passed, passed.overflow || !(0..<2 * Self.day ~= passed.partialValue) { return }
        let age = Int64(days).multipliedReportingOverflow(by: Self.day)
        guard !age.overflow, case let limit = now.subtractingReportingOverflow(age.partialValue), !limit.overflow else {
            return
        }
        try ask { () throws(SQLiteError) in
            let oldest = try connection.rows(
                "SELECT min(time) FROM (SELECT min(time) AS time FROM events UNION SELECT min(time) FROM minutes)"
            ) { $0.optionalInteger(0) }
            guard let oldest = oldest.first ?? nil, oldest < limit.partialValue else { return }
            let end = min(limit.partialValue, oldest.addingReportingOverflow(Self.removalStep).partialValue)
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute("DELETE FROM events WHERE time < ?1", [.integer(end)])
                try connection.execute("DELETE FROM minutes WHERE time < ?1", [.integer(end)])
                try connection.execute("DELETE FROM silences WHERE time < ?1", [.integer(end)])
                try connection.execute(
                    "DELETE FROM runs WHERE id < coalesce((SELECT run FROM events ORDER BY id LIMIT 1), ?1)",
                    [.integer(run ?? 0)])
            }
        }
    }

    private func begin(at time: Int64) throws(SQLiteError) -> Int64 {
        try connection.execute("INSERT INTO runs (began, has_silences) VALUES (?1, 1)", [.integer(time)])
        return connection.lastRow
    }

    private func insert(_ event: HistoryEvent, run: Int64) throws(SQLiteError) {
        try connection.execute(
            "INSERT INTO events (run, time, name, region, json) VALUES (?1, ?2, ?3, ?4, ?5)",
            [.integer(run), .integer(event.time), .text(event.name), SQLiteValue(event.region), .text(event.json)])
    }

    private func insert(_ silence: SilenceRecord) throws(SQLiteError) {
        try connection.execute(
            "INSERT INTO silences VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            [
                .integer(silence.time), .text(silence.region), .real(silence.length), SQLiteValue(silence.leftFor),
                .real(silence.quick), .real(silence.balanced), .real(silence.patient),
                SQLiteValue(silence.signalBefore), SQLiteValue(silence.signalAfter),
            ])
    }

    /// A minute may come in two parts: when something happened in its midst.
    private func merge(_ minute: SignalMinute) throws(SQLiteError) {
        let signal = minute.signal
        try connection.execute(
            """
            INSERT INTO minutes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT DO UPDATE SET
                heard = heard + excluded.heard,
                measured = measured + excluded.measured,
                mean = (coalesce(mean * measured, 0) + coalesce(excluded.mean * excluded.measured, 0))
                    / nullif(measured + excluded.measured, 0),
                accuracy = coalesce(
                    (accuracy * measured + excluded.accuracy * excluded.measured)
                        / nullif(measured + excluded.measured, 0), accuracy, excluded.accuracy),
                lowest = min(coalesce(lowest, excluded.lowest), coalesce(excluded.lowest, lowest)),
                highest = max(coalesce(highest, excluded.highest), coalesce(excluded.highest, highest))
            """,
            [
                .integer(minute.time), .text(minute.region), .integer(Int64(minute.heard)),
                .integer(Int64(signal?.count ?? 0)), SQLiteValue(signal?.mean), SQLiteValue(signal?.lowest),
                SQLiteValue(signal?.highest), SQLiteValue(signal.flatMap { $0.accuracy < 0 ? nil : $0.accuracy }),
            ])
    }

    private func ask(_ question: () throws(SQLiteError) -> Void) throws(HistoryError) {
        do throws(SQLiteError) {
            try question()
        } catch {
            throw HistoryError(error, file: file)
        }
    }
}
