import OkaeriMQTT
import OkaeriPlumbing
import Synchronization

/// Whether the broker accepts messages of any client: found out after a connection has begun, once an hour at most.
final class Openness: Sendable {
    typealias Probe = @Sendable (MQTTSettings.Broker, _ topic: String) async -> Bool?

    /// The time for which a connection lasts before the broker is asked: one that breaks at once is not followed by another.
    private static let delay = Duration.seconds(10)
    private static let interval = Duration.seconds(3600)
    private static let limit = Duration.seconds(20)

    private let found = Mutex<Bool?>(nil)
    private let broker: MQTTSettings.Broker
    private let topic: String
    private let probe: Probe
    private let delay: Duration

    /// - Parameter topic: a topic that no node subscribes to.
    init(
        of broker: MQTTSettings.Broker, topic: String, delay: Duration = delay,
        probe: @escaping Probe = { await AnonymousPublication(at: $0, to: $1).isAccepted(within: limit) }
    ) {
        (self.broker, self.topic, self.delay, self.probe) = (broker, topic, delay, probe)
    }

    /// Whether it does; `nil` while it is not known.
    var isOpen: Bool? { found.withLock { $0 } }

    /// Follows the connection until the task is cancelled.
    func follow(_ states: AsyncStream<BrokerState>) async {
        var asked: ContinuousClock.Instant?
        for await state in states where state.isConnected {
            if let asked, asked.duration(to: .now) < Self.interval { continue }
            guard (try? await Task.sleep(for: delay)) != nil else { return }
            asked = .now
            // A client without a login has published already.
            let answer = AnonymousPublication.isOwn(broker) ? true : await probe(broker, topic)
            // Without an answer the last one stands.
            if let answer { found.withLock { $0 = answer } }
        }
    }
}
