import OkaeriHouse
import OkaeriMQTT
import OkaeriTestSupport
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriDaemon

@Suite struct BrokerSupervisorTests {
    @Test func `without a broker no other radio is waited for`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("beacons.json", Array(#"{"regions": []}"#.utf8))
        let book = LogBook()
        let supervisor = try BrokerSupervisor(
            try Configuration(file: file), settings: { _ in nil },
            make: { settings, regions, _ throws(MQTTClient.StartError) in
                Issue.record("a broker is made")
                return try Broker(
                    settings.node, broker: settings.broker, regions: regions, events: AsyncStream { _ in },
                    outputs: .init(happened: { _, _ in }, answered: { _, _ in }, noted: { _ in }))
            }, logger: book.logger)
        let order = Watched<[String]>([])
        var engine = Broker.Engine()
        engine.started = { order.change { $0.append("started") } }
        engine.excluded = { isExcluded in
            let names = ["attic", "espresense-kitchen"].filter(isExcluded)
            order.change { $0 += names }
        }
        supervisor.connect(.init(engine: engine, present: { _ in }))
        let run = Task { try await supervisor.run() }
        try await order.wait(until: "the radios are removed") { $0.count >= 3 }
        #expect(order.value == ["started", "attic", "espresense-kitchen"])
        run.cancel()
        _ = await run.result
    }
}
