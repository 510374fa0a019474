package import BlueZ
package import Logging
package import OkaeriClient
import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi
import ServiceLifecycle

/// Serves what the daemon knows to centrals over GATT, and takes their answers to it. The values are those of
/// docs/gatt.md.
package actor StatusPeripheral: ServiceLifecycle.Service {
    /// While a prompt waits: there is no event for one that is withdrawn because the regions were left. And after an
    /// answer that did not come.
    private static let recheck = Duration.seconds(10)

    private let client: @Sendable () -> APIClient
    private let manager: PeripheralManager
    private let level: LogLevel
    private let isOpen: Bool
    private let acceptsJustWorks: Bool
    private let logger: Logger
    private var board = StatusBoard()

    /// The characteristics that are served, by their UUID.
    private var served: [BluetoothUUID: MutableCharacteristic.ID] = [:]

    private var pending = PendingUpdates()

    /// The next request while a prompt waits, or after an answer that did not come.
    private let nextRequest = Alarm()

    /// The last message about the daemon: each is logged once.
    private var logged: String?

    /// The daemon is to be asked for its status. One after another, so that no older answer comes after a newer one.
    private let (requests, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - client: looks for the daemon; asked anew each time, for its socket may come later.
    ///   - manager: serves it; the service is added to it when this runs.
    ///   - level: Sets the log level for centrals.
    ///   - isOpen: Whether the region states are readable by all devices in range, paired or not.
    ///   - acceptsJustWorks: whether a central may write that paired without authentication. With an agent that cannot
    ///     show a number, every device in range pairs so.
    package init(
        client: @escaping @Sendable () -> APIClient, manager: PeripheralManager, level: LogLevel, isOpen: Bool = false,
        acceptsJustWorks: Bool = false, logger: Logger
    ) {
        self.client = client
        self.manager = manager
        self.level = level
        self.isOpen = isOpen
        self.acceptsJustWorks = acceptsJustWorks
        self.logger = logger
    }

    /// Runs until it is stopped.
    package func run() async throws {
        let service = service
        for characteristic in service.characteristics { served[characteristic.uuid] = characteristic.id }
        let events = manager.events
        try manager.add(service)
        await withDiscardingTaskGroup { group in
            group.addTask { await cancelWhenGracefulShutdown { await self.follow() } }
            group.addTask {
                await cancelWhenGracefulShutdown { for await _ in self.requests { await self.ask() } }
            }
            group.addTask {
                await cancelWhenGracefulShutdown {
                    for await event in events where event == .isReadyToUpdateSubscribers { await self.notify([]) }
                }
            }
        }
        nextRequest.clear()
    }

    // MARK: The daemon

    private func follow() async {
        await DaemonFollower(client: client).run { change in
            await self.changed(change)
            return true
        }
    }

    private func changed(_ change: DaemonFollower.Change) {
        switch change {
        case .followed:
            log("following okaeri")
            request.yield()
        case .event(let event): if event.kind.name != .didRangeBeacons { request.yield() }
        case .lost(nil): lost("okaeri has stopped; waiting for it to come back")
        case .lost(let failure?): lost("\(failure); trying again until it is there")
        }
    }

    /// Asks the daemon for its status, and notifies what has changed.
    private func ask() async {
        let report: StatusReport? = try? await client().get(Route.briefStatus)
        if let report { notify(board.update(with: report)) }
        guard report == nil || board.isAsking else { return nextRequest.clear() }
        nextRequest.set(.now + Self.recheck) { [request] in request.yield() }
    }

    private func lost(_ sentence: String) {
        log(sentence)
        notify(board.daemonLost())
    }

    /// Notifies the subscribers of updates, after those that wait for room.
    private func notify(_ updates: [StatusBoard.Update]) {
        pending.append(updates)
        pending.send(send)
    }

    private func send(_ update: StatusBoard.Update) -> PeripheralManager.UpdateResult {
        let (uuid, value) =
            switch update {
            case .region(let value): (StatusProfile.regionStates, value)
            case .prompts(let value): (StatusProfile.waitingPrompt, value)
            }
        return served[uuid].map { manager.updateValue(value, for: $0) } ?? .notServed
    }

    private func log(_ sentence: String) {
        guard sentence != logged else { return }
        logged = sentence
        logger.notice("\(sentence)")
    }

    // MARK: Centrals

    /// The service to register. All of it requires an encrypted link, and so pairing: the people at home and their
    /// networks must not be visible to a passer-by with a radio.
    var service: MutableService {
        let writing: MutableCharacteristic.Permissions =
            acceptsJustWorks ? .writeEncryptionRequired : .writeAuthenticationRequired
        return MutableService(
            StatusProfile.service,
            characteristics: [
                .init(
                    StatusProfile.regionStates,
                    properties: isOpen ? [.read, .notify] : [.read, .notifyEncryptionRequired],
                    permissions: isOpen ? [] : .readEncryptionRequired, read: { _ in await self.board.regionStates }),
                .init(
                    StatusProfile.waitingPrompt, properties: [.read, .indicateEncryptionRequired],
                    permissions: .readEncryptionRequired, read: { _ in await self.board.prompts }),
                .init(
                    StatusProfile.answer, properties: .write, permissions: writing,
                    write: { value, central in try await self.answer(value, central) }),
                .init(
                    StatusProfile.logLevel, properties: [.write, .writeWithoutResponse], permissions: writing,
                    write: { value, central in try await self.setLevel(value, central) }),
            ])
    }

    private func answer(_ value: [UInt8], _ central: Central) async throws(ATTError) {
        let reply = try PromptReply(value)
        guard let prompt = board.prompt(reply.token) else {
            throw ATTError(.application(), "no prompt \(reply.token) waits any more")
        }
        do throws(APIClient.Failure) {
            _ = try await client().answer(prompt.id, reply.answer)
        } catch {
            throw ATTError(.application(), error.description)
        }
        logger.notice("\(central.address) has answered the prompt for \"\(prompt.ssid)\": \(reply.answer.rawValue)")
        request.yield()
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

/// The service's and its characteristics' UUIDs, as docs/gatt.md has them: one of ours, counted on in its first group.
package enum StatusProfile {
    /// The primary service.
    package static let service = uuid(0x0001)
    /// Region states: read, notified. UTF-8, a line for each region.
    package static let regionStates = uuid(0x0002)
    /// The prompts that wait: read, indicated. UTF-8, a line for each.
    package static let waitingPrompt = uuid(0x0003)
    /// The answer to a prompt: written. Its token, a space and a word.
    package static let answer = uuid(0x0004)
    /// The log level of the process that serves: written.
    package static let logLevel = uuid(0x0005)

    private static func uuid(_ number: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: 0x8E6B_0000_5C1F_4D27 | number << 32, low: 0x9A43_B1D0_6F7C_2E95)
    }
}

/// The answer of a central: `1C291CA3 join`.
struct PromptReply: Equatable {
    let token: String
    let answer: PromptAnswer

    private static let tokenLength = 8

    init(_ value: [UInt8]) throws(ATTError) {
        let lengths = PromptAnswer.allCases.map { Self.tokenLength + 1 + $0.rawValue.utf8.count }
        guard lengths.contains(value.count) else {
            throw ATTError(.invalidAttributeValueLength, "an answer of \(value.count) bytes is not an answer")
        }
        let words = String(decoding: value, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].utf8.count == Self.tokenLength,
            let answer = PromptAnswer(rawValue: String(words[1]))
        else {
            throw ATTError(
                .requestNotSupported, "an answer is the prompt's eight digits, a space, and join, later or never")
        }
        token = words[0].uppercased()
        self.answer = answer
    }
}

/// The updates that wait for the queue of the manager, the oldest first.
struct PendingUpdates: Sendable {
    /// The maximum number of updates; of more the oldest are dropped. A central that missed one can read the whole value.
    static let limit = 256

    private var updates: [StatusBoard.Update] = []

    mutating func append(_ more: [StatusBoard.Update]) {
        updates = (updates + more).suffix(Self.limit)
    }

    /// Sends the updates in their order, until the queue of the manager is full.
    mutating func send(_ send: (StatusBoard.Update) -> PeripheralManager.UpdateResult) {
        let sent = updates.prefix { send($0) != .queueFull }
        updates.removeFirst(sent.count)
    }
}
