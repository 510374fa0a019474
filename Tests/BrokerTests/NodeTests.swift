import Rooms
import Events
import IBeacon
import MQTT
import Plumbing
import RegionMonitoring
import Testing

@testable import House

/// The messages of a node about itself.
@Suite struct NodeTests {
    var house = HouseBench()

    @Test mutating func `what is removed while the daemon is off is taken away`() {
        house.start("hall", regions: ["keys", "front_door"])
        house.pass(15)
        house.see("hall", .outside, region: "front_door")
        house.pass(5)
        let before = house.retained.keys.filter { $0.contains("front") }
        #expect(before.count == 4, "a device, a part of it, a sight and a state: \(before.sorted())")
        house.kill("hall")
        house.start("hall")
        house.pass(15)
        #expect(house.retained.keys.filter { $0.contains("front") }.isEmpty)
        #expect(house.retained.keys.filter { $0.contains("keys") }.count == 4)
    }

    @Test mutating func `a region that another node watches stays`() {
        house.start("attic", regions: ["keys", "car"])
        house.start("hall", regions: ["keys", "car"])
        house.pass(15)
        house.perform("hall") { $0.configured([BrokerRegion("keys")], at: $1) }
        house.pass(15)
        let car = house.retained.keys.filter { $0.contains("car") }
        #expect(car.filter { $0.contains("hall") }.isEmpty, "\(car)")
        #expect(car.contains("okaeri/home/region/car"))
        #expect(car.contains("homeassistant/device/okaeri_home/region_car/config"))
        house.perform("attic") { $0.configured([BrokerRegion("keys")], at: $1) }
        house.pass(15)
        #expect(house.retained.keys.filter { $0.contains("car") }.isEmpty)
    }

    @Test mutating func `a region that is added is a device at once, also when it was removed before`() {
        let device = "homeassistant/device/okaeri_home/region_car_hall/config"
        house.start("hall")
        house.pass(15)
        for _ in 0..<2 {
            house.perform("hall") { $0.configured(["keys", "car"].map { BrokerRegion($0) }, at: $1) }
            #expect(house.value(device) != nil)
            house.perform("hall") { $0.configured([BrokerRegion("keys")], at: $1) }
            #expect(house.value(device) == nil)
        }
    }

    @Test(arguments: ["status", "region/keys", "about", "scanner", "prompt"])
    mutating func `what another client writes in a topic of a node is replaced`(topic: String) {
        house.start("hall")
        house.pass(15)
        let value = house.value("okaeri/home/node/hall/\(topic)")
        #expect(value != nil)
        house.publish("okaeri/home/node/hall/\(topic)", Array("x".utf8), isRetained: true)
        house.settle()
        house.pass(1)
        #expect(house.value("okaeri/home/node/hall/\(topic)") == value)
    }

    /// Forged messages of an owner, one after another.
    @Test mutating func `a node that is named as receiving the beacon confirms its observation once a second`() throws {
        for name in ["attic", "hall"] { house.start(name) }
        house.pass(15)
        for name in ["attic", "hall"] { house.see(name, .outside) }
        house.pass(5)
        let owner = try #require(house.nodes["hall"]?.core.agreed(on: "keys").owner)
        let other = owner == "hall" ? "attic" : "hall"
        var core = try #require(house.nodes[other]).core
        let topic = "okaeri/home/node/\(other)/region/keys"
        var count = 0
        for index in 0..<100 {
            let now = Moment(instant: house.now + Int64(index) * HouseBench.second / 100, wall: house.now)
            let forged =
                #"{"state":"unknown","last":"inside","hearing":[{"node":"\#(other)"}],"by":"ff","seq":\#(index + 1000)}"#
            let message = MQTTMessage(topic: "okaeri/home/region/keys", payload: Array(forged.utf8), isRetained: false)
            let outputs = core.received(message, at: now) + core.advanced(to: now)
            count += outputs.count { $0 == .repeat(topic: topic) }
        }
        #expect(count == 1)
    }

    @Test mutating func `a house whose descriptions are too large keeps the regions of all`() {
        // Nine of this size fill the room but for four bytes.
        let card = #"{"regions":["x"]}"#
        let large = card + String(repeating: " ", count: 116_508 - card.utf8.count)
        for index in 0..<9 { house.publish("okaeri/home/node/a\(index)/about", Array(large.utf8), isRetained: true) }
        house.start("shed", regions: ["car"])
        house.pass(15)
        house.see("shed", .outside, region: "car")
        house.pass(15)
        house.kill("shed")
        house.start("hall")
        house.pass(30)
        #expect(house.nodes["hall"]?.core.cards["shed"] == nil && house.nodes["hall"]?.core.house.isHub == true)
        #expect(house.value("okaeri/home/region/car") != nil)
    }

    @Test mutating func `messages about other beacons are logged twenty times at once`() {
        house.start("hall", beacon: "a")
        house.pass(15)
        for index in 0..<100 {
            let beacons = index.isMultiple(of: 2) ? #","beacons":["x"]"# : ""
            let card = Array(#"{"regions":["keys"]\#(beacons)}"#.utf8)
            house.publish("okaeri/home/node/attic/about", card, isRetained: false)
            house.settle()
        }
        #expect(house.nodes["hall"]?.notes.count == 20)
        house.pass(10)
        house.publish(
            "okaeri/home/node/attic/about", Array(#"{"regions":["keys"],"beacons":["x"]}"#.utf8), isRetained: false)
        house.settle()
        #expect(house.nodes["hall"]?.notes.count == 21)
    }

    @Test mutating func `a prompt is answered once`() {
        house.start("hall")
        house.perform("hall") { core, _ in core.asked(.init(id: "7", ssid: "HomeNet", region: "keys")) }
        #expect(
            house.value("okaeri/home/node/hall/prompt") == #"{"id":"7","ssid":"HomeNet","region":"keys"}"#)
        let answers = "okaeri/home/node/hall/prompt/answer"
        for answer in [#"{"id":6,"answer":"join"}"#, #"{"id":"8","answer":"join"}"#, #"{"answer":7}"#, "join", ""] {
            house.publish(answers, Array(answer.utf8), isRetained: false)
        }
        house.publish("okaeri/home/node/attic/prompt/answer", Array(#"{"answer":"join"}"#.utf8), isRetained: false)
        house.settle()
        #expect(house.nodes["hall"]?.answers == [])
        for answer in [#"{"answer":"join"}"#, #"{"id":7,"answer":"never"}"#, #"{"id":"7","answer":"later"}"#] {
            house.publish(answers, Array(answer.utf8), isRetained: false)
        }
        house.settle()
        #expect(house.nodes["hall"]?.answers == ["7 join", "7 never", "7 later"])
        house.perform("hall") { core, _ in
            core.ended(.init(id: "7", ssid: "HomeNet", region: nil), wasAnswered: true)
        }
        house.publish(answers, Array(#"{"answer":"join"}"#.utf8), isRetained: false)
        house.settle()
        #expect(house.nodes["hall"]?.answers.count == 3)
        #expect(house.value("okaeri/home/node/hall/prompt") == #"{"id":null,"ssid":null,"region":null}"#)
        let reported = house.events.filter { $0.topic == "okaeri/home/node/hall/prompt/event" }.map {
            String(decoding: $0.payload, as: UTF8.self)
        }
        #expect(
            reported == [
                #"{"event_type":"asked","id":"7","ssid":"HomeNet"}"#,
                #"{"event_type":"answered","id":"7","ssid":"HomeNet"}"#,
            ])
    }

    @Test mutating func `a prompt that is withdrawn is cleared`() {
        house.start("hall")
        house.perform("hall") { core, _ in core.asked(.init(id: "7", ssid: "HomeNet", region: "keys")) }
        house.perform("hall") { core, _ in core.withdrawn("6") }
        #expect(house.value("okaeri/home/node/hall/prompt")?.contains("HomeNet") == true)
        house.perform("hall") { core, _ in core.withdrawn("7") }
        #expect(house.value("okaeri/home/node/hall/prompt") == #"{"id":null,"ssid":null,"region":null}"#)
    }

    @Test mutating func `a retained answer has no effect`() {
        house.start("hall")
        house.perform("hall") { core, _ in core.asked(.init(id: "7", ssid: "HomeNet", region: "keys")) }
        house.perform("hall") { core, now in
            core.received(
                MQTTMessage(
                    topic: "okaeri/home/node/hall/prompt/answer", payload: Array(#"{"answer":"join"}"#.utf8),
                    isRetained: true), at: now)
        }
        #expect(house.nodes["hall"]?.answers == [])
    }

    @Test mutating func `the distance is published every five seconds while a region is inside`() {
        let ranging = RegionMonitor.BeaconSnapshot(
            identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 1), major: 1, minor: 1), rssi: -61, accuracy: 1.84,
            regions: ["keys"])
        let topic = "okaeri/home/node/hall/region/keys/ranging"
        house.start("hall")
        house.perform("hall") { $0.measured([ranging], at: $1.instant) }
        #expect(!house.events.contains { $0.topic == topic }, "no beacon is inside")
        house.see("hall", .inside, rssi: -61)
        #expect(house.nodes["hall"]?.core.rangingAt == house.now + 5 * HouseBench.second)
        house.perform("hall") { $0.measured([ranging], at: $1.instant) }
        house.see("hall", .outside)
        #expect(house.nodes["hall"]?.core.rangingAt == nil)
        #expect(
            house.events.filter { $0.topic == topic }.map { String(decoding: $0.payload, as: UTF8.self) } == [
                #"{"rssi":-61,"accuracy":1.84,"proximity":"near"}"#,
                #"{"rssi":null,"accuracy":null,"proximity":null}"#,
            ])
    }

    /// The thread that measures would otherwise be due at once, again and again.
    @Test mutating func `the distance is not measured after the region with a beacon inside is removed`() {
        house.start("hall", regions: ["keys", "car"])
        house.see("hall", .inside, rssi: -61)
        house.perform("hall") { $0.configured([BrokerRegion("car")], at: $1) }
        house.pass(10)
        house.perform("hall") { $0.measured([], at: $1.instant) }
        #expect(house.nodes["hall"]?.core.rangingAt == nil)
        house.see("hall", .inside, rssi: -61, region: "car")
        #expect(house.nodes["hall"]?.core.rangingAt == house.now + 5 * HouseBench.second)
    }
}
