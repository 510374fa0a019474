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
            case .subscribe(let filter), .unsubscribe(let filter): (topic, isSubscription) = (filter, true)
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
