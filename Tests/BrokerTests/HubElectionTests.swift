import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// The hub that decides for a site, and its messages at the broker.
@Suite struct HubElectionTests {
    private var house = HouseBench()

    private let claim = "okaeri/home/hub"
    private let keys = "okaeri/home/region/keys"

    /// The node whose claim the broker retains.
    private var holder: String? { house.retained[claim].flatMap(HubClaim.init)?.name }

    private func isHolding(_ name: String) -> Bool { house.nodes[name]?.core.isHolding ?? false }

    private func state(_ region: String = "keys") -> RegionState? {
        house.retained["okaeri/home/region/\(region)"].flatMap { Wire.region($0)?.state }
    }

    private func topicsOfHouse(_ name: String, since time: Int64 = 0) -> [String] {
        house.published(name, since: time).map(\.topic).filter { topic in
            ["/region/", "/house", "/wanted", "okaeri_home/hub", "/region_"].contains { topic.contains($0) }
        }
    }

    // MARK: One hub

    @Test mutating func `A hub publishes nothing for the house before its claim has come back`() {
        house.withheld = [claim]
        house.startHub("hall")
        house.see("hall", .inside)
        house.pass(5)
        #expect(house.value(claim) != nil)
        #expect(topicsOfHouse("hall") == [] && house.events == [])
        #expect(house.value("okaeri/home/node/hall/status") == nil)
        house.withheld = []
        house.pass(10)
        #expect(isHolding("hall") && state() == .inside && house.events == ["enter"])
    }

    @Test mutating func `A claim that does not come back is published again every ten seconds`() {
        house.withheld = [claim]
        house.startHub("hall")
        let start = house.now
        house.pass(35)
        let times = house.published("hall", claim).map { ($0.time - start) / HouseBench.second }
        #expect(times == [0, 10, 20, 30])
    }

    @Test mutating func `The states are published before online, and events behind it`() throws {
        house.startHub("hall", connects: false)
        house.see("hall", .inside)
        house.pass(1)
        house.connect("hall")
        let topics = house.published("hall").map(\.topic)
        let online = try #require(topics.firstIndex(of: "okaeri/home/node/hall/status"))
        for topic in [claim, keys, "okaeri/home/wanted", "okaeri/home/house"] {
            #expect(try #require(topics.firstIndex(of: topic)) < online, "\(topic)")
        }
        #expect(try #require(topics.firstIndex(of: "\(keys)/event")) > online)
    }

    @Test mutating func `A claim of an earlier run of the same hub is replaced at once`() throws {
        house.startHub("hall", incarnation: "b")
        house.pass(5)
        house.kill("hall")
        #expect(holder == "hall")
        // Even if the broker has not noticed the end of the earlier run.
        house.overwrite("okaeri/home/node/hall/status", "online")
        for incarnation in ["a", "c"] {
            house.startHub("hall", incarnation: incarnation)
            #expect(isHolding("hall"))
            #expect(house.retained[claim].flatMap(HubClaim.init)?.incarnation == incarnation)
            #expect(house.nodes["hall"]?.notes == [])
            house.kill("hall", will: false)
        }
    }

    @Test mutating func `A claim of a hub that is offline does not count`() {
        house.startHub("attic")
        house.kill("attic")
        house.startHub("hall")
        #expect(isHolding("hall") && holder == "hall")
    }

    @Test(arguments: [
        "hub", "house", "wanted", "region/keys", "node/hall/about", "node/hall/scanner", "node/hall/status",
    ])
    mutating func `A topic that another client empties or overwrites is corrected, at most once a second`(
        topic: String
    ) throws {
        house.startHub("hall")
        house.see("hall", .inside)
        house.pass(20)
        let path = "okaeri/home/\(topic)"
        let value = try #require(house.value(path))
        let news = house.news("hall")
        let forged = [
            "", "x", "offline", #"{"name":"other","incarnation":"a","since":""}"#, #"{"beacons":[],"phones":true}"#,
            #"{"state":"outside","room":null,"name":"keys"}"#, #"{"kind":"hub","room":"x"}"#,
        ]
        for payload in forged {
            house.overwrite(path, payload)
            house.pass(1.1)
            #expect(house.value(path) == value, "\(payload)")
        }
        let start = house.now
        for _ in 0..<40 {
            house.overwrite(path, "")
            house.pass(0.1)
        }
        house.pass(1.1)
        #expect(house.value(path) == value)
        #expect(house.published("hall", path, since: start).count <= 6)
        #expect(house.news("hall") == news && house.events == ["enter"])
        #expect(isHolding("hall"))
    }

    // MARK: The broker's data

    @Test mutating func `A broker that lost its data receives everything again, and no event`() {
        house.startHub("hall", regions: ["keys", "car"])
        house.startReceiver("attic")
        house.see("hall", .inside)
        house.see("hall", .outside, region: "car")
        house.change("hall") { $0.batteries["keys"] = .init(percent: 30, time: "", source: "x", major: 1, minor: 1) }
        house.pass(70)
        let (before, events, news) = (house.retained, house.events, house.news("hall"))
        house.restartBroker(with: [:], connecting: "hall", "attic")
        house.pass(70)
        #expect(house.topics == before.keys.sorted())
        for (topic, payload) in before {
            #expect(house.value(topic) == String(decoding: payload, as: UTF8.self), "\(topic)")
        }
        #expect(house.events == events && house.news("hall") == news)
    }

    @Test mutating func `A broker with older data changes nothing`() {
        house.startHub("hall")
        house.startReceiver("attic")
        house.see("hall", .outside)
        house.pass(10)
        let older = house.retained
        house.see("hall", .inside)
        house.hear("hall")
        house.pass(10)
        let (later, events, news) = (house.retained, house.events, house.news("hall"))
        #expect(older["okaeri/home/house"] != later["okaeri/home/house"])
        house.restartBroker(with: older, connecting: "hall", "attic")
        house.pass(20)
        for (topic, payload) in later {
            #expect(house.value(topic) == String(decoding: payload, as: UTF8.self), "\(topic)")
        }
        #expect(house.events == events && house.news("hall") == news)
    }

    @Test mutating func `An event during an outage of the broker is published behind the new connection, once`() {
        house.startHub("hall")
        house.see("hall", .outside)
        house.pass(10)
        house.cut("hall")
        house.see("hall", .inside)
        house.pass(5)
        #expect(house.events == ["exit"])
        house.connect("hall")
        house.pass(5)
        #expect(house.events == ["exit", "enter"] && state() == .inside)
    }

    // MARK: Two hubs

    @Test mutating func `A second hub yields, publishes nothing for the house, and logs the two ways out`() throws {
        house.startHub("attic", regions: ["keys", "car"])
        house.see("attic", .outside)
        house.pass(10)
        house.startHub("hall", incarnation: "0")
        house.see("hall", .inside)
        house.pass(60)
        #expect(holder == "attic" && isHolding("attic"))
        #expect(house.nodes["hall"]?.core.election.state == .yielded(to: "attic"))
        #expect(house.nodes["hall"]?.core.hubName == "attic")
        #expect(topicsOfHouse("hall") == [] && house.events == ["exit"] && state() == .outside)
        #expect(house.value("okaeri/home/node/hall/status") == "online")
        let note = try #require(house.nodes["hall"]?.notes.first)
        #expect(house.nodes["hall"]?.notes.count == 1)
        for words in ["\"attic\"", "\"home\"", "sudo okaeri join", "another \"site\""] {
            #expect(note.contains(words), "\(note)")
        }
    }

    @Test mutating func `A second hub does not publish the events of the time before it found the first one`() {
        house.startHub("attic")
        house.see("attic", .outside)
        house.pass(10)
        house.startHub("hall", connects: false)
        house.see("hall", .inside)
        house.pass(1)
        house.connect("hall")
        house.pass(10)
        #expect(house.nodes["hall"]?.core.election.state == .yielded(to: "attic"))
        #expect(house.events == ["exit"])
    }

    @Test(arguments: [("a", "b"), ("b", "a")])
    mutating func `Of two hubs that claim at once, the one with the smaller incarnation stays`(
        incarnations: (attic: String, hall: String)
    ) throws {
        house.startHub("attic", regions: ["keys", "car"], incarnation: incarnations.attic)
        house.startHub("hall", regions: ["keys", "bike"], incarnation: incarnations.hall)
        house.see("attic", .outside)
        house.see("hall", .inside)
        house.pass(10)
        let (winner, loser) = incarnations.attic < incarnations.hall ? ("attic", "hall") : ("hall", "attic")
        house.restartBroker(with: [:], connecting: "attic", "hall")
        house.pass(30)
        #expect(isHolding(winner) && holder == winner)
        #expect(house.nodes[loser]?.core.election.state == .yielded(to: winner))
        #expect(state() == (winner == "attic" ? .outside : .inside))
        let wanted = try #require(house.nodes[winner]).core.wantedValue.payload
        #expect(house.retained["okaeri/home/wanted"] == wanted)
        #expect(house.value("okaeri/home/house")?.contains("\"hub\":\"\(winner)\"") == true)
        #expect(house.value("okaeri/home/region/\(winner == "attic" ? "car" : "bike")") != nil)
        // Both decide nothing anew later.
        let start = house.now
        house.pass(300)
        #expect(house.published(loser, claim, since: start) == [] && topicsOfHouse(loser, since: start) == [])
    }

    @Test mutating func `A hub that has yielded claims when the other one is offline for 30 seconds`() {
        house.startHub("attic")
        house.see("attic", .outside)
        house.pass(10)
        house.startHub("hall")
        house.see("hall", .inside, isEvent: false)
        house.pass(10)
        house.kill("attic")
        house.pass(29)
        #expect(!isHolding("hall") && state() == .outside)
        house.pass(2)
        #expect(isHolding("hall") && holder == "hall" && state() == .inside)
        #expect(house.value("okaeri/home/house")?.contains("\"hub\":\"hall\"") == true)
        // The other one is back, and does not take over.
        house.startHub("attic")
        house.pass(10)
        #expect(isHolding("hall") && house.nodes["attic"]?.core.election.state == .yielded(to: "hall"))
    }

    @Test mutating func `A hub that is offline for a moment stays the hub`() {
        house.startHub("attic", incarnation: "b")
        house.startHub("hall", incarnation: "a")
        house.pass(10)
        for _ in 0..<5 {
            house.cut("attic")
            house.pass(20)
            house.connect("attic")
            house.pass(20)
        }
        #expect(isHolding("attic") && !isHolding("hall"))
        house.overwrite(claim, "")
        house.pass(60)
        #expect(isHolding("attic") && !isHolding("hall") && holder == "attic")
    }

    @Test(arguments: [
        "", "x", "{}", #"{"name":"a b","incarnation":"x"}"#, #"{"name":"hall","incarnation":""}"#,
        #"{"name":"hall","incarnation":"\u001b[2J"}"#, #"{"name":"hall"}"#, #"{"name":5,"incarnation":"x"}"#,
        #"{"name":"hall","incarnation":"\#(String(repeating: "x", count: 65))"}"#,
    ])
    func `A payload that no hub publishes is not a claim`(payload: String) {
        #expect(HubClaim(Array(payload.utf8)) == nil)
    }

    @Test func `A claim is read as it was written`() {
        let claim = HubClaim(name: "hall", incarnation: "1z", since: "2026-11-21T17:00:00.000Z")
        #expect(HubClaim(Array(claim.payload.utf8)) == claim)
    }
}
