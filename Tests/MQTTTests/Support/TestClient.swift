import OkaeriPlumbing

@testable import OkaeriMQTT

/// A client that runs for as long as the object lives, and what it was sent.
final class TestClient: Sendable {
    let client: MQTTClient
    let messages: AsyncStream<MQTTMessage>
    let notices: AsyncStream<String>
    let running: Task<Void, any Error>

    /// - Parameter change: changes the settings of a client that comes back fast.
    init(
        _ port: UInt16, _ clientID: String = "okaeri-home-test", host: String = "127.0.0.1",
        _ change: (inout MQTTSettings) -> Void = { _ in }
    ) throws {
        var settings = MQTTSettings(broker: .init(host: host, port: port), clientID: clientID)
        settings.limits.firstDelay = .milliseconds(10)
        settings.limits.longestDelay = .milliseconds(100)
        change(&settings)
        let (messages, news) = AsyncStream.makeStream(of: MQTTMessage.self)
        let (notices, sentences) = AsyncStream.makeStream(of: String.self)
        let client = try MQTTClient(settings) {
            news.yield($0)
        } onNotice: {
            sentences.yield($0)
        }
        (self.client, self.messages, self.notices) = (client, messages, notices)
        running = Task { try await client.run() }
    }

    deinit { client.stop() }

    /// Waits for a state; the test's time limit ends a wait in vain.
    @discardableResult
    func state(_ isWanted: (BrokerState) -> Bool) async throws -> BrokerState {
        for await state in client.states.values(backlog: 64) where isWanted(state) { return state }
        throw CancellationError()
    }

    @discardableResult
    func connected() async throws -> BrokerState { try await state(\.isConnected) }

    /// Waits until it fails for this reason.
    func failed(_ problem: BrokerProblem) async throws {
        try await state { $0.phase == .failed(problem) }
    }

    /// The next message on a topic, and the next of all.
    func message(_ topic: String? = nil) async throws -> MQTTMessage {
        for await message in messages where topic == nil || message.topic == topic { return message }
        throw CancellationError()
    }

    /// The text of the next message on a topic.
    func text(_ topic: String) async throws -> String {
        String(decoding: try await message(topic).payload, as: UTF8.self)
    }

    func value(_ topic: String, _ text: String) {
        client.publish(.value(topic, text.utf8))
    }

    func event(_ topic: String, _ text: String) { client.publish(.event(topic, text.utf8)) }

    /// Stops it, and waits for its end.
    func stop() async throws {
        client.stop()
        try await running.value
    }
}
