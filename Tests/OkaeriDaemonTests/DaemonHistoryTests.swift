import Glibc
import RegionMonitoring
import DaemonTestSupport
import TestSupport
import Testing

@testable import Client
@testable import Events
@testable import History
@testable import OkaeriConfiguration
@testable import OkaeriDaemon

@Suite struct DaemonHistoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.timeLimit(.minutes(5)))
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
            #expect(try folder.historyLines().starts(with: printed))
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

    private func daemon(_ socket: String, state: String) throws -> Daemon {
        let file = try folder.file("capture", capture([3, 4, 5], until: 60))
        return try Daemon(
            Configuration(json: Array(Configuration.example.utf8), file: ""),
            options: .init(
                configurationFile: "", capture: file, speed: 1000, simulatesWiFi: true,
                socket: "\(folder.path)/\(socket)", stateDirectory: "\(folder.path)/\(state)"),
            logger: quiet)
    }

    /// Runs a daemon while `body` asks it.
    private func run(
        _ daemon: Daemon, _ body: (APIClient, inout AsyncStream<Event>.Iterator) async throws -> Void
    ) async throws {
        var events = daemon.allEvents().makeAsyncIterator()
        let task = Task { try await daemon.run(with: []) }
        let client = APIClient(socket: daemon.options.socket)
        while (try? await client.text("/v1/status")) == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        try await body(client, &events)
        task.cancel()
        _ = await task.result
    }

    @Test(.timeLimit(.minutes(5)))
    func `a second daemon with another socket is refused the same state directory`() async throws {
        try await run(daemon("one", state: "state")) { client, _ in
            await #expect(throws: DaemonError.self) { try await daemon("two", state: "state").run(with: []) }
            do {
                try await daemon("two", state: "state").run(with: [])
            } catch let error as DaemonError {
                #expect(error.description.hasPrefix("cannot use \(folder.path)/state: another okaeri"))
            }
            #expect((try? await client.text("/v1/status")) != nil)
        }
        // The first has ended, and left the directory to the next.
        try await run(daemon("two", state: "state")) { _, _ in }
    }
}
