package import MQTT
import Plumbing
import Synchronization

/// Reads the retained messages of the houses at a broker, once.
package struct HouseReader: Sendable {
    /// The reason why nothing was read: a sentence with the remedy.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The time for the connection.
    private static let connectLimit = Duration.seconds(20)
    /// The time in which the broker delivers its retained messages.
    private static let readingTime = Duration.seconds(2)

    private let settings: MQTTSettings
    private let site: String?

    /// - Parameter site: one house; `nil`: all houses that the broker lets this client read.
    package init(_ broker: MQTTSettings.Broker, site: String? = nil) {
        settings = MQTTSettings(
            broker: broker, clientID: "okaeri.join.\(String(UInt64.random(in: 0 ... .max), radix: 36))")
        self.site = site
    }

    /// Connects, reads for two seconds, and disconnects.
    package func read() async throws -> HouseDirectory {
        try await read(HouseDirectory.filters(site: site), into: HouseDirectory(), isEmpty: \.sites.isEmpty) {
            $0.receive(topic: $1.topic, payload: $1.payload)
        }
    }

    /// Reads the keys that ESPresense has published.
    package func readPhones() async throws -> PhoneDirectory {
        try await read([PhoneDirectory.filter], into: PhoneDirectory(), isEmpty: \.phones.isEmpty) {
            $0.receive(topic: $1.topic, payload: $1.payload)
        }
    }

    private func read<Contents: Sendable>(
        _ filters: [String], into contents: Contents, isEmpty: @escaping @Sendable (Contents) -> Bool,
        receive: @escaping @Sendable (inout Contents, MQTTMessage) -> Void
    ) async throws -> Contents {
        let collected = Collected(contents)
        let client = try MQTTClient(settings, onMessage: { message in collected.change { receive(&$0, message) } })
        for filter in filters { client.subscribe(filter) }
        let states = client.states.values(backlog: 16)
        let failure = try await withThrowingTaskGroup(of: Failure?.self) { group in
            group.addTask {
                try await client.run()
                return nil
            }
            group.addTask { await Self.connected(states) }
            group.addTask { [settings] in
                try? await Task.sleep(for: Self.connectLimit)
                return Failure(
                    description: "the MQTT broker at \(settings.broker) does not answer within "
                        + "\(Int(Self.connectLimit / .seconds(1))) s; check its address, and that it runs")
            }
            var failure = try await group.next() ?? nil
            if failure == nil {
                try await Task.sleep(for: Self.readingTime)
                if isEmpty(collected.contents), !client.state.refusals.isEmpty {
                    failure = Failure(description: client.state.description)
                }
            }
            client.stop()
            group.cancelAll()
            return failure
        }
        if let failure { throw failure }
        return collected.contents
    }

    /// Returns after the connection has begun, or the first problem.
    private static func connected(_ states: AsyncStream<BrokerState>) async -> Failure? {
        for await state in states {
            switch state.phase {
            case .connecting: continue
            case .connected: return nil
            case .failed, .stopped: return Failure(description: state.description)
            }
        }
        return nil
    }

    /// The messages so far, which the client's thread adds.
    private final class Collected<Contents: Sendable>: Sendable {
        private let state: Mutex<Contents>

        init(_ contents: Contents) { state = Mutex(contents) }

        var contents: Contents { state.withLock { $0 } }

        func change(_ change: @Sendable (inout Contents) -> Void) { state.withLock { change(&$0) } }
    }
}
