import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriReceivers
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// Receivers of other makes at a real mosquitto, with publishers that speak their dialects.
@Suite(.timeLimit(.minutes(4)))
struct ForeignReceiverBrokerTests {
    /// A receiver: its connection has a last will of its own.
    private final class Publisher: Sendable {
        private let client: MQTTClient
        private let task: Task<Void, any Error>

        init(_ port: UInt16, _ name: String, will: (topic: String, payload: String)? = nil) throws {
            var settings = MQTTSettings(broker: .init(host: "127.0.0.1", port: port), clientID: name)
            settings.lastWill = will.map {
                .init(topic: $0.topic, payload: Array($0.payload.utf8), delay: .zero)
            }
            client = try MQTTClient(settings, onConnection: { _ in }, onMessage: { _ in }, onNotice: { _ in })
            task = Task { [client] in try await client.run() }
        }

        func send(_ topic: String, _ payload: String) { client.publish(.event(topic, payload.utf8)) }
        func keep(_ topic: String, _ payload: String) { client.publish(.value(topic, payload.utf8)) }

        func connected() async throws { try await eventually("a publisher is connected") { client.state.isConnected } }

        func stop() async {
            task.cancel()
            _ = await task.result
        }
    }

    private static let beacon = HouseBench.beacon("keys")
    private static let espresense =
        "iBeacon:\("\(beacon.uuid)".lowercased())-\(beacon.major)-\(beacon.minor)"
    private static let decoded = """
        {"id":"AA:BB:CC:DD:EE:FF","rssi":-70,"model_id":"IBEACON","uuid":"\(beacon.uuid)","major":\(beacon.major),"minor":1}
        """

    private func hub(_ port: UInt16, _ reports: Watched<[(radio: String, report: RadioReport)]>) throws -> Broker {
        let receivers = ReceiverMake.allCases.compactMap { ReceiverTopics($0) }.map { ReceiverSettings($0) }
        let broker = try Broker(
            .init(node: "hall", room: nil, site: "home", discovery: nil, version: "1", receivers: receivers),
            broker: .init(host: "127.0.0.1", port: port), regions: [HouseBench.region("keys")],
            events: AsyncStream { _ in },
            outputs: .init(happened: { _, _ in }, answered: { _, _ in }, noted: { _ in }))
        var engine = Broker.Engine()
        engine.reported = { radio, report in reports.change { $0.append((radio, report)) } }
        broker.use(engine)
        return broker
    }

    @Test func `Receivers of each make are radios, and what a broker retains of them is not`() async throws {
        let mosquitto = try TestBroker()
        // The leftovers of a receiver that is gone.
        let former = try Publisher(mosquitto.port, "former")
        former.keep("espresense/devices/\(Self.espresense)/old", #"{"mac":"aabbccddeeff","rssi":-50}"#)
        former.keep("espresense/rooms/old/status", "online")
        former.keep("espresense/settings/\(Self.espresense)/config", #"{"id":"keys"}"#)
        former.keep("home/old/BTtoMQTT/AABBCCDDEEFF", Self.decoded)
        try await former.connected()
        try await mosquitto.logged("'home/old/BTtoMQTT/AABBCCDDEEFF'")
        await former.stop()

        let reports = Watched<[(radio: String, report: RadioReport)]>([])
        let hub = try hub(mosquitto.port, reports)
        let run = Task { try await hub.run() }
        try await eventually("the hub decides") { hub.isHub && hub.state.isConnected }
        try await eventually("the hub knows what was retained") { hub.nodes.contains { $0.name == "espresense-old" } }

        let node = try Publisher(mosquitto.port, "node", will: ("espresense/rooms/kitchen/status", "offline"))
        let other = try Publisher(mosquitto.port, "other")
        try await node.connected()
        try await other.connected()
        node.keep("espresense/rooms/kitchen/status", "online")
        try await eventually("the receiver is online") {
            hub.nodes.first { $0.name == "espresense-kitchen" }?.online == true
        }
        // By its alias.
        node.send("espresense/devices/keys/kitchen", #"{"mac":"aabbccddeeff","rssi":-61.5,"rssi@1m":-59}"#)
        let frame = IBeaconFrame(identity: Self.beacon, measuredPower: -59).manufacturerSpecificData.hexadecimal
        other.send("home/omg/BTtoMQTT/AABBCCDDEEFF", Self.decoded)
        other.send(
            "home/TheengsGateway/BTtoMQTT/AABBCCDDEEFF",
            #"{"id":"AA:BB:CC:DD:EE:FF","rssi":-71,"manufacturerdata":"\#(frame)"}"#)
        other.send("esphome-ble/study", #"{"address":"AA:BB:CC:DD:EE:FF","rssi":-72,"manufacturerdata":"\#(frame)"}"#)
        other.send("shelly-ble/plug", #"{"v":1,"n":1,"adverts":[]}"#)
        other.send("home/omg/BTtoMQTT/AABBCCDDEEFF", "{")
        try await reports.wait(until: "each receiver has reported") { $0.flatMap(\.report.receptions).count >= 4 }
        let signals = reports.value.flatMap { radio, report in report.receptions.map { "\(radio) \($0.rssi ?? 0)" } }
        #expect(
            Set(signals) == [
                "espresense-kitchen -62", "openmqttgateway-omg -70", "theengs-TheengsGateway -71", "esphome-study -72",
            ])
        #expect(!signals.contains { $0.contains("old") })
        try await eventually("the wrong message is counted") {
            hub.nodes.first { $0.name.hasSuffix("omg") }?.receiver?.rejected["malformed"] == 1
        }
        #expect(hub.nodes.first { $0.name == "shelly-plug" }?.online == true)
        #expect(hub.nodes.first { $0.name == "espresense-old" }?.online == false)

        // It is cut off, and is back after a restart.
        await node.stop()
        try await eventually("the last will ends the receiver") {
            hub.nodes.first { $0.name == "espresense-kitchen" }?.online == false
        }
        let again = try Publisher(mosquitto.port, "node", will: ("espresense/rooms/kitchen/status", "offline"))
        try await again.connected()
        again.send("espresense/rooms/kitchen/telemetry", #"{"ip":"10.0.0.1","uptime":3,"adverts":10}"#)
        try await eventually("the receiver is back") {
            hub.nodes.first { $0.name == "espresense-kitchen" }?.online == true
        }
        await again.stop()
        await other.stop()
        run.cancel()
        _ = await run.result
    }

    @Test func `A machine that reads the broker finds the receivers that are there`() async throws {
        let mosquitto = try TestBroker()
        let former = try Publisher(mosquitto.port, "former")
        former.keep("espresense/rooms/old/status", "offline")
        former.keep("espresense/devices/\(Self.espresense)/old", #"{"mac":"aabbccddeeff","rssi":-50}"#)
        former.keep("lamp/online", "true")
        former.keep("espresense/rooms/kitchen/status", "online")
        former.keep("home/lamp/LWT", "online")
        former.keep("home/OMG/LWT", "online")
        former.keep("home/OMG/version", "v1.8.1")
        try await former.connected()
        try await mosquitto.logged("'home/OMG/version'")
        await former.stop()
        let live = try Publisher(mosquitto.port, "live")
        try await live.connected()
        let sending = Task {
            // Once a second, as the script for Shelly does.
            for await _ in AsyncStream(unfolding: { try? await ContinuousClock().sleep(for: .milliseconds(250)) }) {
                live.send("shelly-ble/plug", #"{"v":1,"n":1,"adverts":[]}"#)
            }
        }
        let reader = HouseReader(.init(host: "127.0.0.1", port: mosquitto.port))
        let expected = ["espresense kitchen", "openmqttgateway OMG", "shelly plug"]
        // A test beside this one may use the processor for seconds.
        try await eventually("the receivers are found, and no others") {
            let found = try await reader.readReceivers(for: .seconds(1)).receivers.map { "\($0.make) \($0.name)" }
            #expect(Set(found).isSubset(of: expected))
            return found == expected
        }
        sending.cancel()
        await live.stop()
        await #expect(throws: HouseReader.Failure.self) {
            mosquitto.kill()
            _ = try await reader.readReceivers(for: .zero)
        }
    }

    /// ESPresense logs in with the name of its room, and a broker ends the earlier connection of the same name.
    @Test func `Two nodes of one name end each other's connection, and are noticed`() async throws {
        let mosquitto = try TestBroker()
        let reports = Watched<[(radio: String, report: RadioReport)]>([])
        let hub = try hub(mosquitto.port, reports)
        let run = Task { try await hub.run() }
        try await eventually("the hub decides") { hub.isHub && hub.state.isConnected }
        let will = (topic: "espresense/rooms/kitchen/status", payload: "offline")
        func receiver() -> NodeReport? { hub.nodes.first { $0.name == "espresense-kitchen" } }
        for turn in 0..<4 {
            let node = try Publisher(mosquitto.port, "espresense-kitchen", will: will)
            try await node.connected()
            node.keep("espresense/rooms/kitchen/status", "online")
            node.send("espresense/rooms/kitchen/telemetry", #"{"ip":"10.0.0.\#(turn % 2)","uptime":3,"adverts":10}"#)
            node.send("espresense/devices/\(Self.espresense)/kitchen", #"{"mac":"aabbccddeeff","rssi":-6\#(turn)}"#)
            try await reports.wait(until: "turn \(turn) is reported") { all in
                all.flatMap(\.report.receptions).contains { $0.rssi == Int8(-60 - turn) }
            }
            await node.stop()
        }
        try await eventually("the duplicates are counted") {
            receiver()?.receiver?.rejected["name of two receivers"] == 2
        }
        run.cancel()
        _ = await run.result
    }
}
