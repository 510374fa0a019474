import RegionMonitoring
import Synchronization
import Testing

@testable import Client
@testable import Events
@testable import History
@testable import Listening
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import ThreadService

@Suite struct HistoryKeeperTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lines(_ form: HistoryReport.Form = .json) throws -> [String] {
        var lines: [String] = []
        try HistoryReport(directory: folder.path, region: nil, since: nil, form: form).forEachLine { lines.append($0) }
        return lines
    }

    @Test func `nobody is told what is not kept yet`() throws {
        let keeper = HistoryRecorder(
            directory: folder.path, settings: .init(), now: { evening }, logger: quiet)
        let events = (0..<100).map { Event(time: evening + $0, kind: .didExitRegion(region: "home")) }
        for event in events { keeper.record(event) }
        keeper.stop()
        var told: [String] = []
        keeper.run { event in
            told.append(event.json)
            if told.count % 20 == 0 { #expect((try? lines())?.starts(with: told) == true) }
        }
        #expect(told == events.map(\.json))
        #expect(try lines() == told)
    }

    @Test(.timeLimit(.minutes(1)))
    func `whoever waits for it knows that all is told`() async {
        let keeper = HistoryRecorder(
            directory: folder.path, settings: .init(), now: { evening }, logger: quiet)
        let told = Counter()
        await withDiscardingTaskGroup { group in
            for round in 1...20 {
                for _ in 0..<10 { keeper.record(Event(time: evening, kind: .didExitRegion(region: "home"))) }
                if round == 1 {
                    // It blocks, and a machine may have one thread for all tasks.
                    let service = ThreadService(
                        loop: { keeper.run { _ in told.increment() } }, stop: {}, endsWithLoop: true)
                    group.addTask { try? await service.run() }
                }
                await keeper.caughtUp()
                #expect(told.count == round * 10)
            }
            keeper.stop()
        }
        // Nothing comes any more.
        await keeper.caughtUp()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a daemon keeps what it prints, and when it ended`() async throws {
        let file = try folder.file("capture", capture([3, 4, 5, 70, 71], until: 150))
        let configuration = try Configuration(json: Array(Configuration.example.utf8), file: "")
        let daemon = try Daemon(
            configuration,
            options: .init(
                configurationFile: "", capture: file, speed: 10_000, simulatesWiFi: true,
                socket: "\(folder.path)/socket", stateDirectory: folder.path),
            logger: quiet)
        let events = daemon.allEvents()
        let task = Task { try await daemon.run(with: []) }
        // A server that is stopped while it starts is another test's matter.
        let client = APIClient(socket: "\(folder.path)/socket")
        while (try? await client.text("/v1/status")) == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        var printed: [String] = []
        for await event in events {
            if case .didRangeBeacons = event.kind { continue }
            printed.append(event.json)
            #expect(try lines().starts(with: printed))
            if event.kind == .didDetermineState(region: "home", .outside), event.time > evening + nanoseconds(90) {
                task.cancel()
            }
        }
        _ = await task.result
        #expect(printed.count > 8)
        let record = try HistoryReader(directory: folder.path).day(
            from: evening, to: evening + nanoseconds(3600), now: evening + nanoseconds(3600))
        let minutes = record.regions.flatMap(\.minutes)
        #expect(minutes.map(\.heard) == [3, 2])
        #expect(minutes.first?.signal?.mean == -70)
        #expect(record.regions.first?.spans.map(\.state) == ["unknown", "inside", "outside", "inside", "outside"])
    }

    @Test func `without a state directory, or with nothing to keep, nothing is written`() throws {
        let file = try folder.file("capture", capture([3], until: 60))
        var settings = Configuration.History()
        settings.keep = 0
        #expect(HistoryWriter.ofReplay(directory: "\(folder.path)/state", settings: settings, logger: quiet) == nil)
        let told = Mutex(0)
        try Replay.run(file, regions: [monitored()], speed: nil, logger: quiet, progress: { _, _ in }) { _ in
            told.withLock { $0 += 1 }
        }
        #expect(told.withLock { $0 } == 7)
        #expect(throws: HistoryError.self) { try HistoryReader(directory: "\(folder.path)/state") }
    }

    @Test func `a replay keeps what it tells, before it tells it`() throws {
        let file = try folder.file("capture", capture([3, 4, 5], until: 60))
        let told = Mutex<[String]>([])
        let writer = HistoryWriter.ofReplay(directory: folder.path, settings: .init(), logger: quiet)
        try Replay.run(
            file, regions: [monitored()], writer: writer, speed: nil, logger: quiet, progress: { _, _ in }
        ) { event in told.withLock { $0.append(event.json) } }
        #expect(try lines() == told.withLock { $0 })
        #expect(try lines().count == 7)
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock(\.self) }

    func increment() { value.withLock { $0 += 1 } }
}
