import Events
import IBeacon
import MQTT
import Plumbing
import RegionMonitoring
import Testing

@testable import House

/// The battery levels at the broker.
@Suite struct BatteryTests {
    private var house = HouseBench()

    private let topic = "okaeri/home/region/keys/battery"
    private let device = "homeassistant/device/okaeri_home/region_keys/config"

    private func percent() throws -> Int? {
        try house.retained[topic].map { try #require(Wire.battery($0)).percent }
    }

    @Test mutating func `A level is published with its warning, and its sensor is announced`() throws {
        house.start("hall")
        house.pass(15)
        #expect(house.value(topic) == nil && house.value(device)?.contains("battery") == false)
        house.battery("hall", 14)
        let time = Timestamp.text(house.now)
        house.pass(60)
        #expect(
            house.value(topic)
                == #"{"percent":14,"low":true,"time":"\#(time)","source":"advertised","major":1,"minor":1}"#)
        #expect(house.value(device)?.contains(#""battery_low""#) == true)
        house.battery("hall", 80)
        house.pass(60)
        #expect(house.value(topic)?.hasPrefix(#"{"percent":80,"low":false"#) == true)
    }

    @Test mutating func `Two nodes that receive different beacons agree on the lower level`() throws {
        house.start("attic")
        house.start("hall")
        house.pass(15)
        for _ in 0..<3 {
            house.battery("attic", 60)
            house.pass(1)
            house.battery("hall", 9, minor: 2)
            house.pass(61)
            #expect(try percent() == 9)
        }
        house.battery("hall", 90, minor: 2)
        house.pass(61)
        #expect(try percent() == 90, "the beacon has a new battery")
        house.battery("attic", 60)
        house.pass(61)
        #expect(try percent() == 60)
    }

    @Test mutating func `A node that returns with an old level does not replace a later one`() throws {
        house.start("attic")
        house.start("hall")
        house.battery("attic", 30)
        house.pass(70)
        #expect(try percent() == 30)
        house.cut("attic")
        house.battery("hall", 29)
        house.pass(70)
        house.connect("attic")
        house.pass(70)
        #expect(try percent() == 29)
    }

    @Test mutating func `A broker that has lost its data receives the level again`() throws {
        house.start("hall")
        house.battery("hall", 30)
        house.pass(70)
        house.cut("hall")
        house.lose(topic)
        house.connect("hall")
        house.pass(70)
        #expect(try percent() == 30)
    }

    @Test mutating func `The level of a region that no node watches any more is deleted`() {
        house.start("hall", regions: ["keys", "car"])
        house.battery("hall", 30)
        house.pass(70)
        #expect(house.value(topic) != nil)
        house.perform("hall") { $0.configured([BrokerRegion("car")], at: $1) }
        house.pass(15)
        #expect(house.value(topic) == nil)
    }

    @Test mutating func `Without its lowest beacon, a node publishes the level of its other beacon`() throws {
        house.start("hall")
        house.battery("hall", 9, minor: 2)
        house.pass(70)
        #expect(try percent() == 9)
        house.cut("hall")
        house.connect("hall")
        // The beacon has a new battery, and the other one was received a little earlier.
        house.battery("hall", 60)
        house.pass(70)
        #expect(try percent() == 60)
    }

    @Test mutating func `A node without a level deletes the one that it published`() throws {
        house.start("attic")
        house.start("hall")
        house.battery("hall", 30)
        house.pass(70)
        #expect(try percent() == 30)
        house.battery("hall", nil)
        house.pass(61)
        #expect(try percent() == nil && house.value(device)?.contains("battery") == false)
    }

    @Test mutating func `The announcer deletes a level after 30 days, however its node ended`() throws {
        house.start("attic")
        house.start("hall")
        house.battery("hall", 30)
        house.pass(70)
        house.kill("hall")
        house.now += 29 * 86_400 * HouseBench.second
        house.pass(70)
        #expect(try percent() == 30)
        house.now += 86_400 * HouseBench.second
        house.pass(70)
        #expect(try percent() == nil && house.value(device)?.contains("battery") == false)
        #expect(house.nodes["attic"]?.values[topic] == nil)
    }

    @Test mutating func `If a region uses no levels any more, the announcer deletes an earlier one, once`() throws {
        let keys = BrokerRegion(
            MonitoredRegion(
                BeaconRegion(
                    identifier: "keys",
                    constraint: try #require(BeaconConstraint("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1"))),
                battery: .off))
        house.start("hall")
        house.battery("hall", 30)
        house.pass(70)
        let time = Timestamp.text(house.now)
        house.kill("hall")
        house.start("hall")
        house.perform("hall") { $0.configured([keys], at: $1) }
        house.pass(70)
        #expect(try percent() == nil)
        // A node with another configuration.
        let other = BatteryReport(percent: 20, time: time, source: "advertised", major: 1, minor: 1)
        house.publish(topic, Array(Wire.battery(other).utf8), isRetained: true)
        house.pass(70)
        #expect(try percent() == 20)
    }

    @Test mutating func `A damaged level has no effect, and is replaced`() throws {
        house.start("hall")
        house.pass(15)
        house.publish(topic, Array(#"{"percent":101}"#.utf8), isRetained: true)
        house.settle()
        #expect(house.value(device)?.contains("battery") == false)
        house.battery("hall", 30)
        house.pass(60)
        #expect(try percent() == 30)
    }

    @Test(arguments: [
        "", "12", "{}", #"{"percent":-1,"low":true,"time":"2026-11-21T17:00:00Z","source":"x","major":1,"minor":1}"#,
        #"{"percent":1,"low":true,"time":"yesterday","source":"x","major":1,"minor":1}"#,
        #"{"percent":1,"low":true,"time":"2026-11-21T17:00:00Z","source":"\u001b[2J","major":1,"minor":1}"#,
        #"{"percent":1,"low":true,"time":"2026-11-21T17:00:00Z","source":"x","major":65536,"minor":1}"#,
    ])
    func `A payload that no node publishes is no level`(payload: String) {
        #expect(Wire.battery(Array(payload.utf8)) == nil)
    }

    @Test func `The warning of a payload is computed from its level`() throws {
        let payload =
            #"{"percent":80,"low":true,"time":"2026-11-21T17:00:00.000Z","source":"advertised","major":1,"minor":1}"#
        let battery = try #require(Wire.battery(Array(payload.utf8)))
        #expect(!battery.low && battery.percent == 80)
    }

    @Test func `Invented levels take a bounded amount of memory`() throws {
        var house = house
        house.start("hall")
        var core = try #require(house.nodes["hall"]).core
        let payload = Array(
            #"{"percent":1,"low":true,"time":"2026-11-21T17:00:00Z","source":"x","major":1,"minor":1}"#.utf8)
        for number in 0...BrokerCore.topicLimit {
            let message = MQTTMessage(
                topic: "okaeri/home/region/r\(number)/battery", payload: payload, isRetained: true)
            _ = core.received(message, at: Moment(instant: house.now, wall: house.now))
        }
        #expect(core.batteries.count == BrokerCore.topicLimit)
    }
}
