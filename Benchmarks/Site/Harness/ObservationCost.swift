import Rooms
import House
import Glibc
import MQTT
import RegionMonitoring

/// The cost of an observation to the owner of its region: decoding, the agreement, and whether anything is due.
///
/// The broker has no other clients; its deliveries are simulated.
struct ObservationCost {
    private let world: World
    private let node: SimulatedNode

    init(_ world: World) throws {
        self.world = world
        node = try SimulatedNode(0, of: world, port: 1, discovery: nil)
    }

    /// Returns the processor time in nanoseconds for each of so many observations, from all other nodes in turn, of one region
    /// that node 0 owns: three nodes receive its beacon.
    func measure(_ count: Int) async throws -> String {
        node.start()
        node.broker.received(.connection(true))
        let regions = world.identifiers.map { "\"\($0)\"" }.joined(separator: ",")
        for index in 1..<world.nodes {
            let topic = "okaeri/site/node/\(World.node(index))"
            let about = #"{"room":"room-\#(index)","version":"1.0.0","since":"","regions":[\#(regions)]}"#
            deliver("\(topic)/about", about, isRetained: true)
            deliver("\(topic)/status", "online", isRetained: true)
            deliver("\(topic)/status", "online")
        }
        // Its own description is the end of what the broker retains.
        deliver("okaeri/site/node/\(node.name)/about", node.broker.description)
        try await Task.sleep(for: .seconds(15))
        let owned = node.broker.withHouse { house in
            world.identifiers.first { house.owner(of: $0) == World.node(0) }
        }
        guard let owned else { return "node 0 owns none of the regions" }
        let messages = (0..<count).map { observation($0, of: owned) }
        for message in messages.prefix(world.nodes * 3) { node.broker.received(.message(message)) }
        let start = Self.processorTime
        for message in messages.dropFirst(world.nodes * 3) { node.broker.received(.message(message)) }
        let duration = Self.processorTime - start
        let state = node.broker.withHouse { $0.state(of: owned) }
        return "\(Int(duration / Double(count - world.nodes * 3))) \(state?.state.rawValue ?? "nothing")"
    }

    private func observation(_ number: Int, of region: String) -> MQTTMessage {
        let (index, sequence) = (number % (world.nodes - 1) + 1, number / (world.nodes - 1) + 1)
        let words =
            index <= 3 ? #""inside","rssi":-6\#(index).5,"spread":2.5"# : #""outside","rssi":null,"spread":null"#
        let payload = #"{"state":\#(words),"age":0.5,"incarnation":"\#(index)","seq":\#(sequence)}"#
        return MQTTMessage(
            topic: "okaeri/site/node/\(World.node(index))/region/\(region)", payload: Array(payload.utf8),
            isRetained: false)
    }

    private func deliver(_ topic: String, _ payload: String, isRetained: Bool = false) {
        node.broker.received(
            .message(MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained)))
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
