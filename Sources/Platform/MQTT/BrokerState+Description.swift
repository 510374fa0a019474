import Plumbing

extension BrokerState: CustomStringConvertible {
    /// One sentence: what is, why, what to do next.
    package var description: String {
        switch phase {
        case .connecting: "connecting to the MQTT broker at \(broker)"
        case .connected where deliversNothing:
            "the MQTT broker at \(broker) accepts this node's messages and delivers none, so the house is not known here; "
                + "allow \(broker.login.map { "user \($0.username.plain())" } ?? "client \(clientID)") to read okaeri/# in "
                + "the broker's ACL file, as /usr/share/doc/okaeri/broker.md shows"
        case .connected:
            refusals.first.map { $0.sentence(clientID, broker) } ?? "connected to the MQTT broker at \(broker)"
        case .failed(let problem): problem.sentence(broker, clientID: clientID)
        case .stopped: "the connection to the MQTT broker at \(broker) is closed"
        }
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
        let user = broker.login.map { "user \($0.username.plain())" } ?? "client \(clientID)"
        return
            "the MQTT broker at \(broker) does not let \(user) \(deed) \(topic); allow it in the broker's ACL file, as "
            + "/usr/share/doc/okaeri/broker.md shows"
    }
}

extension MQTTSettings.Broker: CustomStringConvertible {
    /// `mqtt.example:8883`, or `[::1]:1883`.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
