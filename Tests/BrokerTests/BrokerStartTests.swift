import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriTestSupport
import ServiceLifecycle
import Synchronization
import Testing

@testable import OkaeriHouse

/// The order in which a node begins.
@Suite struct BrokerStartTests {
    private static func broker(_ name: String, kind: NodeKind, at port: UInt16) throws -> Broker {
        try Broker(
            .init(node: name, room: nil, site: "home", kind: kind, discovery: nil, version: "1"),
            broker: .init(host: "127.0.0.1", port: port), regions: kind == .hub ? [HouseBench.region("keys")] : [],
            events: AsyncStream { _ in },
            outputs: .init(happened: { _, _ in }, answered: { _, _ in }, noted: { _ in }))
    }

    @Test(.timeLimit(.minutes(2)))
    func `A hub asks no radio before its engine takes reports`() async throws {
        let mosquitto = try TestBroker()
        let driver = PresenceDriver(regions: [], clock: LiveEngine.Clock()) { _, _ in }
        let hub = try Self.broker("hall", kind: .hub, at: mosquitto.port)
        var engine = Broker.Engine()
        engine.started = { await driver.started() }
        hub.use(engine)
        let receiver = try Self.broker("attic", kind: .receiver, at: mosquitto.port)
        receiver.use(Broker.Engine())
        try await withThrowingTaskGroup { group in
            group.addTask { try await hub.run() }
            group.addTask { try await receiver.run() }
            try await mosquitto.logged("okaeri.home.attic")
            #expect(!mosquitto.text.contains("okaeri.home.hall"))
            driver.scannerWillStart(at: 1)
            try await mosquitto.logged("okaeri.home.hall")
            group.cancelAll()
            while let _ = await group.nextResult() {}
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `A hub that is stopped before its engine begins ends`() async throws {
        let mosquitto = try TestBroker()
        let driver = PresenceDriver(regions: [], clock: LiveEngine.Clock()) { _, _ in }
        let hub = try Self.broker("hall", kind: .hub, at: mosquitto.port)
        var engine = Broker.Engine()
        engine.started = { await driver.started() }
        hub.use(engine)
        let run = Task { try await hub.run() }
        run.cancel()
        _ = await run.result
        #expect(!mosquitto.text.contains("okaeri.home.hall"))
    }

    @Test func `A node that is not started again ends on no request`() {
        let topic = "okaeri/home/node/hall/restart"
        func outputs(restarts: Bool) -> [BrokerCore.Output] {
            var core = BrokerCore(
                BrokerSettings(node: "hall", room: nil, site: "home", discovery: nil, version: "1", restarts: restarts),
                regions: [HouseBench.region("keys")], incarnation: "a", since: 0)
            let now = Moment(instant: 1, wall: 1)
            return core.started(at: now)
                + core.received(MQTTMessage(topic: topic, payload: Array("restart".utf8), isRetained: false), at: now)
        }
        #expect(outputs(restarts: true).contains(.subscribe(topic)) && outputs(restarts: true).contains(.restart))
        #expect(!outputs(restarts: false).contains(.subscribe(topic)) && !outputs(restarts: false).contains(.restart))
    }
}
