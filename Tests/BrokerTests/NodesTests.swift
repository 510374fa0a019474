import Rooms
import Events
import HCI
import MQTT
import Plumbing
import RegionMonitoring
import Testing

@testable import House

/// The list of the house's nodes.
@Suite struct NodesTests {
    var house = HouseBench()

    private func report(_ name: String, of node: String) throws -> NodeReport {
        let core = try #require(house.nodes[node]?.core)
        return try #require(core.nodes(at: house.now).first { $0.name == name })
    }

    private mutating func ask(_ node: String) {
        house.perform(node) { $0.asked(at: $1.instant) }
    }

    private mutating func forget(_ name: String, at node: String) -> ForgetFailure? {
        var failure: ForgetFailure?
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

    @Test mutating func `the observations of every node are listed`() throws {
        let regions = ["keys", "お帰り", "car"]
        for name in ["attic", "hall", "kitchen"] { house.start(name, regions: regions) }
        house.see("kitchen", .inside, rssi: -55, region: "お帰り")
        house.see("attic", .outside)
        house.pass(20)
        for node in ["attic", "hall", "kitchen"] {
            ask(node)
            let kitchen = try report("kitchen", of: node)
            #expect((kitchen.online, kitchen.room, kitchen.version) == (true, "kitchen", "1.0.0"))
            #expect((kitchen.listening, kitchen.adapter) == (true, "hci0"))
            #expect(kitchen.observations.map(\.region) == regions.sorted())
            #expect(kitchen.observations.first { $0.region == "お帰り" }?.state == .inside)
            #expect(try report("attic", of: node).observations.first { $0.region == "keys" }?.state == .outside)
            #expect(house.nodes[node]?.core.agreed(on: "お帰り").state?.state == .inside)
            #expect(house.nodes[node]?.core.agreed(on: "お帰り").state?.room == "kitchen")
        }
    }

    @Test(arguments: ["\\u001b[2J", "a\\n19:00:00  didExitRegion  home", "\\u009b31m", "\\u202e"])
    mutating func `a room with control characters is no room`(room: String) throws {
        house.start("hall")
        house.publish(
            "okaeri/home/node/attic/about", Array(#"{"room":"\#(room)","version":"\#(room)","regions":["keys"]}"#.utf8),
            isRetained: true)
        house.publish(
            "okaeri/home/node/attic/scanner", Array(#"{"ok":false,"adapter":"\#(room)","reason":"\#(room)"}"#.utf8),
            isRetained: true)
        house.settle()
        let attic = try report("attic", of: "hall")
        #expect((attic.room, attic.version, attic.adapter) == (nil, "", nil))
        #expect(attic.reason?.isPlainName == true)
        let state =
            #"{"state":"unknown","room":"\#(room)","since":"2026-11-22T00:00:00Z","by":"f","seq":1,"#
            + #""hearing":[{"node":"\#(room)"},{"node":"attic"}]}"#
        let word = try #require(Wire.region(Array(state.utf8)))
        #expect((word.room, word.waiting) == (nil, ["attic"]))
        let event = #"{"event_type":"enter","room":"\#(room)","time":"2026-11-22T00:00:00Z","id":"1"}"#
        #expect(Wire.event(Array(event.utf8))?.room == nil)
    }

    /// Payloads near the size limit, as any client of the broker can publish them.
    @Test mutating func `invented nodes take a bounded amount of memory and no place of nodes that watch the same`() {
        house.start("hall", regions: ["keys", "car"])
        for index in 0..<1500 {
            let regions = (0..<800).map { "\"invented-region-with-a-long-name-\(index)-\($0)\"" }.joined(separator: ",")
            house.publish(
                "okaeri/home/node/invented-\(index)/about", Array("{\"regions\":[\(regions)]}".utf8), isRetained: true)
        }
        house.settle()
        func kept() -> (nodes: Int, bytes: Int) {
            let cards = (house.nodes["hall"]?.core.cards.all.values).map(Array.init) ?? []
            let foreign = cards.filter { $0.regions != ["car", "keys"] }
            return (cards.count, foreign.flatMap(\.regions).reduce(0) { $0 + $1.utf8.count })
        }
        #expect(1..<1000 ~= kept().nodes && kept().bytes <= 1 << 20, "\(kept())")
        let before = kept()
        house.start("attic", regions: ["keys", "car"])
        #expect(kept() == (before.nodes + 1, before.bytes))
        // The room that a node took is free again without it.
        for index in 0..<1500 { house.publish("okaeri/home/node/invented-\(index)/about", [], isRetained: true) }
        house.settle()
        #expect(kept() == (2, 0))
        let list = "{\"regions\":[" + (0..<3000).map { "\"other-\($0)\"" }.joined(separator: ",") + "]}"
        house.publish("okaeri/home/node/garage/about", Array(list.utf8), isRetained: true)
        house.settle()
        #expect(kept().nodes == 3)
    }

    @Test mutating func `the broker is used only during a request`() {
        for name in ["attic", "hall"] { house.start(name, regions: ["keys", "car"]) }
        house.pass(20)
        let before = house.nodes["hall"]?.filters
        ask("hall")
        #expect(house.nodes["hall"]?.filters.subtracting(before ?? []) == ["okaeri/home/node/+/region/+"])
        house.pass(10)
        ask("hall")
        house.pass(10)
        #expect(house.nodes["hall"]?.core.survey?.observations.keys.sorted() == ["attic", "hall"])
        house.pass(10)
        #expect(house.nodes["hall"]?.filters == before)
        #expect(house.nodes["hall"]?.core.survey == nil)
    }

    @Test mutating func `a request does not change the agreement`() {
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

    @Test mutating func `a node that is offline or receives nothing is reported`() throws {
        for name in ["attic", "hall"] { house.start(name) }
        house.perform("attic") { core, _ in
            core.bluetoothChanged(.init(state: .poweredOff, adapter: "hci0", reason: "hci0 is switched off"))
        }
        house.pass(10)
        let deaf = try report("attic", of: "hall")
        #expect((deaf.online, deaf.listening, deaf.reason) == (true, false, "hci0 is switched off"))
        house.kill("attic")
        #expect(try report("attic", of: "hall").online == false)
    }

    @Test mutating func `a node that is forgotten is gone`() {
        for name in ["attic", "hall"] { house.start(name) }
        house.pass(15)
        #expect(forget("attic", at: "hall") == .online("attic"))
        #expect(forget("hall", at: "hall") == .online("hall"))
        #expect(forget("cellar", at: "hall") == .unknown("cellar"))
        house.kill("attic")
        house.pass(15)
        #expect(forget("attic", at: "hall") == nil)
        #expect(house.retained.keys.filter { $0.contains("attic") }.sorted() == [])
        #expect(house.nodes["hall"]?.core.statuses.keys.sorted() == ["hall"])
        #expect(house.nodes["hall"]?.core.nodes(at: house.now).map(\.name) == ["hall"])
    }

    /// A broker that lost its data, and a node that died meanwhile: only the house's own word names it.
    @Test mutating func `a node that only the house waits for is forgotten`() {
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

    /// Another client emptied the node's topics. Its messages arrive when the ten seconds are over.
    @Test mutating func `a node that repeats its topics late is known with all of them`() throws {
        for name in ["attic", "hall"] { house.start(name) }
        house.pass(20)
        let about = try #require(house.value("okaeri/home/node/attic/about"))
        house.kill("attic", will: false)
        for topic in ["about", "status"] { house.publish("okaeri/home/node/attic/\(topic)", [], isRetained: true) }
        house.settle()
        house.pass(9.8)
        // The timer of the hall's daemon is late.
        house.now += 300_000_000
        house.publish("okaeri/home/node/attic/about", Array(about.utf8), isRetained: true)
        house.publish("okaeri/home/node/attic/status", Array("online".utf8), isRetained: true)
        house.settle()
        ask("hall")
        let attic = try report("attic", of: "hall")
        #expect(attic.online && house.nodes["hall"]?.core.cards["attic"]?.regions == ["keys"])
    }
}
