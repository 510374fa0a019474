import Foundation
import Logging
import OkaeriBluetooth
import OkaeriDBus
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import ServiceLifecycleTestKit
import Testing

@testable import OkaeriAgent
@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents

/// The agent between a daemon and a notification server.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AgentTests {
    private let bench: DesktopBench
    private let folder: TemporaryFolder

    private var socket: String { "\(folder.path)/okaeri.sock" }

    init() async throws {
        folder = try TemporaryFolder()
        bench = try await DesktopBench()
    }

    /// Runs a daemon whose region is entered, while `body` runs.
    private func withDaemon(_ body: (APIClient) async throws -> Void) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..").path
        let file = "\(root)/beacons.json"
        let daemon = try Daemon(
            Configuration(file: file),
            options: .init(
                configurationFile: file, capture: "\(root)/Demo/homecoming.btsnoop", simulatesWiFi: true,
                socket: socket),
            logger: quiet)
        try await with(daemon, from: "\"wifiPrompt\"", body)
    }

    /// Runs a daemon, and `body` from an event with these words on.
    private func with(_ daemon: Daemon, from words: String, _ body: (APIClient) async throws -> Void) async throws {
        let events = daemon.allEvents()
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        // Stopped as SIGTERM stops it: the agent may connect at any moment.
        let task = Task {
            try await testGracefulShutdown { trigger in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await daemon.run(with: []) }
                    for await _ in stops {}
                    trigger.triggerGracefulShutdown()
                    try await group.waitForAll()
                }
            }
        }
        for await event in events where event.json.contains(words) { break }
        let client = APIClient(socket: socket, timeLimit: 120)
        try await eventually("the daemon answers") { (try? await client.text("/v1/status")) != nil }
        try await ended(task, by: { stop.finish() }) { try await body(client) }
    }

    private func withAgent(
        _ language: Language = .english, directory: String? = nil, _ body: () async throws -> Void
    ) async throws {
        var limits = BluetoothAlert.Limits()
        limits.grace = .zero
        let agent = Agent(
            client: { [socket] in APIClient(socket: socket, timeLimit: 120) }, bus: bench.address, directory: directory,
            language: language, retry: BackOff(.milliseconds(20), limit: .milliseconds(100)),
            alert: BluetoothAlert(limits: limits), logger: quiet)
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await testGracefulShutdown { trigger in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await agent.run() }
                    for await _ in stops {}
                    trigger.triggerGracefulShutdown()
                    try await group.waitForAll()
                }
            }
        }
        try await ended(task, by: { stop.finish() }, body)
    }

    /// Ends the task when `body` is over, however that ends.
    private func ended(
        _ task: Task<Void, any Error>, by end: () -> Void, _ body: () async throws -> Void
    ) async throws {
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        end()
        _ = await task.result
        try result.get()
    }

    @Test func `a prompt that waits already is shown, joined by its button, and its end is reported`() async throws {
        try await bench.mock()
        try await withDaemon { client in
            try await withAgent {
                try await bench.wait { try $0.shown.count == 1 }
                let question = try #require(try bench.shown.first)
                #expect(question.summary == "Welcome home")
                #expect(question.body == "Join the Wi-Fi “HomeNet”?")
                #expect(question.actions == ["join", "Join", "later", "Later", "never", "Never"])
                #expect(question.expiry == 0, "it stays")
                try bench.press(1, "join")
                try await bench.wait { try $0.shown.count == 2 }
                #expect(try bench.shown.last?.body == "Connected to “HomeNet”.")
                let prompts: PromptsReport = try await client.get("/v1/prompts")
                #expect(prompts.waiting.isEmpty)
            }
        }
    }

    @Test func `Bluetooth that is off when the agent starts is shown, and goes with the agent`() async throws {
        let server = try await NotificationServer(on: bench.address)
        let daemon = try Daemon(
            Configuration(regions: []), options: .init(configurationFile: "/none", simulatesWiFi: true, socket: socket),
            kernel: NoAdapters(), logger: quiet)
        try await with(daemon, from: #""state":"unsupported""#) { _ in
            var (calls, closed) = (server.shown.makeAsyncIterator(), server.closed.makeAsyncIterator())
            try await withAgent { _ = try #require(await calls.next()) }
            #expect(await closed.next() == 1)
        }
    }

    @Test func `a question is sent again until the notification server shows it`() async throws {
        let failures = 12
        let server = try await NotificationServer(on: bench.address, failures: failures)
        try await withDaemon { client in
            try await withAgent {
                var calls = server.shown.makeAsyncIterator()
                for _ in 0...failures { _ = try #require(await calls.next()) }
                // The agent learns the number of the notification only after the server has been asked.
                try await eventually("the prompt is answered") {
                    try await server.emit("ActionInvoked", .uint32(UInt32(failures + 1)), .string("later"))
                    return try await client.get("/v1/prompts", as: PromptsReport.self).waiting.isEmpty
                }
            }
        }
    }

    @Test func `the question goes with the daemon, and with the agent`() async throws {
        let server = try await NotificationServer(on: bench.address)
        try await withAgent {
            var (calls, closed) = (server.shown.makeAsyncIterator(), server.closed.makeAsyncIterator())
            try await withDaemon { _ in _ = try #require(await calls.next()) }
            #expect(await closed.next() == 1)
        }
        try await withDaemon { _ in
            var (calls, closed) = (server.shown.makeAsyncIterator(), server.closed.makeAsyncIterator())
            try await withAgent { _ = try #require(await calls.next()) }
            #expect(await closed.next() == 2)
        }
    }

    @Test func `a question that expires on the screen is shown again, and one that is closed is not`() async throws {
        let server = try await NotificationServer(on: bench.address)
        try await withDaemon { _ in
            try await withAgent {
                var calls = server.shown.makeAsyncIterator()
                _ = try #require(await calls.next())
                try await server.emit("NotificationClosed", .uint32(1), .uint32(1))
                let again = try #require(await calls.next())
                #expect(again[5] == .strings(["join", "Join", "later", "Later", "never", "Never"]))
            }
        }
    }

    @Test func `the next agent removes the question of one that was killed`() async throws {
        let server = try await NotificationServer(on: bench.address)
        let folder = try TemporaryFolder()
        let earlier = QuestionsOnScreen(directory: folder.path)
        earlier.store([41, 42], on: try await server.uniqueName)
        #expect(earlier.ofEarlierAgent(on: ":9.9").isEmpty, "another server has other notifications")
        try await withAgent(directory: folder.path) {
            var closed = server.closed.makeAsyncIterator()
            #expect(await closed.next() == 41)
            #expect(await closed.next() == 42)
        }
    }

    @Test func `an answer given elsewhere takes the question off the screen`() async throws {
        try await bench.mock(["body"])
        try await withDaemon { client in
            try await withAgent(.japanese) {
                try await bench.wait { try $0.shown.count == 1 }
                let question = try #require(try bench.shown.first)
                #expect(question.actions == [])
                #expect(question.body.hasPrefix("Wi-Fi「HomeNet」に接続しますか？ okaeri answer 1 join"))
                _ = try await client.answer("1", .later)
                try await bench.wait { try $0.closed == [1] }
            }
        }
    }

    @Test func `a server that comes later, and one that restarts, show what waits`() async throws {
        try await withDaemon { client in
            try await withAgent {
                try await bench.mock()
                try await bench.wait { try $0.shown.count == 1 }
                try bench.stop()
                try await bench.mock()
                try await bench.wait { try $0.shown.count == 1 }
                try bench.press(1, "never")
                var prompts: PromptsReport?
                try await eventually("the prompt is answered") {
                    prompts = try await client.get("/v1/prompts")
                    return prompts?.waiting.isEmpty == true
                }
                #expect(prompts?.never == ["HomeNet"])
            }
        }
    }

    @Test func `a daemon that restarts is followed again`() async throws {
        try await bench.mock()
        try await withAgent {
            try await withDaemon { _ in try await bench.wait { try $0.shown.count == 1 } }
            try bench.dismiss(1)
            try await withDaemon { client in
                _ = try await client.answer("1", .join)
                try await bench.wait { try $0.shown.count > 1 }
                #expect(try bench.shown.last?.body.contains("HomeNet") == true)
            }
        }
    }

    @Test func `dunst shows it, and its button joins`() async throws {
        try await bench.dunst()
        try await withDaemon { client in
            try await withAgent {
                try await bench.wait { try $0.dunstctl("count", "displayed") == "1" }
                try bench.dunstctl("action")
                try await bench.wait { try $0.dunstctl("history").contains("Join the Wi-Fi “HomeNet”?") }
                // It closes by itself after ten seconds, perhaps before a slow machine looks.
                try await bench.wait {
                    try $0.dunstctl("count", "displayed") == "1"
                        || $0.dunstctl("history").contains("Connected to “HomeNet”.")
                }
                try bench.dunstctl("close")
                try await bench.wait { try $0.dunstctl("history").contains("Connected to “HomeNet”.") }
                let prompts: PromptsReport = try await client.get("/v1/prompts")
                #expect(prompts.waiting.isEmpty)
            }
        }
    }

    @Test func `it ends while there is neither a bus nor a daemon`() async throws {
        let log = LogBook()
        let agent = Agent(
            client: { APIClient(socket: "/nowhere/okaeri.sock") }, bus: "unix:path=/nowhere/bus", language: .english,
            logger: log.logger)
        let task = Task { try await agent.run() }
        try await ended(task, by: { task.cancel() }) { try await log.logged("/nowhere/okaeri.sock") }
        #expect(!log.text.contains { $0.hasPrefix("error") || $0.hasPrefix("warning") }, "\(log.text)")
    }
}

/// A kernel without Bluetooth.
private struct NoAdapters: BluetoothKernel {
    func adapters() throws(KernelError) -> [Adapter] { [] }

    func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
        throw KernelError(.openSocket, code: EAFNOSUPPORT)
    }

    func openHotPlugSocket() throws(KernelError) -> HCISocket { throw KernelError(.openSocket, code: EAFNOSUPPORT) }

    func now() -> Int64 { KernelClock.boottime }
}
