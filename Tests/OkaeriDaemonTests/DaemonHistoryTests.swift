import Glibc
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents
@testable import OkaeriHistory

@Suite struct DaemonHistoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.timeLimit(.minutes(5)))
    func `a daemon keeps what it prints, and when it ended`() async throws {
        let file = try folder.file("capture", capture([3, 4, 5, 70, 71], until: 150))
        var configuration = try Configuration(json: Array(Configuration.example.utf8), file: "")
        configuration.regions[0].monitored.exitAfter = .seconds(30)
        let daemon = try Daemon(
            configuration,
            options: .init(
                configurationFile: "", capture: file, speed: 10_000, simulatesWiFi: true,
                socket: "\(folder.path)/socket", stateDirectory: folder.path),
            logger: quiet)
        let events = daemon.allEvents()
        let task = Task { try await daemon.run(with: []) }
        // A server that is stopped while it starts is another test's matter.
        let client = APIClient(socket: "\(folder.path)/socket", timeLimit: 120)
        try await eventually("the daemon answers") { (try? await client.text("/v1/status")) != nil }
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
        let reader = try HistoryReader(directory: folder.path)
        let (start, end) = (evening, evening + nanoseconds(3600))
        let record = try reader.day(from: start, to: end, now: end)
        let minutes = try reader.minutes(in: start..<end)
        #expect(minutes.map(\.heard) == [3, 2])
        #expect(minutes.first?.signal?.mean == -70)
        #expect(record.regions.first?.spans.map(\.value) == ["unknown", "inside", "outside", "inside", "outside"])
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
        let client = APIClient(socket: daemon.options.socket, timeLimit: 120)
        try await eventually("the daemon answers") { (try? await client.text("/v1/status")) != nil }
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

    @Test(.timeLimit(.minutes(5)))
    func `a daemon answers with the history that its file has`() async throws {
        mkdir("\(folder.path)/state", 0o700)
        let store = try HistoryStore(directory: "\(folder.path)/state", durability: .process)
        let old = (0..<4100).map { index in
            Event(
                time: evening - nanoseconds(Double(5000 - index)), node: "pi", sequence: UInt64(index),
                kind: .didExitRegion(region: index.isMultiple(of: 2) ? "お帰り &=" : "home"))
        }
        let silence = SilenceRecord(
            time: evening - nanoseconds(10), region: "home",
            silence: EndedSilence(
                length: .seconds(15.2),
                exitTimes: .init(quick: .seconds(8), balanced: .seconds(12), patient: .seconds(20)),
                leftFor: .seconds(3.2), signalBefore: -60, signalAfter: -62))
        try store.record(old.compactMap { HistoryEvent($0) }, [], [silence])
        try store.runEnded(at: evening)
        try await run(daemon("socket", state: "state")) { client, events in
            while let event = await events.next(), event.kind != .didDetermineState(region: "home", .outside) {}
            func sent(_ region: String?, _ since: Int64?) async throws -> [String] {
                var lines: [String] = []
                try await client.history(region: region, since: since) { lines += $0.map(\.json) }
                return lines
            }
            func kept(_ region: String?, _ since: Int64?) throws -> [String] {
                var lines: [String] = []
                try HistoryReport(
                    directory: "\(folder.path)/state", region: region, since: since,
                    form: .json
                ).forEachLine { lines.append($0) }
                return lines
            }
            for (region, since) in [
                (nil, nil), ("home", nil), ("お帰り &=", evening - nanoseconds(2000)), ("nowhere", nil),
            ] as [(String?, Int64?)] {
                let lines = try await sent(region, since)
                #expect(try lines == kept(region, since))
                #expect(lines.isEmpty == (region == "nowhere"))
            }
            let mistakes: MistakesHistory = try await client.mistakes(region: nil, since: nil, as: MistakesHistory.self)
            let read = try MistakesHistory(directory: "\(folder.path)/state", region: nil, since: nil)
            #expect(mistakes.text == read.text && read.text.contains("silent for 15.2 s"))
        }
    }
}
