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
