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
        let directory = Collected()
        let client = try MQTTClient(settings, onMessage: { directory.receive($0) })
        for filter in HouseDirectory.filters(site: site) { client.subscribe(filter) }
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
                if directory.contents.sites.isEmpty, !client.state.refusals.isEmpty || client.state.deliversNothing {
                    failure = Failure(description: client.state.description)
                }
            }
            client.stop()
            group.cancelAll()
            return failure
        }
        if let failure { throw failure }
        return directory.contents
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
    private final class Collected: Sendable {
        private let directory = Mutex(HouseDirectory())

        var contents: HouseDirectory { directory.withLock { $0 } }

        func receive(_ message: MQTTMessage) {
            directory.withLock { $0.receive(topic: message.topic, payload: message.payload) }
        }
    }
}
