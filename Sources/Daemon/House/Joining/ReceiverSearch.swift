package import OkaeriMQTT
package import OkaeriReceivers

/// Looks for receivers of other makes at a broker, for all clients that ask: they cause one connection in half a minute.
package actor ReceiverSearch {
    private static let validity = Duration.seconds(30)

    private let read: @Sendable (MQTTSettings.Broker) async throws -> ReceiverDirectory
    private var latest: (broker: MQTTSettings.Broker, began: ContinuousClock.Instant, result: Result)?

    private typealias Result = Task<ReceiverDirectory, any Error>

    package init(
        read: @escaping @Sendable (MQTTSettings.Broker) async throws -> ReceiverDirectory = {
            try await HouseReader($0).readReceivers()
        }
    ) {
        self.read = read
    }

    /// Returns the receivers at a broker, as they were half a minute ago at most.
    ///
    /// - Throws: `HouseReader.Failure` if the broker cannot be read.
    package func receivers(at broker: MQTTSettings.Broker) async throws -> ReceiverDirectory {
        if let latest, latest.broker == broker, latest.began.duration(to: .now) < Self.validity {
            return try await latest.result.value
        }
        latest?.result.cancel()
        let result = Result { [read] in try await read(broker) }
        latest = (broker, .now, result)
        return try await result.value
    }
}
