import Dispatch
import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import OkaeriWiFi
import Synchronization
import Testing

@testable import OkaeriAutomation
@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents
@testable import OkaeriHistory
@testable import OkaeriPresence

/// Daemons that run one after another and keep their state in the same place.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
    private let folder: TemporaryFolder
    private let file: StateFile
    private let log = LogBook()

    init() throws {
        folder = try TemporaryFolder()
        file = StateFile(directory: "\(folder.path)/state")
    }

    /// Runs a daemon on a capture of the beacon at these seconds while `body` watches its events.
    private func run(
        _ seconds: [Double], until end: Double = 60, directory: String? = nil,
        _ body: (APIClient, inout AsyncStream<Event>.Iterator) async throws -> Void
    ) async throws {
        let capture = try folder.file("capture", capture(seconds, until: end))
        let configuration = try folder.file("beacons.json", Array(Configuration.example.utf8))
        let socket = "\(folder.path)/okaeri.sock"
        let daemon = try Daemon(
            Configuration(file: configuration),
            options: .init(
                configurationFile: configuration, capture: capture, speed: 1000, simulatesWiFi: true, socket: socket,
                stateDirectory: directory ?? "\(folder.path)/state"),
            logger: log.logger)
        var events = daemon.allEvents().makeAsyncIterator()
        let task = Task { try await daemon.run(with: []) }
        let client = APIClient(socket: socket, timeLimit: 120)
        try await eventually("the daemon answers") { (try? await client.text("/v1/status")) != nil }
        try await body(client, &events)
        task.cancel()
        _ = await task.result
    }

    /// The names of the events up to and including `name`, ranging left out.
    private func heard(_ name: String, _ events: inout AsyncStream<Event>.Iterator) async -> [String] {
        var names: [String] = []
        while let event = await events.next() {
            if event.kind.name.rawValue != "didRangeBeacons" { names.append(event.kind.name.rawValue) }
            if event.kind.name.rawValue == name { return names }
        }
        Issue.record("\(name) did not come")
        return names
    }

    /// Runs a daemon until the beacon is inside and the prompt for it waits.
    private func arrive(_ body: (APIClient) async throws -> Void = { _ in }) async throws {
        try await run([3, 4, 5], until: 20) { client, events in
            _ = await heard("wifiPrompt", &events)
            try await body(client)
        }
    }

    /// With one core there is one such thread, and the terminal's `readLine` sat on it.
    @Test func `the state is written while no thread of the shared pool is free`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let threads = NIOSingletons.blockingPoolThreadCountSuggestion
        for _ in 0..<threads { NIOThreadPool.singleton.submit { _ in gate.wait() } }
        defer { for _ in 0..<threads { gate.signal() } }
        try await arrive { _ in
            try await eventually("the state is written") { (try? file.read(persistedTypes)) != nil }
        }
    }

    @Test func `inside before and still there: no second enter, and the prompt that waited is put again`() async throws
    {
        try await arrive()
        let kept = try #require(try file.read(persistedTypes))
        #expect((kept[PresenceMemory.self]?.regions.map(\.state)) == ["inside"])
        #expect((kept[PromptMemory.self]?.prompts.visits ?? []).map(\.prompt) == ["1"])
        try await run([2], until: 20) { client, events in
            let names = await heard("wifiPrompt", &events)
            #expect(!names.contains("didEnterRegion"), "\(names)")
            #expect(names.contains("didDetermineState"))
            let status: StatusReport = try await client.get("/v1/status")
            #expect(status.kept?.start == "restored")
            #expect(status.kept?.age != nil)
            #expect(status.prompts.map(\.id) == ["1"])
            #expect(status.prompts.map(\.arrival) == [1], "the same visit")
        }
        #expect(log.count("was restored") == 1)
    }

    @Test func `inside before and not heard of: left after the exit time from the start`() async throws {
        try await arrive()
        try await run([]) { _, events in
            while let event = await events.next() {
                #expect(event.kind.name.rawValue != "didEnterRegion")
                guard event.kind.name.rawValue == "didExitRegion" else { continue }
                #expect(event.time == evening + nanoseconds(35))
                return
            }
        }
    }

    @Test func `outside before and heard: an arrival, with its prompt`() async throws {
        try await run([3]) { _, events in _ = await heard("didExitRegion", &events) }
        #expect(try #require(try file.read(persistedTypes))[PresenceMemory.self]?.regions.map(\.state) == ["outside"])
        try await run([2], until: 20) { _, events in
            #expect(await heard("didDetermineState", &events).count == 3)
            #expect(await heard("didEnterRegion", &events) == ["didEnterRegion"])
        }
    }

    @Test func `a state that is too old is reported as stale, and a beacon that is received arrives`() async throws {
        try await arrive { client in _ = try await client.answer("1", .later) }
        var kept = try #require(try file.read(persistedTypes))
        kept.written = StateStamp(wall: kept.written.wall - nanoseconds(1000), boot: "another", uptime: 0)
        try file.write(kept.text)
        try await run([2], until: 20) { client, events in
            #expect(await heard("wifiPrompt", &events).contains("didEnterRegion"))
            let status: StatusReport = try await client.get("/v1/status")
            #expect(status.kept?.start == "stale")
            #expect(status.kept?.age.map { $0 >= 1000 } == true)
            #expect(status.prompts.map(\.id) == ["2"])
        }
        #expect(log.count("stale") == 1)
    }

    @Test func `a damaged state is moved to a name that is logged, and the daemon goes on`() async throws {
        try await arrive()
        let whole = try Data(contentsOf: URL(filePath: file.path))
        try whole.prefix(200).write(to: URL(filePath: file.path))
        try await run([2], until: 20) { client, events in
            #expect(await heard("wifiPrompt", &events).contains("didEnterRegion"))
            let status: StatusReport = try await client.get("/v1/status")
            #expect(status.kept?.start == "refused")
        }
        let aside = "\(file.path).damaged"
        #expect(log.count(aside) == 1)
        #expect(try Data(contentsOf: URL(filePath: aside)) == whole.prefix(200))
        #expect(try file.read(persistedTypes) != nil, "a new one has taken its place")
    }

    @Test func `what a newer version has kept is not lost, and work goes on`() async throws {
        try await arrive()
        var newer = try #require(try file.read(persistedTypes))
        newer.version = 9
        try file.write(newer.text)
        let state = try Data(contentsOf: URL(filePath: file.path))
        let history = "\(folder.path)/state/history.sqlite"
        try SQLiteConnection(file: history, mode: .readWrite).execute("INSERT INTO migrations VALUES ('moods')")
        let rows = try Data(contentsOf: URL(filePath: history))
        try await run([2], until: 20) { client, events in
            #expect(await heard("wifiPrompt", &events).contains("didEnterRegion"))
            let status: StatusReport = try await client.get("/v1/status")
            #expect(status.kept?.start == "refused")
            #expect(status.kept?.reason.contains("upgrade okaeri") == true)
        }
        #expect(log.count("\(file.path).layout-9") == 1)
        #expect(try Data(contentsOf: URL(filePath: "\(file.path).layout-9")) == state)
        #expect(try file.read(persistedTypes)?.version == PersistedState.version, "this one's own is kept beside it")
        #expect(log.count("the history is not written: \(history) was written by a newer okaeri: \"moods\"") == 1)
        #expect(try Data(contentsOf: URL(filePath: history)) == rows)
    }

    @Test func `a newer version's state that cannot be moved away is left where it is`() async throws {
        try await arrive()
        var newer = try #require(try file.read(persistedTypes))
        newer.version = 9
        try file.write(newer.text)
        let state = try Data(contentsOf: URL(filePath: file.path))
        // A file cannot take a folder's place.
        try FileManager.default.createDirectory(atPath: "\(file.path).layout-9", withIntermediateDirectories: false)
        try await run([2], until: 20) { client, events in
            #expect(await heard("wifiPrompt", &events).contains("didEnterRegion"))
        }
        #expect(log.count("cannot be moved away") == 1)
        #expect(try Data(contentsOf: URL(filePath: file.path)) == state)
    }

    @Test func `never is kept, and so is that it was taken back`() async throws {
        try await arrive { client in _ = try await client.answer("1", .never) }
        try await run([2], until: 20) { client, _ in
            let prompts: PromptsReport = try await client.get("/v1/prompts")
            #expect(prompts.never == ["HomeNet"])
            _ = try await client.clearNever(ssid: "HomeNet")
        }
        #expect(try #require(try file.read(persistedTypes))[PromptMemory.self]?.prompts.never == [])
    }

    /// A state is restored before a capture's clock is known, so ages are those of that clock.
    @Test func `the state of a daemon that restored a prompt is restored once more`() async throws {
        try await arrive { client in _ = try await client.answer("1", .later) }
        for _ in 0..<2 {
            try await run([2], until: 20) { client, events in
                _ = await heard("didDetermineState", &events)
                let status: StatusReport = try await client.get("/v1/status")
                #expect(status.kept?.start == "restored")
            }
        }
        #expect(log.count("damaged") == 0)
    }

    @Test func `a state that cannot be stored is logged once, and the daemon goes on`() async throws {
        try await run([3], directory: "/dev/null/state") { client, events in
            _ = await heard("didExitRegion", &events)
            var problem: String?
            try await eventually("the status has the problem") {
                let status: StatusReport = try await client.get("/v1/status")
                problem = status.kept?.problem
                return problem != nil
            }
            #expect(problem == "Not a directory")
        }
        #expect(log.count("cannot be stored") == 1)
    }

    @Test func `what a kill leaves behind is what was known then`() async throws {
        try await run([3, 4, 5], until: 20) { _, events in
            _ = await heard("wifiPrompt", &events)
            // The daemon still runs: it wrote without a notice of its end.
            try await eventually("the prompt is written") {
                try file.read(persistedTypes)?[PromptMemory.self]?.prompts.visits.first?.prompt == "1"
            }
            let kept = try #require(try file.read(persistedTypes))
            #expect((kept[PresenceMemory.self]?.regions.map(\.state)) == ["inside"])
        }
    }
}
