import Agreement
import RegionMonitoring
import Testing

@testable import Broker

/// What is left at the broker of regions that nobody watches any more, and who clears it up.
@Suite struct RemainsTests {
    private var house = HouseBench()

    private let devices = "homeassistant/device/okaeri_home"

    @Test mutating func whatANodeNoLongerWatchesIsClearedUpThoughItWasOffWhenThatWasDecided() {
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
    @Test mutating func oneNodeLooksThroughTheDevicesOfAll() {
        for name in ["attic", "hall", "kitchen"] { house.start(name) }
        var lookers: Set<String> = []
        for _ in 0..<60 {
            house.pass(0.5)
            for (name, node) in house.nodes where node.filters.contains("\(devices)/+/config") { lookers.insert(name) }
        }
        #expect(lookers.count == 1)
    }

    @Test mutating func regionsThatAreConfiguredLaterHaveAllTheirNodes() {
        let regions = (0..<8).map { "r\($0)" }
        house.start("attic", regions: ["keys"])
        house.start("hall", regions: regions)
        house.pass(30)
        house.see("hall", .inside, region: "r3")
        house.pass(10)
        house.perform("attic") { $0.configured(["keys"] + regions, at: $1) }
        house.pass(10)
        let owners = ["attic", "hall"].map { name in regions.map { house.nodes[name]?.core.agreed(on: $0).owner } }
        #expect(owners[0] == owners[1])
        #expect(Set(owners[0]) == ["attic", "hall"])
        #expect(house.nodes["attic"]?.core.agreed(on: "r3").state?.state == .inside)
    }

    @Test mutating func regionsThatOnlyOthersWatchAreLeftToThem() {
        house.start("attic", regions: ["keys"])
        house.start("hall", regions: ["car"])
        house.pass(30)
        house.perform("attic") { $0.configured(["keys", "bike"], at: $1) }
        house.pass(10)
        for name in ["attic", "hall"] {
            #expect(house.nodes[name]?.core.house.owner(of: "bike") == (name == "attic" ? "attic" : nil))
        }
        #expect(house.value("okaeri/home/region/car") != nil)
    }
}

@Suite struct NodeCardTests {
    private let list = NodeCard.RegionList(["keys", "car", "bike"])

    @Test(arguments: [["keys", "car", "bike"], ["car"], [], ["keys", "car", "bike", "boat"], ["eys", "car", "bike"]])
    func aCardIsReadAlikeWhetherItsListIsOursOrNot(regions: [String]) throws {
        let card = NodeCard(
            room: "hall", version: "1", since: "2026-11-21T17:00:00.000Z", announces: false,
            regions: regions.sorted())
        let read = try #require(NodeCard(Array(card.payload.utf8), like: list))
        #expect(read == card)
        #expect(read == NodeCard(Array(card.payload.utf8), like: .init([])))
    }

    @Test(arguments: ["", "[1,", "{\"room\":3,", "{\"room\":\"x\""])
    func whatOnlyEndsLikeACardIsNone(start: String) {
        #expect(NodeCard(Array(start.utf8) + list.end, like: list) == nil)
    }
}
