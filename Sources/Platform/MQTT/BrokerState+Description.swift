import Plumbing

extension BrokerState: CustomStringConvertible {
    /// One sentence: what is, why, what to do next.
    package var description: String {
        switch phase {
        case .connecting: "connecting to the MQTT broker at \(broker)"
        case .connected: problem ?? "connected to the MQTT broker at \(broker)"
        case .failed(let problem): problem.sentence(broker, clientID: clientID)
        case .stopped: "the connection to the MQTT broker at \(broker) is closed"
        }
    }

    /// The fault of a broker that is connected, with its remedy; `nil` without a fault.
    package var problem: String? {
        guard isConnected else { return nil }
        return fault?.sentence(broker, clientID: clientID) ?? refusals.first?.sentence(clientID, broker)
    }
}

extension BrokerState.Refusal {
    func sentence(_ clientID: String, _ broker: MQTTSettings.Broker) -> String {
        let deed = isSubscription ? "subscribe to" : "publish to"
        let topic = topic.plain()
        guard isPermission else {
            if let problem = BrokerProblem(limit: code) { return problem.sentence(broker, clientID: clientID) }
            return
                "the MQTT broker at \(broker) does not accept \(topic): reason \(code); look at its log, and at its limits "
                + "of size and number"
        }
        return
            "the MQTT broker at \(broker) does not let \(broker.user(clientID)) \(deed) \(topic); allow it in the broker's ACL file, as "
            + "/usr/share/doc/okaeri/broker.md shows"
    }
}

extension MQTTSettings.Broker: CustomStringConvertible {
    /// `mqtt.example:8883`, or `[::1]:1883`.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Returns the name that the broker's ACL file has for this client.
    func user(_ clientID: String) -> String { login.map { "user \($0.username.plain())" } ?? "client \(clientID)" }
}
