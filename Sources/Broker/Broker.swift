import Agreement
package import Events
import HomeAssistant
package import MQTT
import Plumbing
import ServiceLifecycle
import Synchronization

/// This node among others: what it sees goes to an MQTT broker, and what the house agrees on comes back as events.
///
/// Whatever the broker does, nothing here waits for it: words for it are left with the client, which has a thread of its own,
/// and a second thread turns when something is due.
package final class Broker: Service {
    /// What the daemon is asked or told; none of it may block.
    package struct Outputs: Sendable {
        package var happened: @Sendable (Event.Kind, Int64) -> Void
        /// Somebody answers this node's prompt.
        package var answered: @Sendable (_ prompt: String, _ word: String) -> Void
        /// A sentence for the log.
        package var noted: @Sendable (String) -> Void

        package init(
            happened: @escaping @Sendable (Event.Kind, Int64) -> Void,
            answered: @escaping @Sendable (String, String) -> Void, noted: @escaping @Sendable (String) -> Void
        ) {
            self.happened = happened
            self.answered = answered
            self.noted = noted
        }
    }

    struct Guarded: Sendable {
        var core: BrokerCore
        var isOver = false
        /// What is heard now; it is asked without the lock.
        var listen: @Sendable () -> [BrokerRanging] = { [] }
        /// The effects that wait for the broker's thread.
        var effects = Fifo<Effect>()

        mutating func carryOut(_ output: BrokerCore.Output, _ client: MQTTClient) {
            switch output {
            case .publish(let publication)
            where effects.isEmpty || publication.isRetained || publication.quality == .atMostOnce:
                client.publish(publication)
            case .publish(let publication): add(.publishBehind(publication))
            case .repeat(let topic): client.resend(topic)
            case .release(let topic): client.release(topic)
            case .subscribe(let filter): client.subscribe(filter)
            case .unsubscribe(let filter): client.unsubscribe(filter)
            case .subscribeAgain: client.subscribeAgain()
            case .announce: client.announce()
            case .happened(let kind, let time): add(.happened(kind, at: time))
            case .answer(let prompt, let word): add(.answer(prompt: prompt, word: word))
            }
        }

        /// Keeps an effect. If the disk is so slow that thousands wait, the oldest is lost.
        private mutating func add(_ effect: Effect) {
            if effects.count >= Self.effectLimit { _ = effects.popFirst() }
            effects.append(effect)
        }

        private static let effectLimit = 4096
    }

    /// An effect that may block, or that follows one.
    enum Effect: Sendable {
        case happened(Event.Kind, at: Int64)
        case answer(prompt: String, word: String)
        /// An event for others: it is recorded here before it is published.
        case publishBehind(MQTTPublication)
    }

    let guarded: Mutex<Guarded>
    let client: MQTTClient
    let outputs: Outputs
    private let inbox: Inbox
    let turn = BinarySemaphore()
    private let events: AsyncStream<Event>

    /// - Parameters:
    ///   - regions: the identifiers of the configured ones.
    ///   - events: what this node's hub publishes, from the beginning.
    package init(
        _ settings: BrokerSettings, broker: MQTTSettings.Broker, regions: [String], events: AsyncStream<Event>,
        outputs: Outputs
    ) throws(MQTTClient.StartError) {
        let topics = Topics(site: settings.site)
        let incarnation = String(UInt64.random(in: 0 ... .max), radix: 36)
        let core = BrokerCore(settings, regions: regions, incarnation: incarnation, since: KernelClock.realtime)
        var mqtt = MQTTSettings(
            broker: broker, clientID: "okaeri.\(settings.site).\(settings.node)",
            lastWord: .init(topic: topics.status(settings.node), payload: Array(Wire.offline.utf8)))
        mqtt.gate = topics.status(settings.node)
        self.events = events
        self.outputs = outputs
        guarded = Mutex(Guarded(core: core))
        let inbox = Inbox()
        self.inbox = inbox
        client = try MQTTClient(
            mqtt, onConnection: { inbox.deliver(.connection($0)) }, onMessage: { inbox.deliver(.message($0)) },
            onNotice: outputs.noted)
    }

    /// The house's name.
    package var site: String { guarded.withLock { $0.core.topics.site } }

    /// How it stands with the broker.
    package var state: BrokerState {
        var state = client.state
        state.deliversNothing = guarded.withLock { $0.core.house.isUnreadable(at: MQTTClient.now) }
        return state
    }

    package func run() async throws {
        inbox.open { [weak self] in self?.received($0) }
        perform { core, _ in core.started() }
        try BlockingThread.start { [self] in loop() }
        defer {
            guarded.withLock { $0.isOver = true }
            turn.signal()
        }
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { [self] in for await event in events { happened(event) } }
            try await cancelWhenGracefulShutdown { [client] in try await client.run() }
            group.cancelAll()
        }
        try await gracefulShutdown()
    }
}
