import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriReceivers
import OkaeriRooms
import Testing

@testable import OkaeriHouse
import RegionMonitoring

/// Receivers of other makes at a hub.
@Suite struct ForeignReceiverTests {
    private var house = HouseBench()

    private static let kitchen = "espresense-kitchen"

    private mutating func start(
        _ makes: ReceiverMake..., rooms: [String: ReceiverSettings.Place]? = nil, isLive: Bool = false,
        exitAfter: Duration? = nil
    ) throws {
        let receivers = try makes.map { ReceiverSettings(try #require(ReceiverTopics($0)), rooms: rooms) }
        let settings = BrokerSettings(
            node: "hall", room: "hall", site: "home", discovery: "homeassistant", version: "1.0.0", receivers: receivers
        )
        var monitored = MonitoredRegion(HouseBench.beacons("keys"))
        monitored.exitAfter = exitAfter
        let region = BrokerRegion(monitored)
        let engine = isLive ? LiveEngine(region.region, knowing: .init(), at: house.now) : nil
        house.start(settings, [region], incarnation: "a", engine: engine, connects: true)
        house.pass(1)
    }

    private static func device(_ region: String = "keys", minor: UInt16 = 1) -> String {
        let beacon = HouseBench.beacon(region, minor: minor)
        return "iBeacon:\("\(beacon.uuid)".lowercased())-\(beacon.major)-\(beacon.minor)"
    }

    /// A node of ESPresense reports a device.
    private mutating func report(
        _ room: String = "kitchen", device: String = device(), rssi: Double = -60, isRetained: Bool = false
    ) {
        let topic = "espresense/devices/\(device)/\(room)"
        let payload = #"{"mac":"5a0102030405","id":"x","rssi":\#(rssi),"rssi@1m":-59,"int":200}"#
        if isRetained { house.overwrite(topic, payload) } else { house.send(topic, payload) }
    }

    private mutating func telemetry(_ room: String = "kitchen", adverts: Int = 900) {
        house.send("espresense/rooms/\(room)/telemetry", #"{"ip":"10.0.0.9","uptime":100,"adverts":\#(adverts)}"#)
    }

    private var reports: [RadioReport] { house.nodes["hall"]?.reports.map(\.report) ?? [] }
    private var receptions: [Reception] { reports.flatMap(\.receptions) }
    private func receiver(_ name: String = kitchen) -> ForeignReceiver? { house.nodes["hall"]?.core.receivers[name] }
    private func node(_ name: String = kitchen) -> NodeReport? {
        house.nodes["hall"]?.core.nodeReports(at: house.now, ownShare: 1).first { $0.name == name }
    }

    // MARK: Receptions

    @Test mutating func `A reception by ESPresense reaches the engine within 50 ms, under the receiver's name`() throws
    {
        try start(.espresense)
        let time = house.now
        report()
        house.pass(0.06)
        #expect(house.nodes["hall"]?.reports.map(\.radio) == [Self.kitchen])
        let reception = try #require(receptions.first)
        #expect(
            reception
                == Reception(
                    .beacon(HouseBench.beacon("keys"), measuredPower: -59), rssi: -60, at: Instant(nanoseconds: time)))
        #expect(node()?.room == "kitchen" && node()?.receiver?.make == "ESPresense" && node()?.online == true)
    }

    @Test mutating func `A retained report is neither a reception nor a sign of life`() throws {
        house.overwrite("espresense/devices/\(Self.device())/kitchen", #"{"mac":"aabbccddeeff","rssi":-60}"#)
        house.overwrite("espresense/rooms/kitchen/status", "online")
        try start(.espresense)
        house.pass(60)
        #expect(reports.isEmpty)
        #expect(node()?.online == false, "it is found, and not present")
    }

    @Test mutating func `Other devices prove that a receiver listens`() throws {
        try start(.espresense)
        report()
        for _ in 0..<10 {
            house.pass(1)
            report(device: "sonos:aabbccddeeff")
        }
        house.pass(1)
        let until = try #require(reports.last?.until)
        #expect(Nanoseconds.seconds(house.now - until.nanoseconds) < 1.1)
        #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.until == $1.from })
        #expect(reports.last?.others == 1 && reports.last?.share == 1)
    }

    @Test mutating func `An alias by retained settings stands for its beacons, and a change of it counts`() throws {
        house.overwrite("espresense/settings/\(Self.device("car"))/config", #"{"id":"tag","name":"Car"}"#)
        house.overwrite("espresense/settings/\(Self.device())/config", #"{"id":"tag","name":"Keys"}"#)
        try start(.espresense)
        report(device: "tag")
        house.pass(2)
        #expect(receptions.map(\.sender) == [.beacon(HouseBench.beacon("keys"), measuredPower: -59)])
        house.overwrite("espresense/settings/\(Self.device())/config", "")
        report(device: "tag")
        house.pass(2)
        #expect(receptions.count == 1)
    }

    @Test mutating func `An alias of beacons of two regions is not used`() throws {
        let regions = [HouseBench.region("keys"), HouseBench.region("car")]
        let settings = BrokerSettings(
            node: "hall", room: "hall", site: "home", discovery: nil, version: "1.0.0",
            receivers: [ReceiverSettings(try #require(ReceiverTopics(.espresense)))])
        for region in ["car", "keys"] {
            house.overwrite("espresense/settings/\(Self.device(region))/config", #"{"id":"tag","name":"Tag"}"#)
        }
        house.start(settings, regions, incarnation: "a", engine: nil, connects: true)
        house.pass(1)
        report(device: "tag")
        house.pass(2)
        #expect(receptions.isEmpty && receiver()?.rejected == [.ambiguous: 1])
        house.overwrite("espresense/settings/\(Self.device("car"))/config", "")
        report(device: "tag")
        house.pass(2)
        #expect(receptions.map(\.sender) == [.beacon(HouseBench.beacon("keys"), measuredPower: -59)])
    }

    @Test mutating func `Forged aliases displace no region's beacon, cost little, and take no beacon's own identifier`()
        throws
    {
        for number in 0..<2 * BeaconAliases.limit {
            house.overwrite(
                "espresense/settings/\(Self.device("car", minor: UInt16(number)))/config", "{\"id\":\"x\(number)\"}")
        }
        for number in 0..<100 {
            house.overwrite(
                "espresense/settings/\(Self.device("bike", minor: UInt16(number)))/config", #"{"id":"tag"}"#)
        }
        house.overwrite(
            "espresense/settings/\(Self.device("bike", minor: 200))/config", "{\"id\":\"\(Self.device())\"}")
        try start(.espresense)
        house.overwrite("espresense/settings/\(Self.device())/config", #"{"id":"tag"}"#)
        report(device: "tag")
        house.pass(2)
        report()
        house.pass(2)
        let keys = Reception.Sender.beacon(HouseBench.beacon("keys"), measuredPower: -59)
        #expect(receptions.map(\.sender) == [keys, keys])
        #expect((house.nodes["hall"]?.core.receivers.rejected[.aliasNotAccepted] ?? 0) > 1000)
    }

    @Test mutating func `Long names are different receivers, and a node that comes takes its name`() throws {
        try start(.espresense)
        let long = String(repeating: "a", count: 63)
        report(long + "1")
        report(long + "2")
        report()
        house.pass(1)
        #expect(house.nodes["hall"]?.core.receivers.all.count == 3)
        house.startReceiver(Self.kitchen)
        house.pass(1)
        report()
        #expect(receiver() == nil && house.nodes["hall"]?.core.receivers.rejected[.nameTaken] == 1)
        #expect(node()?.receiver == nil)
    }

    @Test mutating func `Two receivers of one name are noticed, and one with another address is not`() throws {
        try start(.espresense)
        func telemetry(_ address: String) {
            house.send("espresense/rooms/kitchen/telemetry", #"{"ip":"\#(address)","uptime":100,"adverts":900}"#)
            house.pass(15)
        }
        for address in ["10.0.0.7", "10.0.0.7", "10.0.0.8", "10.0.0.8"] { telemetry(address) }
        #expect(receiver()?.rejected == [:], "its address may change")
        house.pass(400)
        telemetry("10.0.0.7")
        #expect(receiver()?.rejected == [:], "and change back later")
        telemetry("10.0.0.8")
        telemetry("10.0.0.7")
        #expect(receiver()?.rejected == [.duplicate: 2])
        #expect(node()?.receiver?.rejected == ["name of two receivers": 2])
    }

    @Test mutating func `The offset of a receiver is added, and its room is the region's`() throws {
        try start(.espresense, rooms: ["kitchen": .init(room: "Küche", offset: -3)])
        for _ in 0..<5 {
            report(rssi: -60.4)
            house.pass(1)
        }
        #expect(receptions.allSatisfy { $0.rssi == -63 } && receptions.count == 5)
        house.hear("hall", rssi: -70)
        house.see("hall", .inside)
        for _ in 0..<5 {
            house.hear("hall", rssi: -62, by: Self.kitchen)
            house.pass(1)
        }
        #expect(house.retained["okaeri/home/region/keys"].flatMap(Wire.region)?.room == "Küche")
    }

    @Test mutating func `With rooms, a receiver that is not among them is rejected`() throws {
        try start(.espresense, rooms: ["kitchen": .init(room: "kitchen")])
        report("intruder")
        house.pass(1)
        #expect(reports.isEmpty && receiver("espresense-intruder") == nil)
        #expect(house.nodes["hall"]?.core.receivers.rejected == [.notNamed: 1])
        #expect(house.nodes["hall"]?.core.receivers.all.isEmpty == true)
    }

    @Test mutating func `A gateway and a Shelly are radios, too`() throws {
        try start(.openmqttgateway, .shelly)
        let beacon = HouseBench.beacon("keys")
        house.send(
            "home/OMG_1/BTtoMQTT/AABBCCDDEEFF",
            #"{"id":"AA:BB:CC:DD:EE:FF","rssi":-77,"uuid":"\#(beacon.uuid)","major":\#(beacon.major),"minor":1}"#)
        house.send("shelly-ble/plug", #"{"v":1,"n":1,"adverts":[]}"#)
        house.pass(1)
        #expect(receptions.map(\.rssi) == [-77])
        #expect(node("openmqttgateway-OMG_1")?.online == true && node("shelly-plug")?.online == true)
        house.send("home/OMG_1/LWT", "offline")
        house.send("plug/online", "false")
        #expect(house.nodes["hall"]?.lost == ["openmqttgateway-OMG_1", "shelly-plug"])
        // Other devices have these topics, too: they are receivers only after a report.
        for status in ["online", "offline"] {
            house.send("lamp/online", status)
            house.send("home/lamp/LWT", status)
        }
        #expect(node("shelly-lamp") == nil && node("openmqttgateway-lamp") == nil)
        house.send("home/lamp/LWT", "online")
        #expect(receiver("openmqttgateway-OMG_1") != nil)
        #expect(house.nodes["hall"]?.core.receivers.rejected.isEmpty == true)
    }

    /// The script of docs/receivers.md and that of Home Assistant have different topics, and the same status.
    @Test mutating func `The last will of a Shelly counts with each entry of the configuration`() throws {
        let receivers = try [nil, "+/events/rpc"].map { topic in
            ReceiverSettings(try #require(ReceiverTopics(.shelly, topic: topic)))
        }
        let settings = BrokerSettings(
            node: "hall", room: "hall", site: "home", discovery: nil, version: "1.0.0", receivers: receivers)
        house.start(settings, [HouseBench.region("keys")], incarnation: "a", engine: nil, connects: true)
        house.pass(1)
        house.send("shelly-ble/one", #"{"v":1,"n":1,"adverts":[]}"#)
        house.send("two/events/rpc", #"{"src":"two","method":"NotifyStatus","params":{"ts":null}}"#)
        house.pass(1)
        #expect(node("shelly-one")?.online == true && node("shelly2-two")?.online == true)
        house.send("two/online", "false")
        #expect(house.nodes["hall"]?.lost == ["shelly2-two"] && node("shelly2-two")?.online == false)
        house.send("one/online", "false")
        #expect(node("shelly-one")?.online == false && node("shelly-two") == nil && node("shelly2-one") == nil)
        // One with both scripts is two radios.
        house.send("shelly-ble/two", #"{"v":1,"n":1,"adverts":[]}"#)
        house.send("two/events/rpc", #"{"src":"two","method":"NotifyStatus","params":{"ts":null}}"#)
        house.pass(1)
        #expect(node("shelly-two")?.online == true && node("shelly2-two")?.online == true)
        house.send("two/online", "false")
        #expect(node("shelly-two")?.online == false && node("shelly2-two")?.online == false)
    }

    @Test mutating func `A gateway that the configuration names is listed while it is away`() throws {
        house.overwrite("home/OMG_1/LWT", "offline")
        house.overwrite("home/lamp/LWT", "online")
        try start(.openmqttgateway, rooms: ["OMG_1": .init(room: "attic")])
        #expect(node("openmqttgateway-OMG_1")?.online == false && node("openmqttgateway-OMG_1")?.room == "attic")
        #expect(node("openmqttgateway-lamp") == nil)
        #expect(house.nodes["hall"]?.core.receivers.rejected.isEmpty == true, "a lamp is not rejected either")
    }

    // MARK: Liveness

    @Test mutating func `The last will ends the radio, and the next message begins it anew`() throws {
        try start(.espresense)
        report()
        house.pass(3)
        house.overwrite("espresense/rooms/kitchen/status", "offline")
        #expect(house.nodes["hall"]?.lost == [Self.kitchen] && node()?.online == false)
        house.pass(20)
        let count = reports.count
        house.overwrite("espresense/rooms/kitchen/status", "online")
        report()
        house.pass(1)
        let report = try #require(reports.dropFirst(count).first)
        #expect(house.now - report.from.nanoseconds < 2 * Nanoseconds.second, "the time in between was not listened to")
        #expect(node()?.online == true)
    }

    @Test mutating func `A receiver that is quiet without a last will lengthens no silence, and is away in the end`()
        throws
    {
        try start(.espresense)
        report()
        house.pass(1)
        let last = house.now
        house.pass(40)
        #expect(reports.allSatisfy { $0.until.nanoseconds <= last } && house.nodes["hall"]?.lost == [])
        house.pass(10)
        #expect(house.nodes["hall"]?.lost == [Self.kitchen])
    }

    @Test mutating func `A receiver whose scan stands still listens to nothing`() throws {
        try start(.espresense)
        telemetry()
        house.pass(6)
        #expect(reports.last?.share == 1)
        telemetry(adverts: 0)
        house.pass(6)
        #expect(reports.last?.share == 0 && node()?.receiver?.deaf == true && node()?.online == true)
        report()
        house.pass(1)
        #expect(reports.last?.share == 1 && node()?.receiver?.deaf == false)
    }

    @Test mutating func `A restart of a receiver is a gap of its listening`() throws {
        try start(.espresense)
        report()
        house.pass(2)
        house.send("espresense/rooms/kitchen/status", "online")
        let restart = house.now
        report()
        house.pass(1)
        #expect(reports.last?.from.nanoseconds == restart)
    }

    @Test mutating func `Receivers report in common turns, each reception within a second`() throws {
        try start(.espresense)
        var (sent, turns, count) = ([Int64](), 0, 0)
        for step in 0..<240 {
            report("room\(step % 5)")
            sent.append(house.now)
            house.pass(0.05)
            if step >= 40, reports.count > count { turns += 1 }
            count = reports.count
            #expect(receptions.count >= sent.count { house.now - $0 > 1_050_000_000 })
        }
        #expect((9...11).contains(turns), "\(turns) turns in ten seconds")
    }

    @Test mutating func `A sender that was not there is reported at once, and the other receivers wait for their turn`()
        throws
    {
        try start(.espresense)
        for step in 0..<60 {
            let count = reports.count
            for room in ["kitchen", "attic"] { report(room) }
            house.pass(0.1)
            if step > 40, reports.count > count { break }
        }
        let count = reports.count
        report("attic")
        report("bath")
        house.pass(0.06)
        #expect(house.nodes["hall"]?.reports.dropFirst(count).map(\.radio) == ["espresense-bath"])
        house.pass(1)
        #expect(house.nodes["hall"]?.reports.dropFirst(count + 1).map(\.radio) == ["espresense-attic"])
    }

    // MARK: Hostile clients

    @Test mutating func `The number of receivers is limited, and a present one is not displaced`() throws {
        try start(.espresense)
        report("kitchen")
        for number in 0..<400 { house.send("espresense/rooms/r\(number)/status", "offline") }
        #expect(house.nodes["hall"]?.core.receivers.all.count == 1, "a last will of an unknown receiver leaves nothing")
        for number in 0..<400 { house.send("espresense/rooms/r\(number)/status", "online") }
        #expect(house.nodes["hall"]?.core.receivers.all.count == ForeignReceivers.limit)
        #expect(receiver() != nil)
        for number in 0..<400 { telemetry("s\(number)") }
        #expect(house.nodes["hall"]?.core.receivers.all.count == ForeignReceivers.limit)
        #expect(receiver() != nil)
        #expect((house.nodes["hall"]?.core.receivers.rejected[.tooManyReceivers] ?? 0) > 90)
    }

    @Test mutating func `A receiver with too many messages loses the rest, and its wrong ones are counted`() throws {
        try start(.espresense)
        for _ in 0..<1000 { report() }
        #expect((receiver()?.rejected[.tooMany] ?? 0) >= 700)
        house.pass(30)
        house.send("espresense/devices/\(Self.device())/kitchen", "{")
        house.send("espresense/devices/\(Self.device())/kitchen", "{}")
        #expect(node()?.receiver?.rejected["malformed"] == 1 && node()?.receiver?.rejected["incomplete"] == 1)
        #expect(receptions.count <= 256)
    }

    @Test mutating func `A receiver cannot take the name of a node`() throws {
        try start(.espresense)
        house.overwrite("okaeri/home/node/\(Self.kitchen)/status", "online")
        report()
        house.pass(1)
        #expect(reports.isEmpty && receiver() == nil)
    }

    // MARK: Home Assistant

    @Test mutating func `Home Assistant sees a receiver, its death and its return`() throws {
        try start(.espresense)
        report()
        let topic = "okaeri/home/receiver/\(Self.kitchen)"
        #expect(
            try #require(house.value(topic)).hasPrefix(
                #"{"online":true,"make":"ESPresense","name":"kitchen","room":"kitchen""#))
        #expect(
            house.value("homeassistant/device/okaeri_home/receiver_\(Self.kitchen)/config")?.contains("connectivity")
                == true)
        house.overwrite("espresense/rooms/kitchen/status", "offline")
        #expect(house.value(topic)?.contains(#""online":false"#) == true)
        house.pass(1)
        report()
        #expect(house.value(topic)?.contains(#""online":true"#) == true)
        house.overwrite("espresense/rooms/kitchen/status", "offline")
        house.perform("hall") { core, now in
            guard case .success(let outputs) = core.forget(Self.kitchen, at: now) else { return [] }
            return outputs
        }
        #expect(
            house.value(topic) == nil
                && house.value("homeassistant/device/okaeri_home/receiver_\(Self.kitchen)/config") == nil)
        #expect(house.nodes["hall"]?.removed == [Self.kitchen])
    }

    // MARK: The engine

    /// The receiver reports the beacon every five seconds, and another device each second.
    private mutating func stay(seconds: Int, reports: Bool = true) {
        for second in 0..<seconds {
            if reports, second.isMultiple(of: 5) { report() }
            report(device: "sonos:\(second % 5)")
            house.pass(1)
        }
    }

    @Test mutating func `A region that one receiver keeps inside is left after its silence, and not by its death`()
        throws
    {
        try start(.espresense, isLive: true)
        stay(seconds: 300)
        #expect(house.news("hall").contains { $0.hasPrefix("enter") })
        let before = house.events.count
        house.overwrite("espresense/rooms/kitchen/status", "offline")
        house.pass(600)
        #expect(house.events.count == before, "the loss of a receiver causes no exit")
        house.overwrite("espresense/rooms/kitchen/status", "online")
        stay(seconds: 60)
        #expect(house.events.count == before, "nor does its return")
        stay(seconds: 120, reports: false)
        #expect(house.events.last == "exit" && house.events.count == before + 1)
    }

    @Test mutating func `A configured exit time shorter than a receiver's interval does not end between its reports`()
        throws
    {
        try start(.espresense, isLive: true, exitAfter: .seconds(2))
        // The interval is not known before the second report.
        stay(seconds: 20)
        let before = house.events.count
        stay(seconds: 300)
        #expect(house.events.count == before, "\(house.events)")
        stay(seconds: 12, reports: false)
        #expect(house.events.last == "exit" && house.events.count == before + 1)
    }

    @Test
    mutating func
        `The reports of a receiver every five seconds do not lengthen what the hub has learned of its own radio`()
        throws
    {
        try start(.espresense, isLive: true)
        let beacon = Reception.Sender.beacon(HouseBench.beacon("keys"), measuredPower: -59)
        for step in 0..<3000 {
            house.listen("hall", Reception(beacon, rssi: -60, at: Instant(nanoseconds: house.now)))
            if step.isMultiple(of: 25) { report() }
            house.pass(0.2)
        }
        // Only the receiver is left, in another room.
        for _ in 0..<120 {
            report()
            for _ in 0..<5 {
                house.listen("hall", nil)
                house.pass(1)
            }
        }
        #expect(!house.events.contains("exit"), "five seconds between two reports are not an absence")
        for step in 0..<600 {
            house.listen("hall", Reception(beacon, rssi: -60, at: Instant(nanoseconds: house.now)))
            if step.isMultiple(of: 25) { report() }
            house.pass(0.2)
        }
        let left = house.now
        while !house.events.contains("exit"), house.now < left + 120 * Nanoseconds.second {
            house.listen("hall", nil)
            report(device: "sonos:\(house.now / Nanoseconds.second % 5)")
            house.pass(1)
        }
        let delay = Nanoseconds.seconds(house.now - left)
        #expect(delay < 14 + 12, "\(delay)")
    }
}
