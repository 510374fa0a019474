import OkaeriMQTT
import OkaeriPlumbing
import Synchronization

/// Whether the broker accepts messages of any client: found out after a connection has begun, once an hour at most if it does
/// not, otherwise once a minute at most.
final class Openness: Sendable {
    typealias Probe = @Sendable (MQTTSettings.Broker, _ topic: String) async -> Bool?

    /// The time for which a connection lasts before the broker is asked: one that breaks at once is not followed by another.
    private static let delay = Duration.seconds(10)
    /// The time between two questions to a broker that is not open.
    private static let interval = Duration.seconds(3600)
    /// The time between two questions otherwise: the user may have corrected the broker, which ends the connection.
    private static let repetition = Duration.seconds(60)
    private static let limit = Duration.seconds(20)

    private let found = Mutex<Bool?>(nil)
    private let broker: MQTTSettings.Broker
    private let topic: String
    private let probe: Probe
    private let delay, repetition: Duration

    /// - Parameter topic: a topic that no node subscribes to.
    init(
        of broker: MQTTSettings.Broker, topic: String, delay: Duration = delay, repetition: Duration = repetition,
        probe: @escaping Probe = { await AnonymousPublication(at: $0, to: $1).isAccepted(within: limit) }
    ) {
        (self.broker, self.topic, self.probe) = (broker, topic, probe)
        (self.delay, self.repetition) = (delay, repetition)
    }

    /// Whether it does; `nil` while it is not known.
    var isOpen: Bool? { found.withLock { $0 } }

    /// Follows the connection until the task is cancelled.
    func follow(_ states: AsyncStream<BrokerState>) async {
        var asked: (at: ContinuousClock.Instant, connection: Int64?)?
        for await state in states where state.isConnected {
            var wait = delay
            if let asked {
                let elapsed = asked.at.duration(to: .now)
                guard elapsed >= Self.interval || isOpen != false && asked.connection != state.since else { continue }
                wait = max(delay, repetition - elapsed)
            }
            guard (try? await Task.sleep(for: wait)) != nil else { return }
            asked = (.now, state.since)
            // A client without a login has published already.
            let answer = AnonymousPublication.isOwn(broker) ? true : await probe(broker, topic)
            // Without an answer the last one stands.
            if let answer { found.withLock { $0 = answer } }
        }
    }
}
