import OkaeriPlumbing

/// The state of the connection to the broker.
package struct BrokerState: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        /// Never connected yet, and nothing wrong is known.
        case connecting
        /// Nanoseconds of the session's clock.
        case connected(since: Int64)
        /// Not connected; it is tried again.
        case failed(BrokerProblem)
        case stopped
    }

    /// A request that the broker refuses, though it is connected.
    package struct Refusal: Sendable, Equatable {
        package let topic: String
        package let isSubscription: Bool
        /// Whether the client may not (0x87); else it is something about the message.
        package let isPermission: Bool
        /// The broker's reason (MQTT 5.0, 2.4), or a number of libmosquitto.
        package let code: Int

        init(_ item: Outbox.Item, reason: UInt8) {
            self.init(item, code: Int(reason), isPermission: reason == 0x87)
        }

        init(_ item: Outbox.Item, code: Int32) {
            self.init(item, code: Int(code), isPermission: false)
        }

        private init(_ item: Outbox.Item, code: Int, isPermission: Bool) {
            switch item {
            case .publish(let publication): (topic, isSubscription) = (publication.topic, false)
            case .subscribe(let filter), .narrow(let filter), .unsubscribe(let filter):
                (topic, isSubscription) = (filter, true)
            }
            (self.code, self.isPermission) = (code, isPermission)
        }
    }

    /// The number of refusals that are stored.
    static let refusalLimit = 8

    /// The end of a connection, or a failed attempt.
    package struct Loss: Sendable, Equatable {
        package let problem: BrokerProblem
        /// Nanoseconds of the session's clock.
        package let time: Int64
    }

    package let broker: MQTTSettings.Broker
    package let clientID: String
    package let phase: Phase

    /// The first few of this connection.
    package let refusals: [Refusal]

    /// The time since which it is connected, or is not, in nanoseconds of the session's clock; `nil` before the start.
    package var since: Int64?

    /// The last loss since the start, also while it is connected again.
    package var lastLoss: Loss?

    /// The fault of the broker in delivering messages; `nil` if none is known.
    package var fault: BrokerProblem?

    package var isConnected: Bool { if case .connected = phase { true } else { false } }
}

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
    package var description: String { "\(ServerAddress.bracketed(host)):\(port)" }

    /// Returns the name that the broker's ACL file has for this client.
    func user(_ clientID: String) -> String {
        login.map { "user \"\($0.username.plain())\"" } ?? "client \"\(clientID)\""
    }
}

/// The facts about the end of a connection, or about its failure: numbers and lines, to be judged by ``BrokerProblem``.
struct MQTTLoss: Sendable, Equatable {
    /// The result of libmosquitto (`mosq_err_t`), 0 if it closed the connection and returned nothing.
    var code: Int32
    /// `errno` beside it; for a name that does not resolve, an `EAI_` number.
    var errno: Int32 = 0
    /// The broker's word, from a CONNACK or DISCONNECT (MQTT 5.0, 3.2.2.2 and 3.14.2.1).
    var reason: UInt8?
    /// The reason why the broker's certificate was refused: an `X509_V_ERR_` number.
    var verification = 0
    /// The first line that OpenSSL, or libmosquitto about TLS, left in the log.
    var tlsLine: String?
    /// A sentence about a file that cannot be used.
    var file: String?
}
