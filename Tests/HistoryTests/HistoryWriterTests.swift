import FoundationEssentials
import Logging
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriHistory

/// The history's way from an event to the disk, and the disk's moods.
@Suite struct HistoryWriterTests {
    private let folder: TemporaryFolder
    private let log = LogBook()

    init() throws { folder = try TemporaryFolder() }

    private var directory: String { "\(folder.path)/state" }

    private func writer() -> HistoryWriter {
        HistoryWriter(directory: directory, settings: .init(), durability: .process, logger: log.logger)
    }

    private func exit(_ second: Double) -> Event {
        Event(time: evening + nanoseconds(second), kind: .didExitRegion(region: "home"))
    }

    private func minute(_ index: Int) -> SignalMinute {
        SignalMinute(time: evening + Int64(index) * SignalMinute.length, region: "home", heard: 1, signal: nil)
    }

    private func kept(_ form: HistoryReport.Form = .json) throws -> [String] {
        var lines: [String] = []
        try HistoryReport(directory: directory, region: nil, since: nil, form: form).forEachLine { lines.append($0) }
        return lines
    }

    private func minutesKept() throws -> Int {
        try HistoryReader(directory: directory).minutes(in: evening..<Int64.max).count
    }

    @Test func `an event is kept when the call returns, as the object that is printed`() throws {
        var writer = writer()
        let ranged = Event(time: evening, kind: .didRangeBeacons(region: "home", []))
        writer.record([exit(1), ranged, exit(2)])
        #expect(try kept() == [exit(1).json, exit(2).json])
        #expect(log.text.isEmpty)
    }

    @Test func `minutes wait for each other, or for an event`() throws {
        var writer = writer()
        writer.record([exit(0)])
        for index in 0..<5 { writer.record([], [minute(index)]) }
        #expect(try minutesKept() == 0)
        writer.record([], [minute(5)])
        #expect(try minutesKept() == 6)
        writer.record([], [minute(6)])
        #expect(try minutesKept() == 6)
        writer.record([exit(500)])
        #expect(try minutesKept() == 7)
        writer.record([], [minute(8)])
        writer.finish(at: evening)
        #expect(try minutesKept() == 8)
    }

    @Test func `a disk that fails is reported once, and what it missed is written after it recovers`() throws {
        // A file in place of the folder: writing fails, for root too.
        _ = try folder.file("state", [])
        var writer = writer()
        for second in 0..<50 { writer.record([exit(Double(second))]) }
        #expect(log.text.count == 1)
        #expect(log.text.first?.contains("--state-dir") == true)
        #expect(writer.nextAttempt != nil)
        #expect(writer.problem?.description.contains("--state-dir") == true)
        try FileManager.default.removeItem(atPath: directory)
        writer.finish(at: evening)
        #expect(try kept() == (0..<50).map { exit(Double($0)).json })
        #expect(log.text.count == 2 && log.text.last?.contains("again") == true)
        #expect(writer.problem == nil)
    }

    @Test func `another number of days applies to the next removal`() throws {
        let settings = HistoryRecorder.Settings(.init())
        var writer = HistoryWriter(
            directory: directory, settings: settings.present, durability: .process, logger: log.logger)
        writer.record([exit(0), exit(40 * 86_400)])
        #expect(try kept().count == 2)
        var shorter = Configuration.History()
        shorter.keep = 30
        settings.set(shorter)
        writer.record([exit(41 * 86_400)])
        #expect(try kept() == [exit(40 * 86_400).json, exit(41 * 86_400).json])
    }

    @Test func `what is never written is counted`() throws {
        _ = try folder.file("state", [])
        var writer = writer()
        writer.record([exit(1), exit(2)])
        writer.finish(at: evening)
        #expect(log.text.last?.contains("2 events are missing") == true)
    }

    @Test func `a damaged history is moved to a name that is logged, and a new one begins`() throws {
        try StateDirectory.make(directory)
        _ = try folder.file("state/history.sqlite", Array("rubbish, and more of it than a header has".utf8))
        var writer = writer()
        writer.record([exit(1)])
        #expect(try kept() == [exit(1).json])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        let aside = try #require(names.first { $0.contains("damaged") })
        #expect(log.text.count == 1 && log.text.first?.hasSuffix("\(directory)/\(aside)") == true)
    }

    @Test func `another program's database, and a newer okaeri's, are left alone`() throws {
        try StateDirectory.make(directory)
        var first = writer()
        first.record([exit(1)])
        first.finish(at: evening)
        let file = "\(directory)/history.sqlite"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        // The application id is at offset 68 (sqlite.org/fileformat2.html#database_header).
        bytes.replaceSubrange(68..<72, with: [1, 2, 3, 4])
        try Data(bytes).write(to: URL(filePath: file))
        var second = writer()
        second.record([exit(2)])
        second.finish(at: evening)
        #expect([UInt8](try Data(contentsOf: URL(filePath: file))) == bytes)
        #expect(log.text.first?.contains("another program") == true)
    }
}
