package import Events
import OkaeriConfiguration
package import Plumbing
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
        // What was removed need not be overwritten: it is no secret, and an SD card counts its writes.
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
        // Not before the commit: what was rolled back is no row.
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
