import Glibc
import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriPlumbing
import RegionMonitoring

package final class HistoryStore {
    /// The failure that a commit must outlive. All of it outlives the process, however that ends.
    package enum Durability: Sendable {
        /// A power cut: each commit waits for the disk.
        case powerCut
        /// The process alone: after a power cut the last few seconds may be missing, and the rest is sound.
        case process
    }

    package static let fileName = StateDirectory.File.history.rawValue

    let connection: SQLiteConnection

    /// The row in `runs` that what is recorded belongs to: there once there is something.
    private(set) var run: Int64?

    /// The beginning of ``run`` by the clock of that time, and its last sign of life in the file.
    private var began, seen: Moment?

    var lastRemoval: Int64?

    /// Opens the history in `directory`, and makes it where it is missing.
    ///
    /// The whole file is read once: damage is to be found now, and not by a reader in a month.
    package convenience init(directory: String, durability: Durability) throws(HistoryError) {
        try self.init(directory: directory, durability: durability, pageLimit: nil)
    }

    /// - Parameter pageLimit: The maximum number of pages of the file: stands in for a disk that is full.
    package init(directory: String, durability: Durability, pageLimit: Int?) throws(HistoryError) {
        let file = "\(directory)/\(Self.fileName)"
        Self.restrictAccess(to: file)
        connection = try SQLiteConnection(file: file, mode: .readWrite)
        try connection.refuseDamage()
        // Before anything is changed: it may not be ours.
        let schema = Schema(connection: connection)
        try schema.refuseStrangers()
        // Readers and the writer do not wait for each other, and a commit is one write.
        _ = try connection.rows("PRAGMA journal_mode = WAL") { $0.text(0) }
        try connection.execute("PRAGMA synchronous = \(durability == .powerCut ? "FULL" : "NORMAL")")
        // In KiB. The default of 2 MB fills with pages that are not read again: what is recorded goes to the end.
        try connection.execute("PRAGMA cache_size = -256")
        // What was removed need not be overwritten: it is not a secret, and an SD card counts its writes.
        _ = try connection.rows("PRAGMA secure_delete = FAST") { $0.integer(0) }
        if let pageLimit { _ = try connection.rows("PRAGMA max_page_count = \(pageLimit)") { $0.integer(0) } }
        try schema.migrate()
    }

    /// Records all of this, or nothing of it.
    ///
    /// - Parameter sign: the present; by default the end of what is recorded.
    package func record(
        _ events: [HistoryEvent], _ minutes: [SignalMinute], _ silences: [SilenceRecord] = [],
        at sign: Moment? = nil
    ) throws(HistoryError) {
        let first = events.first?.time ?? minutes.first?.time ?? silences.first?.time
        let last = [events.last?.time, minutes.last?.time.addingClamped(SignalMinute.length), silences.last?.time]
        guard run != nil || first != nil, let sign = sign ?? last.compactMap(\.self).max().map(Moment.init(recorded:))
        else { return }
        var (run, began, seen) = (self.run, self.began ?? sign.moved(to: first ?? sign.wall), self.seen)
        try connection.transaction { () throws(HistoryError) in
            let owner = if let run { run } else { try begin(at: began.wall) }
            run = owner
            for event in events { try insert(event, run: owner) }
            for minute in minutes { try merge(minute) }
            for silence in silences { try insert(silence) }
            // Rows are signs of life as well, and each page that is written wears a card.
            if let seen, seen.suffices(at: sign) { return }
            seen = sign
            try connection.execute(
                "UPDATE runs SET began = ?1, seen = ?2 WHERE id = ?3",
                [.integer(began.corrected(at: sign).wall), .integer(sign.wall), .integer(owner)])
        }
        // Not before the commit: what was rolled back is not a row.
        (self.run, self.began, self.seen) = (run, began, seen)
    }

    /// The daemon comes to its end, in order.
    package func runEnded(at time: Int64) throws(HistoryError) {
        guard let run else { return }
        try connection.execute("UPDATE runs SET ended = ?1 WHERE id = ?2", [.integer(time), .integer(run)])
    }

    private func begin(at time: Int64) throws(HistoryError) -> Int64 {
        try connection.execute("INSERT INTO runs (began, has_silences) VALUES (?1, 1)", [.integer(time)])
        return connection.lastRow
    }

    private func insert(_ event: HistoryEvent, run: Int64) throws(HistoryError) {
        try connection.execute(
            "INSERT INTO events (run, time, name, region, json) VALUES (?1, ?2, ?3, ?4, ?5)",
            [.integer(run), .integer(event.time), .text(event.name), SQLiteValue(event.region), .text(event.json)])
    }

    private func insert(_ record: SilenceRecord) throws(HistoryError) {
        let (silence, times) = (record.silence, record.silence.exitTimes)
        try connection.execute(
            "INSERT INTO silences VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            [
                .integer(record.time), .text(record.region), .real(silence.length.seconds(digits: 3)),
                SQLiteValue(silence.leftFor?.seconds(digits: 3)), .real(times.quick.seconds(digits: 3)),
                .real(times.balanced.seconds(digits: 3)), .real(times.patient.seconds(digits: 3)),
                SQLiteValue(silence.signalBefore?.rounded(digits: 1)), SQLiteValue(silence.signalAfter.map(Int.init)),
            ])
    }

    /// A minute may come in two parts: when something happened in its midst.
    private func merge(_ minute: SignalMinute) throws(HistoryError) {
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
}

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
    /// Throws if a copy that no program writes is damaged, or is not a history that this version supports.
    package static func examine(_ file: String, unless isCancelled: @escaping () -> Bool) throws(HistoryError) {
        let connection = try SQLiteConnection(file: file, mode: .immutable)
        try connection.interruptible(by: isCancelled) { () throws(HistoryError) in try connection.refuseDamage() }
        let schema = Schema(connection: connection)
        guard try !schema.isEmpty else { throw .damaged(file: file, reason: "it has no table") }
        try schema.refuseStrangers()
    }
}

extension HistoryStore {
    /// Makes the file where it is missing, readable by its owner alone, and takes access by other users from one that is there.
    ///
    /// SQLite uses the process's umask, and the database's mode for files beside it. Failures show on opening.
    static func restrictAccess(to file: String) {
        // Never opened for its content where it exists: closing it would release SQLite's locks in this process
        // (sqlite.org/howtocorrupt.html). Closing an O_PATH descriptor releases none.
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        for name in [file, "\(file)-wal", "\(file)-shm"] {
            let number = open(name, FilePlace.searchOnly | O_NOFOLLOW | O_CLOEXEC)
            if number >= 0 { restrictAccess(to: OwnedDescriptor(owning: number)) }
        }
    }

    /// Changes the very file that was examined, whatever the name leads to meanwhile. A file with a second name is left alone:
    /// another user can link a file of root's into a directory of their own.
    private static func restrictAccess(to file: borrowing OwnedDescriptor) {
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1, status.st_mode & 0o007 != 0
        else { return }
        // fchmod refuses a descriptor that only searches.
        chmod("/proc/self/fd/\(file.number)", status.st_mode & 0o770)
    }
}

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

extension HistoryStore {
    /// Gives a damaged history another name, so that a new one can begin. The user can save it.
    ///
    /// - Parameter stamp: the present in a form that a file's name can bear.
    /// - Returns: its new name.
    package static func setAside(directory: String, stamp: String) throws(HistoryError) -> String {
        let file = "\(directory)/\(fileName)"
        let name = "\(file).damaged-\(stamp)"
        guard rename(file, name) == 0 else {
            throw .denied(file: file, reason: String(cString: strerror(errno)))
        }
        // The log holds what had not got into the file yet; under its old name it would be taken for the new file's.
        for suffix in ["-wal", "-shm"] where rename(file + suffix, name + suffix) != 0 && errno != ENOENT {
            throw .denied(file: file + suffix, reason: String(cString: strerror(errno)))
        }
        return name
    }
}
