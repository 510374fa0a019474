import MQTT
import RegionMonitoring
import Testing

@testable import House

/// A node that gets another name, moves to another house, or leaves the broker.
@Suite struct LeavingTests {
    private var house = HouseBench()

    /// Returns the topics that the node empties.
    private func emptied(_ name: String, _ departure: Departure) throws -> Set<String> {
        let outputs = try #require(house.nodes[name]).core.left(departure)
        return Set(
            outputs.compactMap { output in
                guard case .publish(let publication) = output, publication.isRetained, publication.payload.isEmpty
                else {
                    Issue.record("\(output) empties no topic")
                    return nil
                }
                return publication.topic
            })
    }

    @Test mutating func `the only node leaves no topic but its status`() throws {
        house.start("hall")
        house.see("hall", .inside, rssi: -60)
        house.pass(60, hearing: ["hall": -60])
        #expect(house.value("okaeri/home/region/keys") != nil)
        // Its session empties the last one in the place of the last will.
        #expect(try Set(house.retained.keys).subtracting(emptied("hall", .house)) == ["okaeri/home/node/hall/status"])
    }

    @Test mutating func `topics of the house are left to the other nodes`() throws {
        house.start("attic")
        house.start("hall")
        house.see("hall", .inside, rssi: -60)
        house.pass(60, hearing: ["hall": -60])
        let own =
            ["scanner", "about", "prompt", "region/keys"].map { "okaeri/home/node/hall/\($0)" }
            + ["node_hall", "region_keys_hall"].map { "homeassistant/device/okaeri_home/\($0)/config" }
        #expect(try emptied("hall", .house) == Set(own))
        #expect(Set(own).isSubset(of: house.retained.keys))
    }

    @Test mutating func `another prefix of the discovery empties the topics of the former one alone`() throws {
        house.start("hall")
        house.see("hall", .inside, rssi: -60)
        house.pass(60, hearing: ["hall": -60])
        #expect(try emptied("hall", .discovery) == Set(house.retained.keys.filter { $0.hasPrefix("homeassistant/") }))
    }

    @Test mutating func `a node without a connection empties nothing`() throws {
        house.start("hall")
        house.cut("hall")
        #expect(try emptied("hall", .house).isEmpty)
    }
}
