import Rooms
import RegionMonitoring
import Testing

@testable import House

/// The remains at the broker of regions that no node watches any more, and their removal.
@Suite struct RemainsTests {
    private var house = HouseBench()

    private let devices = "homeassistant/device/okaeri_home"

    @Test mutating func `what a node no longer watches is cleared, though it was off when that was decided`() {
        house.start("attic", regions: ["keys", "car"])
        house.start("hall", regions: ["keys", "car"])
        house.pass(30)
        #expect(house.value("\(devices)/region_car_hall/config") != nil)
        house.kill("hall")
        house.pass(30)
        house.start("hall", regions: ["keys"])
        house.pass(30)
        #expect(house.value("\(devices)/region_car_hall/config") == nil)
        #expect(house.value("okaeri/home/node/hall/region/car") == nil)
        for topic in ["region_keys_hall", "region_car_attic", "region_car"] {
            #expect(house.value("\(devices)/\(topic)/config") != nil, "\(topic) is watched")
        }
    }

    /// With hundreds of nodes and regions there are tens of thousands of devices.
    @Test mutating func `one node looks through the devices of all`() {
        for name in ["attic", "hall", "kitchen"] { house.start(name) }
        var lookers: Set<String> = []
        for _ in 0..<60 {
            house.pass(0.5)
            for (name, node) in house.nodes where node.filters.contains("\(devices)/+/config") { lookers.insert(name) }
        }
        #expect(lookers.count == 1)
    }

    @Test mutating func `regions that are configured later have all their nodes`() {
        let regions = (0..<8).map { "r\($0)" }
        house.start("attic", regions: ["keys"])
        house.start("hall", regions: regions)
        house.pass(30)
        house.see("hall", .inside, region: "r3")
        house.pass(10)
        house.perform("attic") { $0.configured((["keys"] + regions).map { BrokerRegion($0) }, at: $1) }
        house.pass(10)
        let owners = ["attic", "hall"].map { name in regions.map { house.nodes[name]?.core.agreed(on: $0).owner } }
        #expect(owners[0] == owners[1])
        #expect(Set(owners[0]) == ["attic", "hall"])
        #expect(house.nodes["attic"]?.core.agreed(on: "r3").state?.state == .inside)
    }

    @Test mutating func `regions that only others watch are left to them`() {
        house.start("attic", regions: ["keys"])
        house.start("hall", regions: ["car"])
        house.pass(30)
        house.perform("attic") { $0.configured(["keys", "bike"].map { BrokerRegion($0) }, at: $1) }
        house.pass(10)
        for name in ["attic", "hall"] {
            #expect(house.nodes[name]?.core.house.owner(of: "bike") == (name == "attic" ? "attic" : nil))
        }
        #expect(house.value("okaeri/home/region/car") != nil)
    }
}

@Suite struct NodeCardTests {
    private func list(_ regions: [String]) -> NodeCard.RegionList {
        NodeCard.RegionList(Dictionary(uniqueKeysWithValues: regions.map { ($0, "beacon-of-\($0)") }))
    }

    private var own: NodeCard.RegionList { list(["keys", "car", "bike"]) }

    @Test(arguments: [["keys", "car", "bike"], ["car"], [], ["keys", "car", "bike", "boat"], ["eys", "car", "bike"]])
    func `a card is the same whether its regions are those of this node or not`(regions: [String]) throws {
        let card = NodeCard(
            room: "hall", version: "1", since: "2026-11-21T17:00:00.000Z", announces: false,
            regions: regions.sorted())
        let payload = Array(card.payload(list(regions)).utf8)
        #expect(NodeCard(payload, like: own) == card)
        #expect(NodeCard(payload, like: list([])) == card)
    }

    @Test(arguments: ["", "[1,", "{\"room\":3,", "{\"room\":\"x\""])
    func `a payload that only ends like a card is rejected`(start: String) {
        #expect(NodeCard(Array(start.utf8) + own.end, like: own) == nil)
    }

    @Test func `a card without fingerprints has no conflicts`() throws {
        let card = try #require(NodeCard(Array("{\"regions\":[\"keys\",\"boat\"]}".utf8), like: own))
        #expect(card.conflicts == [])
    }

    @Test func `a node that has another beacon for a region is logged once`() {
        var house = HouseBench()
        house.start("hall", regions: ["keys", "car"], beacon: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/2")
        house.start("attic", regions: ["keys", "boat"], beacon: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/3")
        house.start("den", regions: ["keys"], beacon: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/2")
        house.pass(30)
        let message =
            "the region “keys” has another UUID, major or minor on the node “attic”; correct one of the two "
            + "configurations, or choose another identifier"
        #expect(house.nodes["hall"]?.notes == [message])
        #expect(house.nodes["den"]?.notes == [message])
        #expect(house.nodes["attic"]?.notes.count == 2)
        for name in ["hall", "attic"] { house.perform(name) { $0.disconnected(at: $1) } }
        for name in ["hall", "attic"] { house.connect(name) }
        house.pass(30)
        #expect(house.nodes["hall"]?.notes == [message])
    }
}
