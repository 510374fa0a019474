/// A message to publish.
package struct MQTTPublication: Sendable, Equatable {
    /// The quality of service (MQTT 5.0, 4.3).
    package enum QualityOfService: Int32, Sendable {
        case atMostOnce = 0
        case atLeastOnce = 1
    }

    package let topic: String
    package let payload: [UInt8]
    package let isRetained: Bool
    package let quality: QualityOfService

    /// After how many seconds the broker forgets it; nil: never.
    package let expiry: UInt32?

    /// Whether a retained value is published again from time to time, changed or not.
    package let isRefreshed: Bool

    /// Creates a message that the broker retains for later subscribers. Only the latest one of a topic is ever sent.
    package static func value(
        _ topic: String, _ payload: some Sequence<UInt8>, expiry: UInt32? = nil,
        isRefreshed: Bool = false
    ) -> MQTTPublication {
        MQTTPublication(
            topic: topic, payload: Array(payload), isRetained: true, quality: .atLeastOnce, expiry: expiry,
            isRefreshed: isRefreshed)
    }

    /// The end of a value: the broker forgets it, and so does the session once the broker has answered.
    package static func clearing(_ topic: String) -> MQTTPublication { .value(topic, []) }

    /// Something that happens. At least once: kept for a minute while there is no connection. At most once: not kept.
    package static func event(
        _ topic: String, _ payload: some Sequence<UInt8>, quality: QualityOfService = .atLeastOnce,
        expiry: UInt32? = nil
    ) -> MQTTPublication {
        MQTTPublication(
            topic: topic, payload: Array(payload), isRetained: false, quality: quality, expiry: expiry,
            isRefreshed: false)
    }
}

/// A message that the broker has delivered.
package struct MQTTMessage: Sendable, Equatable {
    package let topic: String
    package let payload: [UInt8]

    /// Whether it is a retained value, sent because of a new subscription.
    package let isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
