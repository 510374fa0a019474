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
        let mqtt = MQTTSettings(
            broker: broker, clientID: "okaeri-\(settings.site)-\(settings.node)",
            lastWord: .init(topic: topics.status(settings.node), payload: Array(Wire.offline.utf8)))
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
    package var state: BrokerState { client.state }

    package func run() async throws {
        inbox.open { [weak self] in self?.received($0) }
        perform { core, _ in core.started() }
        try BlockingThread.start { [self] in loop() }
        defer {
            guarded.withLock { $0.isOver = true }
            turn.signal()
        }
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in for await event in events { happened(event) } }
            await cancelWhenGracefulShutdown { [client] in try? await client.run() }
            group.cancelAll()
        }
        try await gracefulShutdown()
    }
}
