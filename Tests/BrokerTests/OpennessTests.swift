import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriHouse
@testable import OkaeriMQTT

/// Whether the broker accepts messages of any client.
@Suite struct OpennessTests {
    private func state(_ phase: BrokerState.Phase) -> BrokerState {
        BrokerState(broker: .init(host: "h", port: 1), clientID: "c", phase: phase, refusals: [])
    }

    /// The number of probes after so many connections, and what is known then.
    private func follow(
        _ answers: [Bool?], connections: Int, login: MQTTSettings.Login? = .init(username: "okaeri")
    ) async -> (probes: [String], isOpen: Bool?) {
        let asked = Mutex<[String]>([])
        let openness = Openness(of: .init(host: "h", port: 1, login: login), topic: "t", delay: .zero) {
            broker, topic in
            asked.withLock { asked in
                asked.append("\(broker.port) \(topic)")
                return answers[min(asked.count - 1, answers.count - 1)]
            }
        }
        let (states, news) = AsyncStream.makeStream(of: BrokerState.self)
        for _ in 0..<connections {
            news.yield(state(.connecting))
            news.yield(state(.connected(since: 0)))
        }
        news.finish()
        await openness.follow(states)
        return (asked.withLock { $0 }, openness.isOpen)
    }

    @Test func `The broker is asked once an hour at most, however often the connection begins anew`() async {
        let open = await follow([true], connections: 5)
        #expect(open.probes == ["1 t"] && open.isOpen == true)
        let closed = await follow([false], connections: 1)
        #expect(closed.probes.count == 1 && closed.isOpen == false)
        let unknown = await follow([nil], connections: 1)
        #expect(unknown.probes.count == 1 && unknown.isOpen == nil)
        let away = await follow([true], connections: 0)
        #expect(away.probes.isEmpty && away.isOpen == nil)
    }

    @Test func `A broker to which this client logs in without a name is open, without another connection`() async {
        let anonymous = await follow([false], connections: 1, login: nil)
        #expect(anonymous.probes.isEmpty && anonymous.isOpen == true)
    }
}
