import Foundation
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory

/// Histories that earlier versions have written: an upgrade keeps every row.
@Suite struct EarlierHistoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The columns of the first version, which all have.
    private static let tables = [
        "runs": ["id", "began", "ended"], "events": ["id", "run", "time", "name", "region", "json"],
        "minutes": ["time", "region", "heard", "measured", "mean", "lowest", "highest", "accuracy"],
    ]

    /// All rows of all tables.
    private func rows() throws -> [String: [String]] {
        let connection = try SQLiteConnection(file: folder.history, mode: .readOnly)
        return try Dictionary(
            uniqueKeysWithValues: Self.tables.map { table, columns in
                let row = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
                return (table, try connection.rows("SELECT \(row) FROM \(table) ORDER BY 1") { $0.text(0) })
            })
    }

    private var migrations: [String] {
        get throws {
            try SQLiteConnection(file: folder.history, mode: .readOnly)
                .rows("SELECT name FROM migrations ORDER BY rowid") { $0.text(0) }
        }
    }

    @Test(arguments: PersistedFixture.all)
    func `it is read as it is, and printed like one of today`(_ fixture: PersistedFixture) throws {
        try fixture.copy(HistoryStore.fileName, to: folder)
        let before = try Data(contentsOf: URL(filePath: folder.history))
        let events = try folder.events()
        #expect(events.count > 30)
        for event in events {
            #expect(throws: Never.self) { try JSONDecoder().decode(Event.self, from: Data(event.json.utf8)) }
        }
        var text: [String] = []
        try HistoryReport(directory: folder.path, region: "home", since: nil, form: .text).forEachLine {
            text.append($0)
        }
        #expect(text.contains { $0.contains("wifiJoined") && $0.contains("HomeNet") })
        #expect(text.contains { $0.contains("wifiPromptAnswered") && $0.contains("never") })
        let day = try folder.reader().day(from: hour(0), to: hour(24), now: hour(24))
        let region = try #require(day.regions.first { $0.identifier == "home" })
        #expect(region.spans.map(\.value).contains("inside") && !region.signal.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: folder.history)) == before, "reading changes nothing")
    }

    @Test(arguments: PersistedFixture.all)
    func `it goes on, and keeps every row`(_ fixture: PersistedFixture) throws {
        try fixture.copy(HistoryStore.fileName, to: folder)
        let (before, silences) = (try rows(), try folder.reader().silences())
        let store = try folder.store()
        #expect(try migrations == Migration.all.map(\.name))
        #expect(try rows() == before)
        #expect(try folder.reader().silences() == silences)
        try store.record([exit("home", at: hour(20))], [minute("home", at: hour(20), rssi: -60)])
        let after = try rows()
        for (table, rows) in before { #expect(Set(after[table] ?? []).isSuperset(of: rows)) }
        #expect(after.mapValues(\.count) == before.mapValues { $0.count + 1 })
    }

    @Test(arguments: PersistedFixture.all)
    func `an earlier file has the days and the former regions that it has after the upgrade`(
        _ fixture: PersistedFixture
    ) throws {
        try fixture.copy(HistoryStore.fileName, to: folder)
        let reader = try folder.reader()
        let bounds = try #require(try reader.bounds())
        func answers(_ reader: HistoryReader) throws -> ([DayRecord], [String], [ClosedRange<Int64>]) {
            let spans = [
                bounds.lowerBound..<bounds.upperBound, hour(-48)..<hour(72),
                bounds.lowerBound + 30_000_000_000..<bounds.lowerBound + 90_000_000_000,
            ]
            let former = try reader.formerRegions(now: bounds.upperBound, configured: ["work"])
            return (
                try spans.map { try reader.day(from: $0.lowerBound, to: $0.upperBound, now: bounds.upperBound) },
                former.map(\.region), former.map(\.time) + (try reader.bounds().map { [$0] } ?? [])
            )
        }
        let before = try answers(reader)
        #expect(before.0.allSatisfy { !$0.regions.isEmpty } && before.1 == ["home"])
        _ = try folder.store()
        #expect(try answers(folder.reader()) == before)
    }

    @Test func `an upgrade that a power cut interrupts is done by the next start`() throws {
        let earlier = try #require(PersistedFixture.all.first { $0.version == "0.1.0-runs" })
        try earlier.copy(HistoryStore.fileName, to: folder)
        let before = try rows()
        // The last statement of the upgrade fails, as it would if the power were cut before its commit.
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        try connection.execute("CREATE INDEX events_by_run ON events (name)")
        #expect(throws: HistoryError.self) { try folder.store() }
        #expect(try connection.rows("SELECT name FROM sqlite_schema WHERE name = 'states'") { $0.text(0) }.isEmpty)
        #expect(try migrations == Array(Migration.all.map(\.name).dropLast()))
        let day = try folder.reader().day(from: hour(-48), to: hour(72), now: hour(72))
        try connection.execute("DROP INDEX events_by_run")
        _ = try folder.store()
        #expect(try migrations == Migration.all.map(\.name) && rows() == before)
        #expect(try folder.reader().day(from: hour(-48), to: hour(72), now: hour(72)) == day)
    }

    @Test func `there is a history of every version of the tables`() throws {
        var versions: Set<[String]> = []
        for fixture in PersistedFixture.all {
            try fixture.copy(HistoryStore.fileName, to: folder)
            versions.insert(try migrations)
        }
        #expect(versions == Set(Migration.all.indices.map { Migration.all[...$0].map(\.name) }))
    }

    @Test func `silences that were kept are still known`() throws {
        let latest = try #require(PersistedFixture.all.last)
        try latest.copy(HistoryStore.fileName, to: folder)
        _ = try folder.store()
        #expect(try folder.reader().silences().map(\.silence.length) == [.seconds(12.06)])
        #expect(try folder.reader().silencesWatched() != nil)
    }
}
