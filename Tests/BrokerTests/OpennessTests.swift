import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriHouse
@testable import OkaeriMQTT

/// Whether the broker accepts messages of any client.
@Suite struct OpennessTests {
    private func state(_ phase: BrokerState.Phase, since: Int64? = nil) -> BrokerState {
        BrokerState(broker: .init(host: "h", port: 1), clientID: "c", phase: phase, refusals: [], since: since)
    }

    /// The number of probes after so many connections, and what is known then.
    private func follow(
        _ answers: [Bool?], connections: Int, login: MQTTSettings.Login? = .init(username: "okaeri")
    ) async -> (probes: [String], isOpen: Bool?) {
        let asked = Mutex<[String]>([])
        let openness = Openness(
            of: .init(host: "h", port: 1, login: login), topic: "t", delay: .zero, repetition: .zero
        ) {
            broker, topic in
            asked.withLock { asked in
                asked.append("\(broker.port) \(topic)")
                return answers[min(asked.count - 1, answers.count - 1)]
            }
        }
        let (states, news) = AsyncStream.makeStream(of: BrokerState.self)
        for connection in 0..<connections {
            news.yield(state(.connecting))
            // The second one is the same connection.
            for _ in 0..<2 { news.yield(state(.connected(since: Int64(connection)), since: Int64(connection))) }
        }
        news.finish()
        await openness.follow(states)
        return (asked.withLock { $0 }, openness.isOpen)
    }

    @Test func `A broker that is not open is asked once an hour at most, however often the connection begins anew`()
        async
    {
        let closed = await follow([false], connections: 5)
        #expect(closed.probes.count == 1 && closed.isOpen == false)
        let unknown = await follow([nil], connections: 1)
        #expect(unknown.probes.count == 1 && unknown.isOpen == nil)
        let away = await follow([true], connections: 0)
        #expect(away.probes.isEmpty && away.isOpen == nil)
    }

    @Test func `A broker that was open is asked after each new connection, because its user may have corrected it`()
        async
    {
        let corrected = await follow([true, nil, true, false], connections: 6)
        #expect(corrected.probes.count == 4 && corrected.probes[0] == "1 t" && corrected.isOpen == false)
    }

    @Test func `A broker to which this client logs in without a name is open, without another connection`() async {
        let anonymous = await follow([false], connections: 1, login: nil)
        #expect(anonymous.probes.isEmpty && anonymous.isOpen == true)
    }
}
