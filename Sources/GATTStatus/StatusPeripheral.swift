public import BlueZ
public import Logging
public import OkaeriDaemon
public import ServiceLifecycle

/// Tells centrals over GATT what the daemon knows, and takes their answers to it. The values are those of docs/gatt.md.
public actor StatusPeripheral: ServiceLifecycle.Service {
    /// Between two attempts to reach the daemon, doubled up to the longest.
    private static let firstRetry = Duration.seconds(1)
    private static let longestRetry = Duration.seconds(30)

    /// While a prompt waits: one that is withdrawn, because everybody has left, has no event. And after an answer that
    /// did not come.
    private static let recheck = Duration.seconds(10)

    private let client: @Sendable () -> APIClient
    private let manager: PeripheralManager
    private let level: LogLevel
    private let logger: Logger
    private var board = StatusBoard()
    private var retry = firstRetry

    /// Whether it is going to ask again by itself.
    private var isWaiting = false

    /// What was last said of the daemon: each thing is said once.
    private var said: String?

    /// The daemon is to be asked how it is. One after another, so that no older answer comes after a newer one.
    private let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - client: looks for the daemon; asked anew each time, for its socket may come later.
    ///   - manager: serves it; the service is added to it when this runs.
    ///   - level: what centrals set by the log level.
    public init(
        client: @escaping @Sendable () -> APIClient, manager: PeripheralManager, level: LogLevel, logger: Logger
    ) {
        self.client = client
        self.manager = manager
        self.level = level
        self.logger = logger
    }

    /// Runs until it is stopped.
    public func run() async {
        manager.add(service)
        await withDiscardingTaskGroup { group in
            group.addTask { await cancelWhenGracefulShutdown { await self.follow() } }
            group.addTask {
                await cancelWhenGracefulShutdown { for await _ in self.looks { await self.ask() } }
            }
        }
    }

    // MARK: The daemon

    private func follow() async {
        while !Task.isCancelled {
            do throws(APIClient.Failure) {
                try await client().events { item in await self.told(item) }
                await lost("okaeri has stopped; waiting for it to come back")
            } catch {
                if !Task.isCancelled { await lost("\(error). Trying again until it is there") }
            }
            try? await Task.sleep(for: retry)
            retry = min(retry * 2, Self.longestRetry)
        }
    }

    private func told(_ item: APIClient.Feed) {
        switch item {
        case .opened:
            retry = Self.firstRetry
            say("following okaeri")
        case .event(let event): if event.event == "didRangeBeacons" { return }
        }
        look.yield()
    }

    /// Asks the daemon how it is, and tells what has changed.
    private func ask() async {
        let report: StatusReport? = try? await client().get("/v1/status?beacons=false")
        if let report { await send(board.told(report)) }
        guard report == nil || board.isAsking, !isWaiting else { return }
        isWaiting = true
        Task {
            try? await Task.sleep(for: Self.recheck)
            isWaiting = false
            look.yield()
        }
    }

    private func lost(_ sentence: String) async {
        say(sentence)
        await send(board.daemonLost())
    }

    private func send(_ updates: [StatusBoard.Update]) async {
        for update in updates {
            switch update {
            case .region(let value): await manager.updateValue(value, for: StatusProfile.regionStates)
            case .prompts(let value): await manager.updateValue(value, for: StatusProfile.waitingPrompt)
            }
        }
    }

    private func say(_ sentence: String) {
        guard sentence != said else { return }
        said = sentence
        logger.notice("\(sentence)")
    }

    // MARK: Centrals

    private var service: MutableService {
        MutableService(
            StatusProfile.service,
            characteristics: [
                .init(StatusProfile.regionStates, properties: [.read, .notify]) { _ in await self.board.regionStates },
                .init(StatusProfile.waitingPrompt, properties: [.read, .indicate]) { _ in await self.board.prompts },
                .init(
                    StatusProfile.answer, properties: .write, permissions: .writeEncryptionRequired,
                    write: { value, central throws(ATTError) in try await self.answer(value, central) }),
                .init(
                    StatusProfile.logLevel, properties: .writeWithoutResponse,
                    write: { value, central throws(ATTError) in try await self.setLevel(value, central) }),
            ])
    }

    private func answer(_ value: [UInt8], _ central: Central) async throws(ATTError) {
        let reply = try PromptReply(value)
        guard let prompt = board.prompt(reply.token) else {
            throw ATTError(.application, "no prompt \(reply.token) waits any more")
        }
        do throws(APIClient.Failure) {
            _ = try await client().answer(prompt.id, reply.answer)
        } catch {
            throw ATTError(.application, error.description)
        }
        logger.notice("\(central.address) has answered the prompt for \"\(prompt.ssid)\": \(reply.answer)")
        look.yield()
    }

    private func setLevel(_ value: [UInt8], _ central: Central) throws(ATTError) {
        guard let level = Logger.Level(rawValue: String(decoding: value, as: UTF8.self)) else {
            let words = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ATTError(.requestNotSupported, "a log level is one of \(words)")
        }
        guard level != self.level.value else { return }
        self.level.value = level
        logger.log(level: level, "the log level is \(level) now: \(central.address) has set it")
    }
}
