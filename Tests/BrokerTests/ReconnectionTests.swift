import Rooms
import MQTT
import RegionMonitoring
import TestSupport
import Testing

@testable import House

/// A node's connection is lost while its daemon goes on.
@Suite struct ReconnectionTests {
    var house = HouseBench()
    private let names = ["attic", "hall", "kitchen"]

    /// The node that writes what the house agrees on about the keys; they are nowhere.
    private mutating func owner() throws -> String {
        for name in names { house.start(name) }
        house.pass(10)
        for name in names { house.see(name, .outside) }
        house.pass(5)
        return try #require(Ownership.owner(of: "keys", among: names))
    }

    private var state: String? { house.value("okaeri/home/region/keys") }

    @Test mutating func `an owner that comes back receives what the broker has retained`() throws {
        let owner = try owner()
        house.cut(owner)
        house.connect(owner)
        house.pass(10)
        #expect(house.nodes[owner]?.core.house.owner(of: "keys") == owner)
        #expect(state?.contains("\"state\":\"outside\"") == true, "\(state ?? "")")
    }

    @Test mutating func `a node that was away does not publish what the house agreed on before`() throws {
        let owner = try owner()
        let witness = try #require(names.first { $0 != owner })
        house.cut(owner)
        house.pass(5)
        house.see(witness, .inside, rssi: -60)
        house.pass(10, hearing: [witness: -60])
        house.connect(owner)
        house.pass(20, hearing: [witness: -60])
        #expect(state?.contains("\"state\":\"inside\"") == true, "\(state ?? "")")
        let events = house.events.filter { $0.topic == "okaeri/home/region/keys/event" }
            .compactMap { Wire.event($0.payload)?.kind }
        #expect(events == [.enter])
        for name in names where name != owner {
            let news = house.news(name).filter { $0.hasPrefix("enter") || $0 == "exit" }
            #expect(news == ["enter \(witness)"], "\(name): \(house.news(name))")
        }
    }

    @Test(arguments: ["homeassistant", nil])
    mutating func `a node that counts the house no more does not publish its count again`(discovery: String?) throws {
        let hub = try #require(Ownership.owner(of: Ownership.hub, among: names))
        for name in names where name != hub { house.start(name, discovery: discovery) }
        house.pass(10)
        let before = try #require(names.first { house.nodes[$0]?.values["okaeri/home/house"] != nil })
        house.start(hub, discovery: discovery)
        house.pass(10)
        #expect(house.nodes[hub]?.values["okaeri/home/house"] != nil)
        #expect(house.nodes[before]?.values["okaeri/home/house"] == nil)
        house.cut(hub)
        #expect(house.nodes[hub]?.values["okaeri/home/house"] == nil)
    }

    @Test mutating func `a house whose topics another client empties publishes them again and announces nothing`() {
        for name in ["attic", "hall", "kitchen"] { house.start(name) }
        for name in ["attic", "hall", "kitchen"] { house.see(name, .outside) }
        house.pass(15)
        house.see("attic", .inside, rssi: -55)
        house.pass(15, hearing: ["attic": -55])
        let topics = house.retained.keys.filter { $0.hasPrefix("okaeri/") }.sorted()
        let news = house.news("hall")
        for topic in topics { house.publish(topic, [], isRetained: true) }
        house.settle()
        house.pass(15, hearing: ["attic": -55])
        #expect(house.retained.keys.filter { $0.hasPrefix("okaeri/") }.sorted() == topics)
        #expect(house.news("hall") == news && news.contains("enter attic"))
    }
}
