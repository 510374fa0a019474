import FoundationEssentials
import HCI
import OkaeriConfiguration
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory
@testable import OkaeriListening

/// False exits, from the monitor to the user's reports.
@Suite struct MistakesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func record(
        _ region: String = "home", day: Double, silence: Double, leftFor: Double? = nil, before: Double = -60,
        after: Int = -62
    ) -> SilenceRecord {
        SilenceRecord(
            time: evening + nanoseconds(day * 86_400), region: region,
            silence: EndedSilence(
                length: .seconds(silence),
                exitTimes: .init(quick: .seconds(8), balanced: .seconds(12), patient: .seconds(20)),
                leftFor: leftFor.map { .seconds($0) }, signalBefore: before, signalAfter: Int8(after)))
    }

    /// A history of ten days that began in the evening.
    private func write(_ records: [SilenceRecord]) throws {
        let store = try HistoryStore(directory: folder.path, durability: .process)
        try store.record([HistoryEvent(time: evening, name: "didStartMonitoring", region: "home", json: "{}")], [])
        try store.record([], [], records)
        try store.runEnded(at: evening + nanoseconds(10 * 86_400))
    }

    private func history(region: String? = nil, since: Int64? = nil) throws -> MistakesHistory {
        try MistakesHistory(directory: folder.path, region: region, since: since)
    }

    private var some: [SilenceRecord] {
        [
            record(day: 1, silence: 10),  // seen by a quick region alone
            record(day: 2, silence: 15.2, leftFor: 3.2),
            record(day: 2.1, silence: 45, leftFor: 33),
            record(day: 3, silence: 40, leftFor: 28, after: -88),  // came back from afar
            record(day: 4, silence: 320, leftFor: 308),  // too long for a mistake of ours
            record("work", day: 5, silence: 9),
        ]
    }

    @Test func `a return that is early and strong shows a false exit, with the settings that avoid it`() throws {
        try write(some)
        let text = try history().text
        #expect(text.contains("  home  silent for 15.2 s, back 3.2 s after the exit  -60 dBm before, -62 dBm after\n"))
        #expect(text.contains("  home  silent for 45 s, back 33 s after the exit"))
        #expect(!text.contains("-88 dBm") && !text.contains("320 s"))
        #expect(text.contains("home  2 false exits since "))
        #expect(text.contains(", 0.2 a day: "))
        #expect(
            text.contains(
                "There would have been 3 with \"sensitivity\": \"quick\", 2 with \"balanced\", 2 with \"patient\"\n"))
        #expect(text.contains("  \"exitAfter\": 45 would have avoided all of them"))
        #expect(text.contains("work  0 false exits since ") && !text.contains(", 0 a day"))
    }

    @Test func `as JSON, of one region, since a time`() throws {
        try write(some)
        struct Document: Decodable {
            struct Mistake: Decodable { var region: String, silence: Double, leftFor: Double }
            struct Region: Decodable { var identifier: String, mistakes: MistakesReport, exitAfter: Int? }
            var since: String, mistakes: [Mistake], regions: [Region]
        }
        let since = evening + nanoseconds(2.05 * 86_400)
        let json = try history(region: "home", since: since).json
        let document = try JSONDecoder().decode(Document.self, from: Data(json.utf8))
        #expect(document.mistakes.map(\.silence) == [45] && document.mistakes.map(\.leftFor) == [33])
        #expect(document.regions.map(\.identifier) == ["home"])
        #expect(document.regions[0].exitAfter == 45)
        #expect(document.regions[0].mistakes.falseExits == 1 && document.regions[0].mistakes.days == 7.95)
    }

    @Test func `without mistakes the text has the beginning of the record`() throws {
        try write([])
        #expect(try history().text.hasPrefix("No false exit since "))
        #expect(throws: HistoryError.self) {
            try MistakesHistory(directory: "\(folder.path)/nowhere", region: nil, since: nil)
        }
    }

    @Test func `false exits are counted by the time watched, whatever time it is now`() throws {
        // A day, two false exits, a week without the daemon, and another day without a recorded end.
        func mistake(_ day: Double) -> SilenceRecord { record(day: day, silence: 15, leftFor: 3) }
        var store = try HistoryStore(directory: folder.path, durability: .process)
        func start(_ day: Double) throws {
            let time = evening + nanoseconds(day * 86_400)
            try store.record([HistoryEvent(time: time, name: "didStartMonitoring", region: "home", json: "{}")], [])
        }
        try start(0)
        try store.record([], [], [mistake(0.2), mistake(0.4)])
        try store.runEnded(at: evening + nanoseconds(86_400))
        #expect(try history().text.contains("home  2 false exits since "))
        #expect(try history().text.contains(", 2 a day: "))
        store = try HistoryStore(directory: folder.path, durability: .process)
        try start(8)
        try store.record([], [], [mistake(8.2), mistake(9)])
        #expect(try history().text.contains("home  4 false exits since "))
        #expect(try history().text.contains(", 2 a day: "))
        let since = evening + nanoseconds(8.5 * 86_400)
        #expect(try history(since: since).text.contains("home  1 false exit since "))
        #expect(try history(since: since).text.contains(", 2 a day: ") == false)
    }

    @Test(arguments: [(1, false), (23.7, false), (24, true), (36, true)] as [(Double, Bool)])
    func `a history younger than a day has no rate a day`(hours: Double, hasRate: Bool) throws {
        let store = try HistoryStore(directory: folder.path, durability: .process)
        try store.record([HistoryEvent(time: evening, name: "didStartMonitoring", region: "home", json: "{}")], [])
        try store.record([], [], [record(day: 0.02, silence: 15, leftFor: 3)])
        try store.runEnded(at: evening + nanoseconds(hours * 3600))
        let text = try history().text
        #expect(text.contains("home  1 false exit since "), "\(text)")
        #expect(text.contains(" a day: ") == hasRate, "\(text)")
    }

    @Test func `what is sent is printed as what is read`() throws {
        try write(some)
        let read = try history()
        let sent = try JSONDecoder().decode(MistakesHistory.self, from: Data(read.json.utf8))
        #expect(sent.text == read.text && sent.json == read.json)
    }

    @Test func `a time whose rows are gone has no result`() throws {
        let store = try HistoryStore(directory: folder.path, durability: .process)
        for day in 0...40 {
            let time = evening + nanoseconds(Double(day) * 86_400)
            try store.removeOld(keeping: 10, at: time)
            try store.record(
                [HistoryEvent(time: time, name: "didStartMonitoring", region: "home", json: "{}")], [], [])
        }
        struct Document: Decodable { var since: String }
        let document = try JSONDecoder().decode(Document.self, from: Data(history().json.utf8))
        #expect(document.since == Timestamp.text(evening + nanoseconds(30 * 86_400)))
    }

    @Test func `numbers of a damaged file do not trap`() throws {
        try write([record(day: 1, silence: 5, leftFor: 5), record(day: 1.1, silence: 6, leftFor: 6)])
        let file = try SQLiteConnection(file: "\(folder.path)/\(HistoryStore.fileName)", mode: .readWrite)
        try file.execute("UPDATE silences SET length = 1e300, left_for = -1e300, quick = 9e999 WHERE length = 5")
        try file.execute("UPDATE silences SET length = -5, left_for = 1e18, signal_after = 4e9 WHERE length = 6")
        let text = try history().text
        #expect(!text.isEmpty && !text.contains("nan") && !text.contains("inf"), "\(text)")
    }

    @Test func `a clock that is set after the start adds nothing to the time watched`() {
        let ledger = SilenceLedger()
        let start = nanoseconds(60)
        let end = Moment(instant: start + nanoseconds(3600), wall: evening + nanoseconds(3600))
        ledger.began(at: Moment(instant: start, wall: evening - nanoseconds(5 * 86_400)))
        #expect(ledger.report(region: "home", now: end)?.days == 0.04)
    }

    @Test func `the ledger counts the last week, and has its beginning`() throws {
        let ledger = SilenceLedger()
        let now = evening + nanoseconds(10 * 86_400)
        #expect(ledger.report(region: "home", now: Moment(recorded: now)) == nil)
        ledger.began(at: Moment(recorded: now - nanoseconds(43_200)))
        #expect(ledger.report(region: "home", now: Moment(recorded: now))?.days == 0.5)
        // An hour of the day before, and one that is longer ago than a week.
        let hours = [now - nanoseconds(86_400), evening].map { $0..<$0 + nanoseconds(3600) }
        ledger.restore([], watched: WatchedTime(hours))
        #expect(ledger.report(region: "home", now: Moment(recorded: now))?.days == 0.54, "the downtime does not count")
        ledger.restore(some, watched: WatchedTime([evening..<now - nanoseconds(43_200)]))
        ledger.add(record(day: 9.9, silence: 13, leftFor: 1))
        let report = try #require(ledger.report(region: "home", now: Moment(recorded: now)))
        // Days 1 to 2.1 are longer ago than a week.
        #expect((report.days, report.falseExits, report.quick, report.balanced, report.patient) == (7, 1, 1, 1, 1))
        #expect(report.perDay == 0.14)
        for absurd in [Int64.min, .max] {
            let report = ledger.report(region: "home", now: Moment(recorded: absurd))
            #expect(report.map { (0...7).contains($0.days) && (0...3).contains($0.falseExits) } ?? true)
        }
    }

    @Test func `what a replay got wrong is in its history`() throws {
        // A beacon once a second that falls silent for twenty seconds, and is back.
        let bytes = capture((0..<100).map(Double.init) + (119..<160).map(Double.init), until: 160)
        let file = try folder.file("capture.btsnoop", bytes)
        var region = monitored()
        region.exitAfter = nil
        try Replay.run(
            file, regions: [region],
            writer: HistoryWriter.ofReplay(directory: folder.path, settings: .init(), logger: quiet), speed: nil,
            logger: quiet,
            progress: { _, _ in }, { _ in })
        let text = try MistakesHistory(directory: folder.path, region: nil, since: nil).text
        #expect(text.contains("  home  silent for 20 s, back 6 s after the exit"))
        #expect(text.contains("\n  \"exitAfter\": 20 would have avoided all of them"))
    }

    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { evening + instant.nanoseconds }
        var now: Int64 { evening }
    }

    private final class Log: Sendable {
        let records = Mutex<[SilenceRecord]>([])
        let names = Mutex<[String]>([])
    }

    @Test func `the driver records a silence that was taken for an exit, and publishes no event about it`() throws {
        let log = Log()
        var region = monitored()
        region.exitAfter = nil
        let presence = PresencePublisher(
            regions: [region], clock: Clock(),
            outputs: .init(
                publish: { kind, _ in log.names.withLock { $0.append(kind.name.rawValue) } },
                silenceEnded: { record in log.records.withLock { $0.append(record) } }))
        let driver = presence.driver
        driver.scannerWillStart(at: 0)
        driver.scannerDidChangeListening(.continuous, at: 0)
        for second in 0...100 { _ = driver.scannerDidReceive(event().span.bytes, at: nanoseconds(Double(second))) }
        _ = driver.scannerDidFinishTurn(at: nanoseconds(114))
        _ = driver.scannerDidReceive(event().span.bytes, at: nanoseconds(115))
        let records = log.records.withLock { $0 }
        let record = try #require(records.first)
        #expect((record.region, record.silence.length, record.silence.leftFor) == ("home", .seconds(15), .seconds(1)))
        #expect(record.time == evening + nanoseconds(115))
        #expect(record.silence.wasFalseExit)
        #expect(log.names.withLock { $0.filter { $0 == "didEnterRegion" }.count } == 2)
        #expect(log.names.withLock { !$0.contains { $0.contains("ilence") } })
    }
}
