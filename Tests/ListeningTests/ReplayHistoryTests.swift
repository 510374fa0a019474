import OkaeriDaemonTestSupport
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriHistory
@testable import OkaeriListening

@Suite struct ReplayHistoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `without a state directory, or with nothing to keep, nothing is written`() throws {
        let file = try folder.file("capture", capture([3], until: 60))
        var settings = Configuration.History()
        settings.keep = 0
        #expect(HistoryWriter.ofReplay(directory: "\(folder.path)/state", settings: settings, logger: quiet) == nil)
        let published = Mutex(0)
        try Replay.run(file, regions: [monitored()], speed: nil, logger: quiet, progress: { _, _ in }) { _ in
            published.withLock { $0 += 1 }
        }
        #expect(published.withLock { $0 } == 7)
        #expect(throws: HistoryError.self) { try HistoryReader(directory: "\(folder.path)/state") }
    }

    @Test func `a replay stores an event before it prints it`() throws {
        let file = try folder.file("capture", capture([3, 4, 5], until: 60))
        let published = Mutex<[String]>([])
        let writer = HistoryWriter.ofReplay(directory: folder.path, settings: .init(), logger: quiet)
        try Replay.run(
            file, regions: [monitored()], writer: writer, speed: nil, logger: quiet, progress: { _, _ in }
        ) { event in published.withLock { $0.append(event.json) } }
        #expect(try folder.historyLines() == published.withLock { $0 })
        #expect(try folder.historyLines().count == 7)
    }
}
