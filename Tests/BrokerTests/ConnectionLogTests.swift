import OkaeriEvents
import OkaeriPlumbing
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriHouse
@testable import OkaeriMQTT

/// The lines of the log about the connection to the broker.
@Suite struct ConnectionLogTests {
    private static let broker = MQTTSettings.Broker(host: "broker.lan", port: 1883, login: .init(username: "okaeri"))
    private var log = ConnectionLog()
    private var lines: [String] = []
    private var now: Int64 = 0

    private static func state(_ phase: BrokerState.Phase, fault: BrokerProblem? = nil) -> BrokerState {
        BrokerState(broker: broker, clientID: "c", phase: phase, refusals: [], fault: fault)
    }

    private static func sentence(_ problem: BrokerProblem) -> String { problem.sentence(broker, clientID: "c") }

    private static let fine = "connected to the MQTT broker at broker.lan:1883"

    private mutating func add(_ output: BrokerCore.Output?) {
        switch output {
        case .note(let line): lines.append(line)
        case .recovered(let line): lines.append("recovered: \(line)")
        default: break
        }
    }

    /// The state changes, and lasts for so many seconds.
    private mutating func change(_ phase: BrokerState.Phase, fault: BrokerProblem? = nil, for seconds: Int64) {
        add(log.changed(to: Self.state(phase, fault: fault), at: now))
        let end = now + seconds * Nanoseconds.second
        while let deadline = log.nextDeadline, deadline <= end { add(log.advance(to: deadline)) }
        now = end
    }

    @Test mutating func `a refused login is logged once it has lasted, and not again at each attempt`() {
        change(.connecting, for: 1)
        for _ in 0..<20 { change(.failed(.login), for: 5) }
        #expect(lines == [Self.sentence(.login)])
        change(.connected(since: 1), for: 5)
        #expect(lines == [Self.sentence(.login), "recovered: \(Self.fine)"])
    }

    @Test mutating func `another problem of the same outage is logged at once`() {
        change(.failed(.unknownHost), for: 31)
        change(.failed(.refused), for: 1)
        change(.failed(.login), for: 1)
        #expect(lines == [.unknownHost, .refused, .login].map(Self.sentence))
    }

    @Test mutating func `a broker that starts a little later, or restarts, has no line`() {
        change(.failed(.refused), for: 29)
        change(.connected(since: 1), for: 600)
        change(.failed(.lost), for: 5)
        change(.failed(.refused), for: 20)
        change(.connected(since: 1), for: 600)
        #expect(lines.isEmpty)
    }

    @Test mutating func `a fault of a broker that is connected is logged, and so is its end`() {
        change(.connected(since: 1), fault: .deliversNothing, for: 60)
        change(.connected(since: 1), for: 60)
        #expect(lines == [Self.sentence(.deliversNothing), "recovered: \(Self.fine)"])
    }

    @Test mutating func `a connection that breaks again and again has one line until it lasts`() {
        for _ in 0..<50 {
            change(.failed(.lost), for: 31)
            change(.connected(since: 1), for: 3)
        }
        #expect(lines == [Self.sentence(.lost), "recovered: \(Self.fine)"])
        change(.connected(since: 1), for: 31)
        change(.failed(.lost), for: 31)
        #expect(lines.count == 3)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a broker that cannot be reached is in the log of the daemon`() async throws {
        let notes = Watched<[String]>([])
        let port = try freePort()
        let broker = try Broker(
            .init(node: "attic", room: nil, site: "home", kind: .receiver, discovery: nil, version: "1"),
            broker: .init(host: "127.0.0.1", port: port), regions: [], events: AsyncStream { _ in },
            outputs: .init(
                happened: { _, _ in }, answered: { _, _ in }, noted: { note in notes.change { $0.append(note) } }))
        broker.guarded.withLock { $0.core.connectionLog = ConnectionLog(patience: 0) }
        let run = Task { try await broker.run() }
        try await notes.wait(until: "the problem is logged") { $0.contains { $0.contains("127.0.0.1:\(port)") } }
        run.cancel()
        _ = await run.result
    }
}
