import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriRooms
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriHouse

/// The messages of a hub about its regions and its radios.
@Suite struct HubTests {
    private var house = HouseBench()

    private let keys = "okaeri/home/region/keys"
    private let devices = "homeassistant/device/okaeri_home"

    private func region(_ identifier: String = "keys") -> RegionValue? {
        house.retained["okaeri/home/region/\(identifier)"].flatMap(Wire.region)
    }

    private func occupancy() -> String? {
        house.value("okaeri/home/house")?.split(separator: ",", maxSplits: 2).last.map(String.init)
    }

    private static func heard(_ number: UInt64, receptions: Int = 1) -> String {
        let samples = (0..<receptions).map { "[-61,0.\($0)]" }.joined(separator: ",")
        return "{\"n\":\(number),\"d\":1,\"o\":3,\"r\":[[\"\(HouseBench.uuid):1:1\",[\(samples)]]]}"
    }

    // MARK: Regions

    @Test mutating func `One hub is a house: states, room, events and occupancy`() throws {
        house.startHub("hall", regions: ["keys", "car"])
        house.pass(5)
        #expect(region()?.state == .unknown && occupancy()?.hasPrefix(#""presence":"unknown""#) == true)
        house.see("hall", .outside)
        house.see("hall", .outside, region: "car")
        #expect(occupancy() == #""presence":"outside","inside":0,"rooms":{}}"#)
        house.hear("hall")
        house.see("hall", .inside)
        for _ in 0..<10 {
            house.hear("hall")
            house.pass(0.5)
        }
        #expect(region()?.state == .inside && region()?.room == "hall" && region()?.lastKnown == .inside)
        #expect(occupancy() == #""presence":"inside","inside":1,"rooms":{"hall":1}}"#)
        #expect(house.news("hall").suffix(3) == ["enter hall", "inside", "room hall"])
        house.see("hall", .unknown)
        #expect(region()?.state == .unknown && region()?.lastKnown == .inside && region()?.room == nil)
        house.see("hall", .outside)
        #expect(region()?.state == .outside && region()?.room == nil)
        #expect(house.events == ["exit", "exit", "enter", "exit"])
    }

    @Test mutating func `A state precedes its event, and the event has the room of the nearest radio`() throws {
        house.startHub("hall")
        house.startReceiver("attic")
        house.see("hall", .outside)
        house.send("okaeri/home/node/attic/heard", Self.heard(1))
        house.hear("hall", rssi: -70)
        house.see("hall", .inside)
        #expect(region()?.state == .inside && house.events == ["exit"])
        house.pass(0.1)
        house.hear("hall", rssi: -60, by: "attic")
        house.pass(0.3)
        #expect(house.events == ["exit", "enter"])
        let event = try #require(
            house.published("hall", "\(keys)/event").last.flatMap { Wire.event($0.bytes) })
        #expect(event.room == "attic" && event.time != nil)
    }

    @Test mutating func `An event that the hub of events had no room for is not published for the next one`() {
        house.startHub("hall")
        house.change("hall") { node in
            _ = node.core.happened(.didExitRegion(region: "keys"), at: Moment(instant: 0, wall: 0))
            node.core.dropped(.happened(.house(region: "keys", .didExitRegion(isOwner: true)), at: 0))
        }
        house.see("hall", .inside)
        #expect(house.events == ["enter"])
    }

    @Test mutating func `A region that is configured later is published, and one that is not any more is deleted`() {
        house.startHub("hall", regions: ["keys", "car"])
        house.change("hall") { $0.batteries["car"] = .init(percent: 30, time: "", source: "x", major: 1, minor: 1) }
        house.see("hall", .inside, region: "car")
        house.see("hall", .outside)
        house.pass(70)
        #expect(house.value("okaeri/home/region/car/battery") != nil)
        house.perform("hall") { $0.configured(["keys", "bike"].map(HouseBench.region), at: $1) }
        #expect(region("bike")?.state == .unknown && house.value("\(devices)/region_bike/config") != nil)
        #expect(
            house.value("okaeri/home/wanted")
                == String(
                    decoding: house.nodes["hall"]?.core.wantedValue.payload ?? [], as: UTF8.self))
        house.pass(15)
        for topic in ["okaeri/home/region/car", "okaeri/home/region/car/battery", "\(devices)/region_car/config"] {
            #expect(house.value(topic) == nil, "\(topic)")
        }
        #expect(region()?.state == .outside && house.value("\(devices)/region_keys/config") != nil)
    }

    @Test mutating func `Remains of the time before the start are deleted, and topics of others are left`() {
        let remains = [
            "okaeri/home/region/car", "okaeri/home/region/car/battery", "\(devices)/region_car/config",
            "\(devices)/region_keys_gone/config", "okaeri/home/node/hall/region/keys",
            "okaeri/home/node/hall/region/car",
        ]
        let others = [
            "okaeri/home/node/attic/region/keys", "okaeri/office/region/car", "\(devices)/region_keys_attic/config",
            "homeassistant/device/okaeri_office/region_car/config", "homeassistant/device/lamp/config",
        ]
        for topic in remains + others { house.overwrite(topic, #"{"state":"inside","name":"car"}"#) }
        house.startReceiver("attic")
        // A receiver deletes what an earlier version of itself retained.
        #expect(house.value("okaeri/home/node/attic/region/keys") == nil)
        house.startHub("hall")
        house.pass(20)
        for topic in remains { #expect(house.value(topic) == nil, "\(topic)") }
        for topic in others.dropFirst() { #expect(house.value(topic) != nil, "\(topic)") }
        #expect(region()?.state == .unknown)
    }

    // MARK: Radios

    @Test(arguments: [(6.0, Int8(-54)), (-6.4, -66), (100, 20)])
    mutating func `The offset of a receiver is added to its signals`(_ offset: Double, _ expected: Int8) throws {
        house.startHub("hall")
        house.startReceiver("attic", offset: offset)
        house.pass(1)
        house.receive("attic", rssi: offset == 100 ? -1 : -60)
        house.pass(2)
        let receptions = try #require(house.nodes["hall"]).reports.flatMap(\.report.receptions)
        #expect(receptions.map(\.rssi) == [offset == 100 ? 20 : expected])
    }

    @Test mutating func `What a receiver received is reported to the engine, with the receiver's name`() throws {
        house.startHub("hall")
        house.startReceiver("attic")
        house.pass(10)
        house.receive("attic", rssi: -72)
        house.pass(0.5)
        house.receive("attic", rssi: -70)
        house.pass(1)
        let reports = try #require(house.nodes["hall"]).reports
        #expect(Set(reports.map(\.radio)) == ["attic"])
        let receptions = reports.flatMap(\.report.receptions)
        try #require(receptions.map(\.rssi) == [-72, -70])
        #expect(receptions.first?.time.duration(to: receptions[1].time) == .seconds(0.5))
    }

    @Test
    mutating func `Reports of a node that is unknown or offline, retained ones, and the hub's own name have no effect`()
    {
        house.startHub("hall")
        house.send("okaeri/home/node/ghost/heard", Self.heard(1))
        house.send("okaeri/home/node/hall/heard", Self.heard(1))
        house.startReceiver("attic")
        house.kill("attic")
        house.send("okaeri/home/node/attic/heard", Self.heard(1))
        #expect(house.nodes["hall"]?.reports.isEmpty == true)
        // A retained message is delivered to a new subscription.
        house.startReceiver("loft")
        house.overwrite("okaeri/home/node/loft/heard", Self.heard(7))
        let receptions = house.nodes["hall"]?.reports.flatMap(\.report.receptions).count
        house.cut("hall")
        house.connect("hall")
        #expect(house.nodes["hall"]?.reports.flatMap(\.report.receptions).count == receptions)
        #expect(
            house.nodes["hall"]?.core.nodeReports(at: house.now, ownShare: 1).first { $0.name == "attic" }?.radio == nil
        )
    }

    @Test mutating func `A client that sends messages of its radio without a pause does not fill the hub's time`() {
        house.startHub("hall")
        house.startReceiver("attic")
        let before = house.nodes["hall"]?.reports.count ?? 0
        for number in 0..<1000 { house.send("okaeri/home/node/attic/heard", Self.heard(UInt64(number) + 100)) }
        // Messages that cannot be read count as well.
        house.startReceiver("loft")
        for _ in 0..<1000 { house.send("okaeri/home/node/loft/heard", "[") }
        house.send("okaeri/home/node/loft/heard", Self.heard(1))
        #expect(
            house.nodes["hall"]?.reports.contains { $0.radio == "loft" && $0.report.receptions.isEmpty == false }
                == false)
        #expect((house.nodes["hall"]?.reports.count ?? 0) - before <= 52)
        // It is a radio as before when it sends less.
        house.pass(10)
        house.send("okaeri/home/node/attic/heard", Self.heard(2000))
        #expect(house.nodes["hall"]?.reports.last?.report.receptions.isEmpty == false)
        let radio = house.nodes["hall"]?.core.nodeReports(at: house.now, ownShare: 1).first { $0.name == "attic" }?
            .radio
        #expect(radio?.lost ?? 0 > 900)
    }

    @Test mutating func `The hub's own radio is one of the radios, with what it receives`() {
        house.startHub("hall")
        for _ in 0..<60 {
            house.hear("hall")
            house.pass(0.5)
        }
        let own = house.nodes["hall"]?.core.nodeReports(at: house.now, ownShare: 0.5).first?.radio
        #expect(own?.away == false && own?.share == 0.5)
        #expect(own.map { abs($0.rate - 2) < 0.2 } == true)
        house.pass(300)
        #expect(house.nodes["hall"]?.core.nodeReports(at: house.now, ownShare: 0.5).first?.radio?.rate ?? 1 < 0.01)
    }

    @Test mutating func `A radio is lost once when its node goes offline, and 15 seconds after its last message`() {
        house.startHub("hall")
        for name in ["attic", "loft"] { house.startReceiver(name) }
        house.pass(20)
        #expect(house.nodes["hall"]?.lost == [])
        house.kill("attic")
        #expect(house.nodes["hall"]?.lost == ["attic"])
        // Its status is online, and its messages are missing.
        house.withheld = ["okaeri/home/node/loft/heard"]
        house.pass(9)
        #expect(house.nodes["hall"]?.lost == ["attic"])
        house.pass(10)
        #expect(house.nodes["hall"]?.lost == ["attic", "loft"])
        house.pass(60)
        #expect(house.nodes["hall"]?.lost == ["attic", "loft"])
        house.withheld = []
        house.pass(6)
        house.withheld = ["okaeri/home/node/loft/heard"]
        house.pass(20)
        #expect(house.nodes["hall"]?.lost == ["attic", "loft", "loft"])
    }

    @Test mutating func `While the hub has no connection, its radios are lost, and come back behind it`() {
        house.startHub("hall")
        house.startReceiver("attic")
        house.pass(10)
        house.cut("hall")
        house.pass(20)
        #expect(house.nodes["hall"]?.lost == ["attic"])
        let count = house.nodes["hall"]?.reports.count ?? 0
        house.connect("hall")
        house.pass(6)
        #expect(house.nodes["hall"]?.reports.count ?? 0 > count)
        #expect(house.nodes["hall"]?.core.hasOtherRadios == true)
    }

    @Test mutating func `A hub that yields loses its radios`() {
        house.startHub("hall", incarnation: "b")
        house.startReceiver("attic")
        house.pass(10)
        house.startHub("loft", incarnation: "a", connects: false)
        house.restartBroker(with: [:], connecting: "loft", "hall", "attic")
        house.pass(10)
        #expect(house.nodes["loft"]?.core.isHolding == true && house.nodes["hall"]?.lost == ["attic"])
        let count = house.nodes["hall"]?.reports.count
        house.pass(10)
        #expect(house.nodes["hall"]?.reports.count == count)
    }

    @Test mutating func `A radio that has been away for longest makes room for a further one`() {
        house.startHub("hall")
        for number in 0..<HouseNodes.limit {
            house.perform("hall") { core, _ in
                guard let heard = HeardMessage(Array(Self.heard(1).utf8)) else { return [] }
                _ = core.radios.received(heard, from: "old-\(number)", at: Int64(number))
                _ = core.radios.left("old-\(number)")
                return []
            }
        }
        house.startReceiver("attic")
        house.send("okaeri/home/node/attic/heard", Self.heard(1))
        let names = house.nodes["hall"]?.core.radios.names ?? []
        #expect(names.count == HouseNodes.limit && names.contains("attic") && !names.contains("old-0"))
    }

    /// A queue of reports that nothing empties.
    @Test func `Reports that wait are bounded, and do not displace the events of the house`() throws {
        let broker = try Broker(
            .init(node: "hall", room: nil, site: "home", discovery: nil, version: "1"),
            broker: .init(host: "127.0.0.1", port: 1), regions: [], events: AsyncStream { $0.finish() },
            outputs: .init(happened: { _, _ in }, answered: { _, _ in }, noted: { _ in }))
        let reception = Reception(
            .beacon(BeaconIdentity(uuid: BeaconUUID(high: 1, low: 1), major: 1, minor: 1), measuredPower: -59),
            rssi: -60, at: Instant(nanoseconds: 1))
        let report = RadioReport(
            from: Instant(nanoseconds: 0), until: Instant(nanoseconds: 1), share: 1, others: 0,
            receptions: Array(repeating: reception, count: 256))
        let effects = broker.guarded.withLock { guarded in
            _ = HeardMessage(Array(Self.heard(1).utf8)).map {
                guarded.core.radios.received($0, from: "attic", at: 0)
            }
            for _ in 0..<10_000 { guarded.carryOut(.reported(radio: "attic", report), broker.client) }
            guarded.carryOut(.happened(.house(region: "keys", .didDetermineState(.inside)), at: 0), broker.client)
            return guarded.effects
        }
        let reports = effects.count - 1
        #expect(reports * 256 <= 16_384)
        if case .happened = effects.last {} else { Issue.record("the event of the house is dropped") }
        #expect(broker.guarded.withLock { $0.core.radios["attic"]?.lost } == UInt64(10_000 - reports))
    }

    @Test mutating func `Only a node that is offline can be deleted, and then leaves no topic`() {
        house.startHub("hall")
        house.startReceiver("attic")
        house.pass(10)
        house.perform("hall") { core, now in
            #expect(core.forget("attic", at: now) == .failure(.online("attic")))
            #expect(core.forget("hall", at: now) == .failure(.online("hall")))
            #expect(core.forget("loft", at: now) == .failure(.unknown("loft")))
            #expect(core.forget("a/b", at: now) == .failure(.unknown("a/b")))
            return []
        }
        house.kill("attic")
        #expect(house.topics.contains { $0.contains("attic") })
        house.perform("hall") { core, now in
            guard case .success(let outputs) = core.forget("attic", at: now) else { return [] }
            return outputs
        }
        #expect(house.topics.filter { $0.contains("attic") } == [])
        #expect(house.nodes["hall"]?.removed.contains("attic") == true)
        #expect(house.nodes["hall"]?.core.radios.names == [])
        #expect(house.value("\(devices)/hub/config")?.contains("node/attic/status") == false)
    }

    @Test mutating func `Nodes that a client invents are bounded, and a silent one is set offline`() {
        house.startHub("hall", discovery: nil)
        house.overwrite("okaeri/home/node/ghost/status", "online")
        house.pass(800)
        #expect(house.value("okaeri/home/node/ghost/status") == "online")
        house.pass(200)
        #expect(house.value("okaeri/home/node/ghost/status") == "offline")
        house.change("hall") { node in
            for number in 0..<1200 {
                let message = MQTTMessage(
                    topic: "okaeri/home/node/n\(number)/status", payload: Array("online".utf8), isRetained: false)
                _ = node.core.received(message, at: Moment(instant: 0, wall: 0))
            }
        }
        #expect(house.nodes["hall"]?.core.nodes.all.count == HouseNodes.limit)
    }

    // MARK: Distances and batteries

    private func snapshot(_ radios: [String: (rssi: Double, accuracy: Double)]) throws -> RegionMonitor.BeaconSnapshot {
        let identity = BeaconIdentity(uuid: try #require(BeaconUUID(HouseBench.uuid)), major: 1, minor: 1)
        return .init(
            identity: identity, rssi: -60, accuracy: 2, regions: ["keys"],
            receptions: radios.map { .init(radio: $0.key, rssi: $0.value.rssi, accuracy: $0.value.accuracy) })
    }

    @Test mutating func `The distance from each radio is published while the region is inside, and its part announced`()
        throws
    {
        house.startHub("hall")
        house.startReceiver("attic")
        house.pass(10)
        house.see("hall", .inside)
        let both = try snapshot(["": (-60.4, 1.234), "attic": (-71, -1)])
        house.change("hall") { $0.beacons = [both] }
        house.pass(6)
        let own = house.published("hall", "node/hall/region/keys/ranging")
        #expect(own.map(\.payload) == [#"{"rssi":-60,"accuracy":1.23,"proximity":"near"}"#])
        #expect(own.allSatisfy { !$0.isRetained })
        let other = house.published("hall", "node/attic/region/keys/ranging")
        #expect(other.map(\.payload) == [#"{"rssi":-71,"accuracy":null,"proximity":"unknown"}"#])
        for name in ["hall", "attic"] { #expect(house.value("\(devices)/region_keys_\(name)/config") != nil) }
        let announced = house.published("hall", "region_keys_hall").count
        // One radio receives it no more; that is published once.
        let one = try snapshot(["": (-60, 1)])
        house.change("hall") { $0.beacons = [one] }
        house.pass(20)
        let last = house.published("hall", "node/attic/region/keys/ranging")
        #expect(last.count == 2 && last.last?.payload == #"{"rssi":null,"accuracy":null,"proximity":null}"#)
        #expect(house.published("hall", "region_keys_hall").count == announced)
        house.see("hall", .outside)
        let start = house.now
        house.pass(60)
        #expect(house.published("hall", "/ranging", since: start).count == 1)
    }

    @Test mutating func `The level of a battery is published when it changes, and deleted when it is too old`() {
        let topic = "\(keys)/battery"
        house.startHub("hall")
        house.pass(15)
        #expect(house.value(topic) == nil && house.value("\(devices)/region_keys/config")?.contains("battery") == false)
        house.change("hall") {
            $0.batteries["keys"] = .init(percent: 14, time: "t", source: "gatt", major: 1, minor: 2)
        }
        house.pass(180)
        #expect(house.value(topic) == #"{"percent":14,"low":true,"time":"t","source":"gatt","major":1,"minor":2}"#)
        #expect(house.published("hall", topic).count == 1)
        #expect(house.value("\(devices)/region_keys/config")?.contains("battery") == true)
        house.overwrite(topic, #"{"percent":99}"#)
        house.pass(2)
        #expect(house.value(topic)?.contains("14") == true, "another client does not change it")
        house.change("hall") { $0.batteries = [:] }
        house.pass(60)
        #expect(house.value(topic) == nil && house.value("\(devices)/region_keys/config")?.contains("battery") == false)
    }

    @Test mutating func `A level of an earlier run that is no longer measured is deleted, after a restart too`() {
        house.overwrite("\(keys)/battery", #"{"percent":14}"#)
        house.startHub("hall")
        house.pass(10)
        #expect(house.value("\(keys)/battery") == nil)
    }

    // MARK: Leaving

    @Test mutating func `A hub that leaves the house empties all but its status, and the receivers stop`() throws {
        house.startHub("hall")
        house.startReceiver("attic")
        house.change("hall") {
            $0.batteries["keys"] = .init(percent: 14, time: "t", source: "gatt", major: 1, minor: 2)
        }
        house.see("hall", .inside)
        house.pass(70)
        #expect(house.nodes["attic"]?.wanted != nil)
        house.perform("hall") { core, _ in core.left(.house) }
        let rest = house.topics.filter { !$0.contains("attic") }
        #expect(rest == ["okaeri/home/node/hall/status"])
        #expect(house.nodes["attic"]?.wanted == nil)
    }

    @Test mutating func `A receiver that leaves empties its own topics alone`() {
        house.startHub("hall")
        house.startReceiver("attic")
        house.pass(20)
        let others = house.topics.filter { !$0.contains("attic") }
        house.perform("attic") { core, _ in core.left(.house) }
        #expect(house.topics.filter { $0.contains("attic") } == ["okaeri/home/node/attic/status"])
        #expect(house.topics.filter { !$0.contains("attic") } == others)
    }

    @Test mutating func `Another prefix of the discovery empties the topics of the former one alone`() {
        house.startHub("hall")
        house.see("hall", .inside)
        house.pass(20)
        let others = house.topics.filter { !$0.hasPrefix("homeassistant/") }
        #expect(house.topics.count > others.count)
        house.perform("hall") { core, _ in core.left(.discovery) }
        #expect(house.topics == others)
    }

    // MARK: Other clients

    @Test mutating func `A restart is done once a minute at most, and not for a retained request`() {
        house.startHub("hall")
        house.overwrite("okaeri/home/node/hall/restart", "restart")
        house.cut("hall")
        house.connect("hall")
        let count = house.nodes["hall"]?.restarts ?? 0
        house.pass(61)
        for payload in ["restart", "restart", "x", ""] { house.send("okaeri/home/node/hall/restart", payload) }
        #expect(house.nodes["hall"]?.restarts == count + 1)
        house.pass(61)
        house.send("okaeri/home/node/hall/restart", "restart")
        #expect(house.nodes["hall"]?.restarts == count + 2)
    }

    @Test(arguments: 0..<6) mutating func `No message of another client traps, and the house is right behind it`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        house.startHub("hall", regions: ["keys", "お帰り"])
        house.startReceiver("attic")
        house.pass(20)
        let topics =
            house.topics + [
                "okaeri/home/node/x/status", "okaeri/home/node/x/about", "okaeri/home/node/attic/heard",
                "okaeri/home/node/x/heard", "okaeri/home/node/x/region/keys", "okaeri/home/region/x",
                "okaeri/home/region/keys/event", "okaeri/home/region/keys/battery", "homeassistant/status",
                "\(devices)/region_x/config", "okaeri/home/node/hall/prompt/answer",
            ]
        let words = [
            "", "online", "offline", "{}", "[]", "null", Self.heard(.max), Self.heard(0),
            #"{"n":5,"t":[0,3.1e9],"d":1e308,"o":-9,"r":[]}"#, #"{"name":"x","incarnation":"0","since":""}"#,
            #"{"state":"inside","name":"keys","room":"x"}"#, #"{"kind":"hub","room":"x","offset":1e308}"#,
            #"{"event_type":"enter","time":"1970-01-01T00:00:00Z","id":"ffffffffffffffff"}"#,
            #"{"beacons":[],"phones":false}"#, String(repeating: "[", count: 60_000),
        ]
        for _ in 0..<150 {
            let topic = topics.randomElement(using: &generator) ?? ""
            let payload = words.randomElement(using: &generator) ?? ""
            if Bool.random(using: &generator) { house.overwrite(topic, payload) } else { house.send(topic, payload) }
            house.pass(.random(in: 0...2, using: &generator))
        }
        house.overwrite("okaeri/home/node/x/status", "")
        house.see("hall", .inside)
        house.pass(400)
        #expect(region()?.state == .inside)
        #expect(house.retained["okaeri/home/hub"].flatMap(HubClaim.init)?.name == "hall")
        #expect(house.nodes["attic"]?.core.publishedRegions["keys"]?.state == .inside)
        #expect(house.events.filter { $0 == "exit" } == [])
    }
}
