import OkaeriTestSupport
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory

@Suite struct DayTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func day(now: Double = 24, regions: [String] = []) throws -> DayRecord {
        try folder.reader().day(from: hour(0), to: hour(24), now: hour(now), regions: regions)
    }

    private func span(_ start: Double, _ end: Double, _ state: String) -> DayRecord.Span {
        .init(time: hour(start)..<hour(end), value: state)
    }

    @Test func `states go from change to change, cut at the day's ends`() throws {
        let store = try folder.store()
        try store.record(
            [
                determined("home", "unknown", at: hour(-3)), determined("home", "inside", at: hour(-2)),
                determined("home", "outside", at: hour(8)), determined("home", "inside", at: hour(18)),
            ], [])
        let record = try day(now: 20)
        #expect(
            record.regions.map(\.spans) == [[span(0, 8, "inside"), span(8, 18, "outside"), span(18, 20, "inside")]])
        #expect(record.unwatched == [hour(20)..<hour(24)], "what is to come")
    }

    /// It took a quarter of an hour when every run looked through all that ever happened.
    @Test(.timeLimit(.minutes(5))) func `a day after a loop of starts that failed is drawn all the same`() throws {
        _ = try folder.store()
        let connection = try SQLiteConnection(file: "\(folder.path)/\(HistoryStore.fileName)", mode: .readWrite)
        let step: Int64 = 36_000_000_000
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO runs (id, began) SELECT i, \(midnight) + i * \(step) FROM n
            """)
        try connection.execute(
            """
            INSERT INTO events (run, time, name, region, json)
            SELECT id, began, 'didDetermineState', 'home', '{"state":"inside"}' FROM runs
            """)
        try connection.execute(
            """
            INSERT INTO events (run, time, name, json) SELECT id, began + 1000000000, 'bluetoothStateDidUpdate', '{}' FROM runs
            """)
        let record = try folder.reader().day(from: hour(0), to: hour(24), now: hour(24_000))
        #expect(record.regions.first?.spans.count == 2398)
        #expect(record.regions.map(\.identifier) == ["home"])
    }

    @Test func `a day shows a bounded number of regions of the history`() throws {
        let store = try folder.store()
        try store.record((0..<500).map { determined("region \($0)", "inside", at: hour(Double($0) / 100)) }, [])
        #expect(try day(now: 20).regions.count == DayRecord.regionLimit)
        // The configured regions are shown wherever the history has them.
        let mine = (490..<500).map { "region \($0)" }
        let shown = try day(now: 20, regions: mine).regions
        #expect(shown.prefix(10).map(\.identifier) == mine && shown.prefix(10).allSatisfy { !$0.spans.isEmpty })
        #expect(shown.count == 10 + DayRecord.regionLimit)
    }

    @Test func `a stop and a power cut end what is known`() throws {
        var store = try folder.store()
        try store.record([determined("home", "inside", at: hour(1))], [])
        try store.runEnded(at: hour(4))
        store = try folder.store()
        try store.record([determined("home", "inside", at: hour(6))], [])
        try store.record([], [minute("home", at: hour(7), rssi: -60)])
        // The power is cut, and back at nine.
        store = try folder.store()
        try store.record([determined("home", "unknown", at: hour(9))], [])
        let record = try day()
        let lastSign = hour(7) + SignalMinute.length
        #expect(
            record.regions.first?.spans == [
                span(1, 4, "inside"), .init(time: hour(6)..<lastSign, value: "inside"), span(9, 24, "unknown"),
            ])
        #expect(record.unwatched == [hour(0)..<hour(1), hour(4)..<hour(6), lastSign..<hour(9)])
    }

    @Test func `the Wi-Fi's marks and the adapter's outages are found`() throws {
        let store = try folder.store()
        try store.record(
            [
                bluetooth("poweredOn", at: hour(1)), bluetooth("poweredOff", at: hour(2)),
                bluetooth("unauthorized", at: hour(3)), bluetooth("poweredOn", at: hour(4)),
                wifi("wifiPrompt", "", at: hour(5)), wifi("wifiPromptAnswered", #","answer":"join""#, at: hour(6)),
                wifi("wifiJoinFailed", #","reason":"no""#, at: hour(7)), wifi("wifiJoined", "", at: hour(8)),
                bluetooth("poweredOff", at: hour(23)),
            ], [])
        let record = try day(now: 23.5)
        #expect(
            record.outages == [
                .init(time: hour(2)..<hour(3), value: "it is poweredOff"),
                .init(time: hour(3)..<hour(4), value: "it is unauthorized"),
                .init(time: hour(23)..<hour(23.5), value: "it is poweredOff"),
            ])
        #expect(
            record.regions.first?.marks == [
                .init(time: hour(5), kind: .prompt, text: "join “HomeNet”?"),
                .init(time: hour(6), kind: .answer, text: "answered: join"),
                .init(time: hour(7), kind: .joinFailed, text: "“HomeNet” not joined: no"),
                .init(time: hour(8), kind: .joined, text: "joined “HomeNet”"),
            ])
    }

    @Test func `a state that lasts for days is found whatever its length is`() throws {
        let store = try folder.store()
        for (region, length) in [("brief", 1.0), ("a day", 24), ("more", 24.5), ("a month", 720)] {
            try store.record(
                [
                    determined(region, "inside", at: hour(12.5 - length)),
                    determined(region, "outside", at: hour(12.5)),
                    determined(region, "unknown", at: hour(30)),
                ], [])
        }
        try store.record([determined("always", "inside", at: hour(-2000)), bluetooth("off", at: hour(-1000))], [])
        let part = try folder.reader().day(from: hour(12), to: hour(13), now: hour(40))
        for region in part.regions where region.identifier != "always" {
            #expect(region.spans == [span(12, 12.5, "inside"), span(12.5, 13, "outside")], "\(region.identifier)")
        }
        #expect(part.regions.first { $0.identifier == "always" }?.spans == [span(12, 13, "inside")])
        #expect(part.outages == [.init(time: hour(12)..<hour(13), value: "it is off")])
        #expect(
            try folder.reader().day(from: hour(20), to: hour(26), now: hour(40)).regions.allSatisfy {
                $0.spans.count == 1
            })
    }

    @Test func `the states of a day are what all events say, in whatever order they came and left`() throws {
        let store = try folder.store()
        let times = [3.0, 1, 30, 2, 2, -50, 70, 5, 4, 90, 91, 6]
        for (index, time) in times.enumerated() {
            let region = index % 3 == 0 ? "work" : "home"
            try store.record(
                [determined(region, "state \(index)", at: hour(time)), bluetooth("\(index)", at: hour(time))], [])
        }
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        func expectAgreement() throws {
            let columns = "event, run, region, time, until, value"
            let missing = try connection.rows(
                "SELECT \(columns) FROM (\(StatesOfEvents.all)) EXCEPT SELECT \(columns) FROM states"
            ) { $0.integer(0) }
            let more = try connection.rows("SELECT event FROM states EXCEPT SELECT id FROM events") { $0.integer(0) }
            #expect(missing.isEmpty && more.isEmpty)
        }
        try expectAgreement()
        #expect(try connection.rows("SELECT count(*) FROM states") { $0.integer(0) } == [24])
        try connection.execute("DELETE FROM events WHERE id IN (SELECT max(id) FROM events GROUP BY name, region)")
        #expect(try connection.rows("SELECT count(*) FROM states") { $0.integer(0) } == [21])
        // An event without an object, or of no region, is kept like each other one.
        try connection.execute(
            """
            INSERT INTO events (run, time, name, region, json) VALUES
                (1, 1, 'didDetermineState', 'home', 'x'), (1, 2, 'didDetermineState', NULL, '{"state":"inside"}'),
                (1, 3, 'bluetoothStateDidUpdate', 'home', '[]')
            """)
        #expect(
            try connection.rows("SELECT region, value FROM states ORDER BY event DESC LIMIT 2") { row in
                [row.optionalText(0), row.optionalText(1)]
            } == [[nil, nil], ["home", nil]])
    }

    @Test func `a column has the minutes in it, and a silence begins a stretch`() throws {
        let store = try folder.store()
        let minutes = [(0, -60, 10), (1, -70, 30), (2, -50, 10), (6, -55, 10), (1439, -80, 10)].map {
            time, rssi, count in
            var minute = minute("home", at: hour(0) + Int64(time) * SignalMinute.length, rssi: rssi)
            minute.signal?.count = count
            return minute
        }
        let deaf = SignalMinute(time: hour(3), region: "home", heard: 1, signal: nil)
        let work = minutes.map { minute("work", at: $0.time, rssi: -90) }
        try store.record([], minutes + work + [deaf])
        let record = try folder.reader().day(from: hour(0), to: hour(24), now: hour(24), columns: 720)
        #expect(record.columns == 720)
        #expect(
            record.regions.map(\.signal) == [
                [
                    .init(column: 0, beginsStretch: true, lowest: -73, highest: -57, mean: -67.5),
                    signal(1, -50, beginsStretch: false), signal(3, -55), signal(719, -80),
                ],
                [signal(0, -90), signal(1, -90, beginsStretch: false), signal(3, -90), signal(719, -90)],
            ])
        let part = try folder.reader().day(
            from: hour(0), to: hour(0) + 3 * SignalMinute.length, now: hour(24), columns: 6)
        #expect(part.regions.first?.signal.map(\.column) == [1, 3, 5])
    }

    @Test func `levels that no radio has are drawn as the nearest ones`() throws {
        _ = try folder.store()
        let connection = try SQLiteConnection(file: folder.history, mode: .readWrite)
        try connection.execute(
            """
            INSERT INTO minutes VALUES (?1, 'home', 1, ?2, 1e300, ?3, ?2, 1), (?1, '', 1, -5, -1e300, 5, -400, NULL),
                (?2, 'home', 1, 1, 1, 1, 1, 1)
            """, [.integer(hour(1)), .integer(.max), .integer(.min)])
        for record in try [day(), folder.reader().day(from: .min, to: .max, now: 0)] {
            let signals = record.regions.flatMap(\.signal)
            #expect(Set(signals.map(\.mean)) == [127, -128] && signals.allSatisfy { $0.column < 1440 })
        }
    }

    @Test func `regions come in the order that is asked for, others after them`() throws {
        let store = try folder.store()
        try store.record(["c", "a", "b"].map { determined($0, "inside", at: hour(1)) }, [])
        #expect(try day(regions: ["b", "new"]).regions.map(\.identifier) == ["b", "new", "a", "c"])
    }

    @Test func `a region that was removed from the configuration has no bar on later days`() throws {
        let store = try folder.store()
        try store.record(
            [determined("home", "inside", at: hour(-30)), determined("home", "unknown", at: hour(-20))], [])
        #expect(try day(regions: ["office"]).regions.map(\.identifier) == ["office"])
        #expect(try day(regions: ["home"]).regions.map(\.spans) == [[span(0, 24, "unknown")]], "while it is configured")
        let before = try folder.reader().day(from: hour(-48), to: hour(-10), now: hour(24))
        #expect(before.regions.map(\.spans) == [[span(-30, -20, "inside"), span(-20, -10, "unknown")]])
    }

    @Test func `clocks that jump, and no time at all, trap nothing`() throws {
        for time in [hour(5), hour(-9000), .max, .min, hour(6)] {
            let store = try folder.store()
            try store.record([determined("home", "inside", at: time), bluetooth("poweredOff", at: time)], [])
            try store.runEnded(at: hour(5.5))
        }
        for record in try [day(), folder.reader().day(from: .min, to: .max, now: .min)] {
            for region in record.regions {
                let spans = region.spans.map(\.time)
                #expect(spans.allSatisfy { $0.lowerBound >= record.start && $0.upperBound <= record.end })
            }
            #expect(record.unwatched.allSatisfy { $0.lowerBound >= record.start && $0.upperBound <= record.end })
        }
        #expect(try folder.reader().day(from: hour(1), to: hour(1), now: hour(2)).regions.isEmpty)
    }
}
