import Glibc
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory

@Suite struct HistoryStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `what is recorded is read again, in the order it happened`() throws {
        let store = try folder.store(.powerCut)
        // The clock is set back between the two.
        let events = [exit("home", at: hour(2)), exit("a 家 '; DROP TABLE events; --", at: hour(1))]
        try store.record([events[0]], [])
        try store.record([events[1]], [])
        #expect(try folder.events() == events, "while the writer has it open")
        #expect(try folder.events(region: "home") == [events[0]])
        #expect(try folder.events(since: hour(2)) == [events[0]])
        #expect(try folder.events(since: hour(3)).isEmpty)
    }

    @Test func `a history goes on where it ended, run by run`() throws {
        for number in 0..<3 {
            let store = try folder.store()
            try store.record([exit("home", at: hour(Double(number)))], [])
            if number != 1 { try store.runEnded(at: hour(Double(number) + 0.5)) }
        }
        #expect(try folder.events().count == 3)
        let connection = try SQLiteConnection(file: folder.history, mode: .readOnly)
        let runs = try connection.rows("SELECT began, ended FROM runs") { [$0.integer(0), $0.optionalInteger(1)] }
        #expect(runs == [[hour(0), hour(0.5)], [hour(1), nil], [hour(2), hour(2.5)]])
    }

    @Test func `the mode of a file with a second name stays`() throws {
        let letter = try folder.file("letter", Array("dear".utf8))
        #expect(chmod(letter, 0o644) == 0)
        #expect(link(letter, folder.history) == 0)
        HistoryStore.restrictAccess(to: folder.history)
        var status = stat()
        #expect(lstat(letter, &status) == 0 && status.st_mode & 0o777 == 0o644)
    }

    @Test func `other users cannot read the files, nor those of an earlier version`() throws {
        func modes() throws -> [String: mode_t] {
            try Dictionary(
                uniqueKeysWithValues: folder.names.map { name in
                    var status = stat()
                    try #require(stat("\(folder.path)/\(name)", &status) == 0)
                    return (name, status.st_mode & 0o777)
                })
        }
        let store = try folder.store()
        try store.record([exit("home", at: hour(1))], [])
        let names = ["", "-shm", "-wal"].map { "history.sqlite\($0)" }
        #expect(try modes() == Dictionary(uniqueKeysWithValues: names.map { ($0, 0o600) }))
        // A group that was given access keeps it.
        for name in names { try #require(chmod("\(folder.path)/\(name)", 0o644) == 0) }
        let next = try folder.store()
        try next.record([exit("home", at: hour(2))], [])
        #expect(try modes() == Dictionary(uniqueKeysWithValues: names.map { ($0, 0o640) }))
        #expect(try folder.events().count == 2)
    }

    @Test func `a run in which nothing happened leaves nothing`() throws {
        let store = try folder.store()
        try store.record([], [])
        try store.runEnded(at: hour(1))
        let connection = try SQLiteConnection(file: folder.history, mode: .readOnly)
        #expect(try connection.rows("SELECT * FROM runs") { $0.integer(0) }.isEmpty)
    }

    @Test func `a part of a minute without a distance does not change the other part's`() throws {
        let store = try folder.store()
        var unknown = minute("home", at: hour(1), rssi: -60)
        unknown.signal?.accuracy = -1
        let known = minute("home", at: hour(1), rssi: -60)
        for part in [unknown, known, unknown] { try store.record([], [part]) }
        let accuracy = try folder.reader().minutes(in: hour(0)..<hour(24)).first?.signal?.accuracy
        #expect(accuracy == known.signal?.accuracy && accuracy ?? 0 > 0)
        try store.record([], [unknown].map { SignalMinute(time: hour(2), region: "home", heard: 1, signal: $0.signal) })
        let minutes = try folder.reader().minutes(in: hour(0)..<hour(24))
        #expect(minutes.last?.signal?.accuracy == -1)
    }

    @Test func `a minute that came in parts is one`() throws {
        let store = try folder.store()
        let deaf = SignalMinute(time: hour(1), region: "home", heard: 4, signal: nil)
        try store.record([], [deaf])
        try store.record([], [minute("home", at: hour(1), rssi: -60), minute("work", at: hour(1), rssi: -90)])
        try store.record([], [minute("home", at: hour(1), rssi: -80), deaf])
        #expect(
            try folder.reader().minutes(in: hour(0)..<hour(24)) == [
                SignalMinute(
                    time: hour(1), region: "home", heard: 28,
                    signal: .init(count: 20, mean: -70, lowest: -83, highest: -57, accuracy: 2)),
                minute("work", at: hour(1), rssi: -90),
            ])
    }

    @Test func `the means of minutes are in the places of their minutes, of at most so many regions`() throws {
        let store = try folder.store()
        let start = hour(1)
        for (offset, region) in [(0, "home"), (2, "work"), (2, "home"), (3, "attic")] {
            try store.record([], [minute(region, at: start + Int64(offset) * SignalMinute.length, rssi: -60 - offset)])
        }
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        // A damaged file.
        try connection.execute("UPDATE minutes SET mean = 9e999 WHERE region = 'work'")
        func means(_ limit: Int, _ admits: (String) -> Bool = { _ in true }) throws -> [String: [Double?]] {
            try folder.reader().means(in: start..<start + 3 * SignalMinute.length, limit: limit, admits)
        }
        #expect(try means(9) == ["home": [-60, nil, -62], "work": [nil, nil, 127]])
        #expect(try means(1) == ["home": [-60, nil, -62]])
        #expect(try means(1) { $0 == "work" } == ["work": [nil, nil, 127]])
        #expect(try means(0).isEmpty && means(9) { _ in false }.isEmpty)
    }

    @Test func `a migration is applied once, and an unknown one is refused`() throws {
        try folder.fill(3)
        _ = try folder.store()
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        let names = try connection.rows("SELECT name FROM migrations") { $0.text(0) }
        #expect(names == Migration.all.map(\.name))
        try connection.execute("INSERT INTO migrations VALUES ('moods')")
        let expected = HistoryError.newer(file: folder.history, migration: "moods")
        #expect(throws: expected) { try folder.store() }
        #expect(throws: expected) { try folder.reader() }
        #expect(expected.description.contains("moods") && expected.description.contains("upgrade"))
    }

    @Test func `an older file gets what it lacks and keeps what it has`() throws {
        try folder.fill(3)
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        let schema = Schema(connection: connection)
        let added = Migration(name: "later", statements: ["CREATE TABLE later (x)"])
        try schema.migrate(Migration.all + [added])
        try schema.migrate(Migration.all + [added])
        #expect(try connection.rows("SELECT name FROM migrations") { $0.text(0) }.contains("later"))
        #expect(try connection.rows("SELECT count(*) FROM events") { $0.integer(0) } == [3])
    }

    @Test func `the history of an earlier version goes on, without silences from before`() throws {
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        try Schema(connection: connection).migrate([Migration.all[0]])
        try connection.execute("INSERT INTO runs (began) VALUES (?1)", [.integer(hour(1))])
        #expect(try folder.reader().silences().isEmpty)
        #expect(try folder.reader().silencesWatched()?.start == nil)
        let store = try folder.store()
        let silence = SilenceRecord(
            time: hour(30), region: "home",
            silence: EndedSilence(
                length: .seconds(15.5),
                exitTimes: .init(quick: .seconds(8), balanced: .seconds(12), patient: .seconds(20)),
                signalBefore: -60.5))
        #expect(try folder.reader().silencesWatched()?.start == nil)
        try store.record([exit("home", at: hour(29))], [], [silence])
        #expect(try folder.reader().silencesWatched()?.start == hour(29))
        #expect(try folder.reader().silences() == [silence])
        #expect(try folder.reader().silences(region: "work").isEmpty)
        #expect(try folder.reader().silences(since: hour(31)).isEmpty)
        try store.removeOld(keeping: 1, at: hour(60))
        #expect(try folder.reader().silences().isEmpty)
    }

    @Test func `a migration that fails leaves no trace`() throws {
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        let schema = Schema(connection: connection)
        let broken = Migration(name: "broken", statements: ["CREATE TABLE half (x)", "CREATE TABLE half (x)"])
        #expect(throws: HistoryError.self) { try schema.migrate([broken]) }
        #expect(try schema.isEmpty)
    }

    @Test func `what is too old is removed, a week at once, and once a day`() throws {
        let day = 24.0
        let store = try folder.store()
        for number in stride(from: 0.0, to: 20, by: 1) {
            try store.record(
                [exit("home", at: hour(number * day))], [minute("home", at: hour(number * day), rssi: -60)])
        }
        func oldest() throws -> Int64? { try folder.events().first?.time }
        try store.removeOld(keeping: 10, at: hour(20 * day))
        #expect(try oldest() == hour(7 * day), "at most a week, whatever the clock says")
        try store.removeOld(keeping: 10, at: hour(20.9 * day))
        #expect(try oldest() == hour(7 * day), "not twice a day")
        try store.removeOld(keeping: 10, at: hour(21 * day))
        #expect(try oldest() == hour(11 * day))
        let minutes = try folder.reader().minutes(in: hour(0)..<hour(30 * day))
        #expect(minutes.first?.time == hour(11 * day))
        for time in [Int64.min, .max] { try store.removeOld(keeping: 36_500, at: time) }
    }

    @Test func `a clock that leaps takes nothing away before a day has passed on it`() throws {
        let (day, year) = (24.0, 365 * 24.0)
        let store = try folder.store()
        try store.removeOld(keeping: 90, at: hour(0))
        try store.record([exit("home", at: hour(0))], [])
        for time in [year, year + 1, 0, year, -year, year + 23, 1] {
            try store.removeOld(keeping: 90, at: hour(time))
            #expect(try folder.events().count == 1, "at hour \(time)")
        }
        try store.removeOld(keeping: 90, at: hour(year))
        try store.removeOld(keeping: 90, at: hour(year + day))
        #expect(try folder.events().isEmpty, "a year that lasts is one")
    }

    @Test func `a disk that is full refuses the whole of it, and later takes it`() throws {
        let store = try HistoryStore(directory: folder.path, durability: .process, pageLimit: 20)
        let events = (0..<500).map { exit("home", at: hour(Double($0))) }
        #expect(throws: HistoryError.full(file: folder.history)) { try store.record(events, []) }
        #expect(try folder.events().isEmpty)
        try store.record([events[0]], [])
        #expect(try folder.events() == [events[0]])
    }
}
