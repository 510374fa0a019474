import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriRooms
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// A receiver: it sends what its radio receives, and reads what the hub decided.
@Suite struct ReceiverTests {
    private var house = HouseBench()

    private let heard = "okaeri/home/node/attic/heard"

    private mutating func start() {
        house.startHub("hall")
        house.startReceiver("attic")
    }

    private func state(_ region: String = "keys") -> RegionState? {
        house.nodes["attic"]?.core.publishedRegion(region)?.state
    }

    private func times(since start: Int64) -> [Double] {
        house.published("attic", heard, since: start).map { Nanoseconds.seconds($0.time - start) }
    }

    // MARK: Its radio

    @Test mutating func `A receiver that receives nothing sends a message every five seconds`() {
        start()
        let start = house.now
        house.pass(31)
        let times = times(since: start)
        #expect(6...8 ~= times.count, "\(times)")
        let numbers = house.heard("attic").map(\.number)
        #expect(numbers == Array(1...UInt64(numbers.count)))
        #expect(zip(times, times.dropFirst()).allSatisfy { 4.9...5.1 ~= $1 - $0 }, "\(times)")
    }

    @Test mutating func `A new beacon is reported within 50 ms, and then each second`() throws {
        start()
        house.pass(20.3)
        let start = house.now
        for _ in 0..<20 {
            house.receive("attic")
            house.pass(0.5)
        }
        let times = times(since: start)
        #expect(isNear(try #require(times.first), 0.05))
        #expect(10...11 ~= times.count && zip(times, times.dropFirst()).allSatisfy { isNear($1 - $0, 1) }, "\(times)")
        // It stays: nothing is sent early.
        house.pass(0.1)
        let later = house.now
        house.receive("attic")
        house.pass(0.1)
        #expect(house.published("attic", heard, since: later) == [])
        house.receive("attic", minor: 2)
        house.pass(0.06)
        #expect(house.published("attic", heard, since: later).count == 1)
    }

    private func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 0.002 }

    @Test mutating func `Messages tell their time without gaps, and the listened share`() throws {
        start()
        house.pass(10)
        for _ in 0..<20 {
            house.receive("attic")
            house.change("attic") { $0.deaf += 0.25 }
            house.pass(0.5)
        }
        let messages = house.heard("attic")
        for (one, next) in zip(messages, messages.dropFirst()) {
            #expect(isNear(try #require(one.span).upperBound, try #require(next.span).lowerBound))
        }
        #expect(isNear(try #require(messages.last).share, 0.5))
        #expect(house.nodes["hall"]?.core.radios["attic"]?.lost == 0)
        let reports = house.nodes["hall"]?.reports.map(\.report) ?? []
        for (one, next) in zip(reports, reports.dropFirst()) { #expect(one.until == next.from) }
    }

    @Test mutating func `Nothing is sent without a hub, and from the hub's start on what it wants`() {
        house.startReceiver("attic")
        house.receive("attic")
        house.pass(20)
        #expect(house.heard("attic") == [] && house.nodes["attic"]?.wanted == nil)
        house.startHub("hall", regions: ["keys"])
        house.receive("attic", region: "car")
        house.receive("attic")
        house.pass(1)
        #expect(house.heard("attic").flatMap(\.entries).count == 1)
        house.perform("hall") { $0.configured(["car"].map(HouseBench.region), at: $1) }
        house.receive("attic")
        house.receive("attic", region: "car")
        house.pass(1)
        #expect(house.heard("attic").flatMap(\.entries).count == 2)
    }

    @Test mutating func `The broker delivers what the hub wants before the receiver is online`() {
        house.startHub("hall")
        // A thread handles deadlines between two messages.
        house.withheld = ["okaeri/home/node/attic/about"]
        house.startReceiver("attic")
        #expect(house.nodes["attic"]?.wanted != nil && house.value("okaeri/home/node/attic/status") == nil)
        house.pass(3)
        #expect(house.heard("attic") == [])
        house.withheld = []
        house.pass(8)
        #expect(house.value("okaeri/home/node/attic/status") == "online")
        #expect(!house.heard("attic").isEmpty)
    }

    @Test mutating func `A receiver that is cut off sends again behind the next connection`() {
        start()
        house.pass(10)
        house.cut("attic")
        #expect(house.nodes["attic"]?.wanted == nil)
        let count = house.heard("attic").count
        house.receive("attic")
        house.pass(30)
        #expect(house.heard("attic").count == count)
        house.connect("attic")
        house.receive("attic")
        house.pass(2)
        #expect(house.heard("attic").dropFirst(count).contains { !$0.entries.isEmpty })
    }

    // MARK: The word of the hub

    @Test mutating func `A receiver publishes nothing of the house`() {
        start()
        house.see("hall", .inside)
        house.pass(60)
        let topics = Set(house.published("attic").map(\.topic))
        let own = ["about", "status", "scanner", "prompt", "heard"].map { "okaeri/home/node/attic/\($0)" }
        #expect(topics == Set(own + ["homeassistant/device/okaeri_home/node_attic/config"]))
    }

    @Test mutating func `A receiver has the states, rooms and events of the hub`() {
        start()
        #expect(house.nodes["attic"]?.core.hubName == "hall" && state() == .unknown)
        house.see("hall", .outside)
        house.hear("hall")
        house.see("hall", .inside)
        for _ in 0..<10 {
            house.hear("hall")
            house.pass(0.5)
        }
        #expect(state() == .inside && house.nodes["attic"]?.core.publishedRegion("keys")?.room == "hall")
        let news = house.news("attic")
        #expect(news.filter { $0.hasPrefix("enter") || $0 == "exit" } == ["exit", "enter hall"])
        #expect(news.filter { ["inside", "outside"].contains($0) } == ["outside", "inside"])
        #expect(news.last == "room hall")
        // No hook of the house runs here.
        #expect(
            house.nodes["attic"]?.happened.contains {
                if case .house(_, .didEnterRegion(room: _, let isOwner)) = $0 { isOwner } else { false }
            } == false)
        house.see("hall", .unknown)
        #expect(state() == .unknown && house.nodes["attic"]?.core.publishedRegion("keys")?.lastKnown == .inside)
    }

    @Test mutating func `An event that is delivered twice is announced once, and a retained one not at all`() throws {
        start()
        house.see("hall", .inside)
        house.pass(1)
        let event = try #require(house.published("hall", "/event").last)
        house.send(event.topic, event.payload)
        #expect(house.news("attic").filter { $0.hasPrefix("enter") }.count == 1)
        // The broker ends before it acknowledges the event: the hub publishes it again.
        house.restartBroker(with: house.retained, connecting: "attic", "hall")
        house.send(event.topic, event.payload)
        #expect(house.news("attic").filter { $0.hasPrefix("enter") }.count == 1)
        house.see("hall", .outside)
        house.pass(1)
        house.overwrite(event.topic, event.payload)
        house.cut("attic")
        house.connect("attic")
        #expect(house.news("attic").filter { $0.hasPrefix("enter") }.count <= 2)
        let count = house.news("attic").filter { $0.hasPrefix("enter") }.count
        house.cut("attic")
        house.connect("attic")
        #expect(house.news("attic").filter { $0.hasPrefix("enter") }.count == count)
    }

    @Test mutating func `Without a connection the states are unknown, and come back with it without an event`() {
        start()
        house.see("hall", .inside)
        house.pass(5)
        let events = house.news("attic").filter { $0.hasPrefix("enter") || $0 == "exit" }
        house.cut("attic")
        #expect(house.news("attic").last == "unknown" && house.nodes["attic"]?.core.hubName == nil)
        house.connect("attic")
        house.pass(5)
        #expect(state() == .inside && house.news("attic").last == "inside")
        #expect(house.news("attic").filter { $0.hasPrefix("enter") || $0 == "exit" } == events)
    }

    @Test mutating func `A hub that is offline is not named, and the next one is`() {
        start()
        house.pass(5)
        house.kill("hall")
        #expect(house.nodes["attic"]?.core.hubName == nil)
        house.startHub("loft")
        house.pass(5)
        #expect(house.nodes["attic"]?.core.hubName == "loft")
    }

    @Test mutating func `A region that the hub does not have any more is forgotten`() {
        house.startHub("hall", regions: ["keys", "car"])
        house.startReceiver("attic")
        #expect(house.nodes["attic"]?.core.publishedRegions.keys.sorted() == ["car", "keys"])
        house.perform("hall") { $0.configured(["keys"].map(HouseBench.region), at: $1) }
        house.pass(15)
        #expect(house.nodes["attic"]?.core.publishedRegions.keys.sorted() == ["keys"])
        // The receiver is not connected while the region is removed.
        house.cut("attic")
        house.perform("hall") { $0.configured(["bike"].map(HouseBench.region), at: $1) }
        house.pass(15)
        house.connect("attic")
        house.pass(15)
        #expect(house.nodes["attic"]?.core.publishedRegions.keys.sorted() == ["bike"])
    }

    @Test mutating func `Invented regions and damaged states take a bounded amount of memory`() {
        start()
        house.change("attic") { node in
            for number in 0..<3000 {
                let payload = Array("{\"state\":\"inside\",\"name\":\"r\(number)\"}".utf8)
                let message = MQTTMessage(topic: "okaeri/home/region/r\(number)", payload: payload, isRetained: true)
                _ = node.core.received(message, at: Moment(instant: 0, wall: 0))
            }
        }
        #expect(house.nodes["attic"]?.core.publishedRegions.count == 1024)
        for payload in ["x", #"{"state":"maybe","name":"keys"}"#, #"{"state":"inside","name":"a\u001bb"}"#] {
            house.overwrite("okaeri/home/region/keys", payload)
            #expect(state() != .inside)
            house.pass(1.5)
            #expect(state() == .unknown)
        }
    }
}
