import Rooms
import Events
import MQTT
import Plumbing
import RegionMonitoring
import TestSupport
import Testing

@testable import House

@Suite struct HouseTests {
    var house = HouseBench()

    /// Enters and exits of the whole house, as the broker had them.
    private var events: [String] {
        house.events.filter { $0.topic == "okaeri/home/region/keys/event" }
            .compactMap { Wire.event($0.payload)?.kind.rawValue }
    }

    @Test mutating func `one node is a house`() {
        house.start("hall")
        house.pass(10)
        house.see("hall", .outside)
        house.pass(5)
        #expect(house.value("okaeri/home/node/hall/status") == "online")
        #expect(house.value("okaeri/home/region/keys")?.contains("\"state\":\"outside\"") == true)
        house.see("hall", .inside, rssi: -60)
        house.pass(5, hearing: ["hall": -60])
        #expect(house.value("okaeri/home/region/keys")?.contains("\"state\":\"inside\",\"room\":\"hall\"") == true)
        house.see("hall", .outside)
        house.pass(5)
        #expect(house.value("okaeri/home/region/keys")?.contains("\"state\":\"outside\",\"room\":null") == true)
        #expect(events == ["enter", "exit"])
        #expect(
            house.value("okaeri/home/house")
                == #"{"online":1,"leader":"hall","presence":"outside","inside":0,"rooms":{}}"#)
    }

    @Test mutating func `the hub publishes how many regions are inside, and in which rooms`() {
        let regions = ["keys", "bag"]
        for name in ["attic", "hall"] { house.start(name, regions: regions) }
        house.pass(10)
        for region in regions {
            for name in ["attic", "hall"] { house.see(name, .outside, region: region) }
        }
        house.pass(5)
        let start = "{\"online\":2,\"leader\":\"\(house.nodes["hall"]?.core.house.isHub == true ? "hall" : "attic")\","
        #expect(house.value("okaeri/home/house") == start + #""presence":"outside","inside":0,"rooms":{}}"#)
        house.see("hall", .inside, rssi: -50)
        house.pass(10, hearing: ["hall": -50])
        #expect(house.value("okaeri/home/house") == start + #""presence":"inside","inside":1,"rooms":{"hall":1}}"#)
        house.see("hall", .unknown)
        house.pass(5)
        #expect(house.value("okaeri/home/house") == start + #""presence":"unknown","inside":0,"rooms":{}}"#)
        house.see("hall", .outside)
        house.pass(5)
        #expect(house.value("okaeri/home/house") == start + #""presence":"outside","inside":0,"rooms":{}}"#)
    }

    @Test mutating func `a room without a node is removed from the house's device once, then omitted`() throws {
        let device = "homeassistant/device/okaeri_home/hub/config"
        for name in ["attic", "hall"] { house.start(name) }
        house.pass(10)
        let hub = try #require(house.nodes.first { $0.value.core.house.isHub }?.key)
        let other = hub == "hall" ? "attic" : "hall"
        #expect(house.value(device)?.contains(#""room_\#(other)":{"p":"sensor","uniq_id""#) == true)
        house.start(other, room: "cellar")
        house.pass(10)
        #expect(house.value(device)?.contains(#""room_\#(other)":{"p":"sensor"}"#) == true)
        #expect(house.value(device)?.contains(#""room_cellar":{"p":"sensor","uniq_id""#) == true)
        house.start("porch", room: "cellar")
        house.pass(10)
        #expect(house.value(device)?.contains(#""room_\#(other)""#) == false)
    }

    /// The hub waits for its disk.
    private mutating func enterUnrecorded() {
        house.start("hall")
        house.pass(10)
        house.see("hall", .outside)
        house.pass(5)
        house.stopRecording("hall")
        house.see("hall", .inside, rssi: -60)
    }

    @Test mutating func `an event is published after the owner's hub has recorded it, and the region's state before`() {
        enterUnrecorded()
        house.pass(5, hearing: ["hall": -60])
        house.see("hall", .outside)
        house.pass(5)
        #expect(house.value("okaeri/home/region/keys")?.contains("\"state\":\"outside\"") == true)
        #expect(events == [])
        house.record("hall")
        #expect(events == ["enter", "exit"])
    }

    /// The queue of the node's outputs was full.
    @Test mutating func `an event that was dropped before it was recorded is not published for the next one`() throws {
        enterUnrecorded()
        house.perform("hall") { core, _ in
            core.dropped(.happened(.house(region: "keys", .didEnterRegion(room: nil, isOwner: true)), at: 0))
            return []
        }
        house.pass(5, hearing: ["hall": -60])
        house.see("hall", .outside)
        house.pass(5)
        house.perform("hall") { $0.recorded(.didExitRegion(isOwner: true), of: "keys", at: $1) }
        #expect(events == ["exit"])
    }

    /// The hub does not own the region, whose state is the same as before.
    @Test mutating func `the occupancy of the house is known again after the broker lost everything`() throws {
        for name in ["attic", "hall"] { house.start(name, regions: ["bike"]) }
        house.pass(10)
        house.see("hall", .inside, region: "bike")
        house.pass(10)
        let hall = try #require(house.nodes["hall"]?.core)
        #expect(hall.house.isHub && hall.agreed(on: "bike").owner == "attic")
        for name in ["attic", "hall"] { house.cut(name) }
        for topic in house.retained.keys { house.lose(topic) }
        for name in ["attic", "hall"] { house.connect(name) }
        house.pass(40)
        #expect(house.value("okaeri/home/house")?.contains(#""presence":"inside","inside":1"#) == true)
    }

    @Test mutating func `a region's message names an event until the event was sent`() throws {
        enterUnrecorded()
        #expect(house.value("okaeri/home/region/keys")?.contains("\"news\":true") == true)
        var core = try #require(house.nodes["hall"]).core
        let moment = Moment(instant: house.now, wall: house.now)
        let outputs = core.recorded(.didEnterRegion(room: "hall", isOwner: true), of: "keys", at: moment)
        let sent = outputs.compactMap { if case .publish(let message) = $0 { message } else { nil } }
        #expect(sent.prefix(2).map(\.topic) == ["okaeri/home/region/keys/event", "okaeri/home/region/keys"])
        #expect(
            String(decoding: try #require(sent.dropFirst().first).payload, as: UTF8.self).contains("\"news\":false"))
    }

    @Test mutating func `a walk through three rooms is one arrival and one departure`() {
        for name in ["attic", "hall", "kitchen"] { house.start(name) }
        house.pass(10)
        for name in ["attic", "hall", "kitchen"] { house.see(name, .outside) }
        house.pass(5)
        house.see("hall", .inside, rssi: -50)
        house.pass(10, hearing: ["hall": -50])
        house.see("kitchen", .inside, rssi: -50)
        house.pass(20, hearing: ["hall": -75, "kitchen": -50])
        house.see("attic", .inside, rssi: -50)
        house.pass(20, hearing: ["hall": -80, "kitchen": -75, "attic": -50])
        house.see("hall", .outside)
        house.see("kitchen", .outside)
        house.pass(10, hearing: ["attic": -50])
        house.see("attic", .outside)
        house.pass(10)
        #expect(events == ["enter", "exit"])
        for name in ["attic", "hall", "kitchen"] {
            let rooms = house.news(name).filter { $0.hasPrefix("room") || $0.hasPrefix("enter") || $0 == "exit" }
            #expect(
                rooms.filter { $0 != "room none" } == [
                    "enter hall", "room hall", "room kitchen", "room attic", "exit",
                ],
                "\(name): \(house.news(name))")
        }
        let owners = ["attic", "hall", "kitchen"].filter { name in
            (house.nodes[name]?.happened ?? []).contains {
                if case .house(_, .didEnterRegion(_, isOwner: true)) = $0 { true } else { false }
            }
        }
        #expect(owners.count == 1, "a hook of the house is run once: \(owners)")
    }

    @Test mutating func `the end of a node is no exit and its return no enter`() {
        for name in ["attic", "hall"] { house.start(name) }
        house.pass(10)
        house.see("attic", .outside)
        house.see("hall", .inside, rssi: -50)
        house.pass(10, hearing: ["hall": -50])
        let before = events
        house.kill("hall")
        house.pass(1200)
        #expect(house.value("okaeri/home/region/keys")?.contains("\"state\":\"unknown\"") == true)
        house.start("hall")
        house.see("hall", .inside, rssi: -50)
        house.pass(30, hearing: ["hall": -50])
        #expect(house.value("okaeri/home/region/keys")?.contains("\"state\":\"inside\"") == true)
        #expect(events == before)
    }

    @Test(arguments: 0..<20) mutating func `no published message traps`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        house.start("hall", regions: ["keys", "お帰り"])
        house.pass(6)
        let topics =
            house.retained.keys.sorted() + [
                "okaeri/home/node/x/status", "okaeri/home/node/x/about", "okaeri/home/node/x/scanner",
                "okaeri/home/node/x/region/keys", "okaeri/home/region/keys/event",
                "okaeri/home/node/hall/prompt/answer",
                "homeassistant/status", "homeassistant/device/okaeri_home/region_x/config",
            ]
        let words = [
            "", "online", "offline", "{}", "[]", "null", "{\"state\":\"inside\"}",
            "{\"state\":\"inside\",\"rssi\":1e308,\"age\":-1e308,\"spread\":1e308,\"incarnation\":\"a\",\"seq\":1}",
            "{\"state\":\"outside\",\"room\":null,\"since\":\"9999-12-31T23:59:59Z\"}",
            "{\"state\":\"inside\",\"since\":\"2026-11-22T00:00:00Z\",\"by\":\"ffffffffffffffff\",\"seq\":18446744073709551615}",
            "{\"ok\":false}", "{\"regions\":[\"keys\",\"#\",\"\"]}", "{\"answer\":\"join\"}",
            "{\"event_type\":\"enter\",\"time\":\"1970-01-01T00:00:00Z\",\"id\":\"ffffffffffffffff\"}",
            String(repeating: "[", count: 60_000),
        ]
        for _ in 0..<200 {
            let topic = topics.randomElement(using: &generator) ?? ""
            let payload =
                Bool.random(using: &generator)
                ? Array((words.randomElement(using: &generator) ?? "").utf8)
                : (0..<20).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
            house.publish(topic, payload, isRetained: Bool.random(using: &generator))
            house.settle()
            house.pass(Double.random(in: 0...2, using: &generator))
        }
        // This node still publishes its observations.
        house.see("hall", .inside, rssi: -50)
        house.pass(400, hearing: ["hall": -50])
        #expect(house.value("okaeri/home/node/hall/region/keys")?.contains("\"state\":\"inside\"") == true)
    }
}
