import Agreement
import Events
import MQTT
import RegionMonitoring
import Testing

@testable import Broker

/// Who is in the house, for who asks.
@Suite struct NodesTests {
    var house = HouseBench()

    private func report(_ name: String, of node: String) throws -> BrokerNode {
        let core = try #require(house.nodes[node]?.core)
        return try #require(core.nodes(at: house.now).first { $0.name == name })
    }

    private mutating func ask(_ node: String) {
        house.perform(node) { $0.asked(at: $1.instant) }
    }

    private mutating func forget(_ name: String, at node: String) -> ForgetRefusal? {
        var failure: ForgetRefusal?
        house.perform(node) { core, now in
            switch core.forget(name, at: now) {
            case .success(let outputs): return outputs
            case .failure(let reason):
                failure = reason
                return []
            }
        }
        return failure
    }

    @Test mutating func whatEveryNodeSeesIsKnownToWhoAsks() throws {
        let regions = ["keys", "お帰り", "car"]
        for name in ["attic", "hall", "kitchen"] { house.start(name, regions: regions) }
        house.see("kitchen", .inside, rssi: -55, region: "お帰り")
        house.see("attic", .outside)
        house.pass(20)
        for node in ["attic", "hall", "kitchen"] {
            ask(node)
            let kitchen = try report("kitchen", of: node)
            #expect((kitchen.isOnline, kitchen.card?.room, kitchen.card?.version) == (true, "kitchen", "1.0.0"))
            #expect((kitchen.scanner?.ok, kitchen.scanner?.adapter) == (true, "hci0"))
            #expect(kitchen.sights.keys.sorted() == regions.sorted())
            #expect(kitchen.sights["お帰り"]?.state == .inside)
            #expect(try report("attic", of: node).sights["keys"]?.state == .outside)
            #expect(house.nodes[node]?.core.agreed(on: "お帰り").state?.state == .inside)
            #expect(house.nodes[node]?.core.agreed(on: "お帰り").state?.room == "kitchen")
        }
    }

    @Test mutating func theBrokerIsAskedOnlyWhileSomebodyAsks() {
        for name in ["attic", "hall"] { house.start(name, regions: ["keys", "car"]) }
        house.pass(20)
        let before = house.nodes["hall"]?.filters
        ask("hall")
        #expect(house.nodes["hall"]?.filters.subtracting(before ?? []) == ["okaeri/home/node/+/region/+"])
        house.pass(10)
        ask("hall")
        house.pass(10)
        #expect(house.nodes["hall"]?.core.survey?.sights.keys.sorted() == ["attic", "hall"])
        house.pass(10)
        #expect(house.nodes["hall"]?.filters == before)
        #expect(house.nodes["hall"]?.core.survey == nil)
    }

    @Test mutating func whoAsksDoesNotChangeWhatTheHouseAgreesOn() {
        for name in ["attic", "hall"] { house.start(name) }
        house.see("attic", .inside, rssi: -60)
        house.pass(20, hearing: ["attic": -60])
        house.kill("attic")
        house.pass(10)
        let before = house.value("okaeri/home/region/keys")
        let events = house.events.filter { $0.topic.hasSuffix("/event") }
        ask("hall")
        house.pass(30)
        #expect(house.value("okaeri/home/region/keys") == before)
        #expect(house.events.filter { $0.topic.hasSuffix("/event") } == events)
    }

    @Test mutating func aNodeThatIsDeadOrDeafIsSaidToBe() throws {
        for name in ["attic", "hall"] { house.start(name) }
        house.perform("attic") { core, _ in
            core.bluetoothChanged("poweredOff", adapter: "hci0", reason: "hci0 is switched off")
        }
        house.pass(10)
        let deaf = try report("attic", of: "hall")
        #expect((deaf.isOnline, deaf.scanner?.ok, deaf.scanner?.reason) == (true, false, "hci0 is switched off"))
        house.kill("attic")
        #expect(try report("attic", of: "hall").isOnline == false)
    }

    @Test mutating func aNodeThatIsForgottenIsGone() {
        for name in ["attic", "hall"] { house.start(name) }
        house.pass(15)
        #expect(forget("attic", at: "hall") == .online)
        #expect(forget("hall", at: "hall") == .online)
        #expect(forget("cellar", at: "hall") == .unknown)
        house.kill("attic")
        house.pass(15)
        #expect(forget("attic", at: "hall") == nil)
        #expect(house.retained.keys.filter { $0.contains("attic") }.sorted() == [])
        #expect(house.nodes["hall"]?.core.statuses.keys.sorted() == ["hall"])
        #expect(house.nodes["hall"]?.core.nodes(at: house.now).map(\.name) == ["hall"])
    }

    /// A broker that lost its data, and a node that died meanwhile: only the house's own word names it.
    @Test mutating func aNodeThatOnlyTheHouseWaitsForIsForgotten() {
        for name in ["attic", "hall"] { house.start(name) }
        house.see("hall", .outside)
        house.see("attic", .inside, rssi: -60)
        house.pass(20, hearing: ["attic": -60])
        house.kill("attic")
        house.pass(20)
        #expect(house.nodes["hall"]?.core.agreed(on: "keys").state?.waiting == ["attic"])
        for topic in house.retained.keys.filter({ $0.contains("/node/attic/") }) { house.lose(topic) }
        house.perform("hall") { $0.disconnected(at: $1) }
        house.connect("hall")
        house.pass(10)
        #expect(house.nodes["hall"]?.core.agreed(on: "keys").state?.waiting == ["attic"])
        #expect(forget("attic", at: "hall") == nil)
        house.pass(10)
        #expect(house.nodes["hall"]?.core.agreed(on: "keys").state?.waiting == [])
        #expect(house.nodes["hall"]?.core.agreed(on: "keys").state?.state == .outside)
    }
}
