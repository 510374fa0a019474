import OkaeriPlumbing
import Synchronization

/// Finds out whether a broker accepts messages of clients without a login, by a connection of its own.
package struct AnonymousPublication: Sendable {
    private let settings: MQTTSettings
    private let topic: String

    /// - Parameters:
    ///   - broker: The broker; its login and the client's certificate are not used.
    ///   - topic: The topic of the message, which is empty, not retained, and expires after a second.
    package init(at broker: MQTTSettings.Broker, to topic: String) {
        var broker = broker
        broker.login = nil
        broker.tls?.certificate = nil
        broker.tls?.key = nil
        settings = MQTTSettings(
            broker: broker, clientID: "okaeri.probe.\(String(UInt64.random(in: 0 ... .max), radix: 36))")
        self.topic = topic
    }

    /// Whether each client of the broker at these settings is anonymous, this one as well.
    package static func isOwn(_ broker: MQTTSettings.Broker) -> Bool {
        broker.login == nil && broker.tls?.certificate == nil
    }

    /// Connects, publishes, and disconnects.
    ///
    /// - Returns: Whether the broker has acknowledged the message; `nil` if it does not answer within the limit, or cannot be reached.
    package func isAccepted(within limit: Duration) async -> Bool? {
        let answered = AsyncStream.makeStream(of: Void.self)
        guard
            let client = try? MQTTClient(
                settings, onMessage: { _ in }, onAcknowledgement: { _ in answered.continuation.yield() })
        else { return nil }
        let states = client.states.values(backlog: 16)
        client.publish(.event(topic, [], expiry: 1))
        return await withTaskGroup(of: Bool??.self) { group in
            group.addTask {
                try? await client.run()
                return .some(nil)
            }
            group.addTask {
                for await _ in answered.stream { return client.state.refusals.isEmpty }
                return .some(nil)
            }
            group.addTask {
                for await state in states {
                    if case .failed(let problem) = state.phase { return problem.refusesAnonymous }
                }
                return .some(nil)
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .some(nil)
            }
            let result = await group.next() ?? nil
            client.stop()
            answered.continuation.finish()
            group.cancelAll()
            return result ?? nil
        }
    }
}

extension BrokerProblem {
    /// `false`, because the broker does not accept a client without a login or a certificate; `nil` for another problem.
    fileprivate var refusesAnonymous: Bool? {
        switch self {
        case .login, .loginNeeded, .clientCertificate, .banned: false
        default: nil
        }
    }
}
