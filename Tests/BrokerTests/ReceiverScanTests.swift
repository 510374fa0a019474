import HCI
import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriReceivers
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// Receivers of other makes whose scan, configuration or reports end, at a hub with the engine of the daemon.
@Suite struct ReceiverScanTests {
    private var house = HouseBench()

    private static let beacon = HouseBench.beacon("keys")
    private static let device = "iBeacon:\("\(beacon.uuid)".lowercased())-\(beacon.major)-\(beacon.minor)"

    private mutating func start(_ receivers: [ReceiverSettings], knowing memory: RegionMonitor.Memory = .init()) {
        let settings = BrokerSettings(
            node: "hall", room: "hall", site: "home", discovery: "homeassistant", version: "1", receivers: receivers)
        let region = HouseBench.region("keys")
        let engine = LiveEngine(region.region, knowing: memory, at: house.now)
        house.start(settings, [region], incarnation: "a", engine: engine, connects: true)
        house.pass(1)
    }

    private mutating func start(_ make: ReceiverMake) throws {
        start([ReceiverSettings(try #require(ReceiverTopics(make)))])
    }

    private func node(_ name: String) -> NodeReport? {
        house.nodes["hall"]?.core.nodeReports(at: house.now, ownShare: 1).first { $0.name == name }
    }

    private var state: RegionState? { house.nodes["hall"]?.core.states["keys"]?.state }

    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        // Zeros behind an advertisement are padding.
        let padded = bytes + Array(repeating: 0, count: (3 - bytes.count % 3) % 3)
        let groups = stride(from: 0, to: padded.count, by: 3).map { start in
            padded[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
        }
        return String(groups.flatMap { group in (0..<4).map { letters[group >> (18 - 6 * $0) & 63] } })
    }

    private static let advertisement = base64(IBeaconFrame(identity: beacon, measuredPower: -59).advertisingData)
    private static let decoded =
        #"{"id":"AA:BB:CC:DD:EE:FF","rssi":-60,"uuid":"\#(beacon.uuid)","major":\#(beacon.major),"minor":1}"#

    /// The script's batch with the beacon, or with another device alone.
    private static func batch(_ number: Int, isThere: Bool = true) -> String {
        let other = #"["00:bb:cc:dd:ee:ff",-80,"AgEG",""]"#
        let all = isThere ? #"["c6:11:22:33:44:55",-60,"\#(advertisement)",""],\#(other)"# : other
        return #"{"v":1,"n":\#(number),"adverts":[\#(all)]}"#
    }

    private static func notification(_ entry: String) -> String {
        #"{"src":"plug","method":"NotifyEvent","params":{"ts":1,"events":[{"event":"ble.scan_result","data":[2,[\#(entry)]]}]}}"#
    }

    // MARK: The scan

    @Test mutating func `The reports of a receiver without receptions are not taken for missing`() throws {
        try start(.espresense)
        for step in 0..<3000 {
            if step % 49 == 0 {
                house.send("espresense/rooms/kitchen/telemetry", #"{"ip":"10.0.0.9","uptime":100,"adverts":900}"#)
            }
            house.pass(0.1)
            guard step > 100 else { continue }
            let until = try #require(house.nodes["hall"]?.reports.map(\.report.until.nanoseconds).max())
            #expect(house.now - until < 6 * Nanoseconds.second, "after ten seconds they are")
        }
    }

    @Test mutating func `A Shelly whose scan stands still and that sends heartbeats causes no exit`() throws {
        try start(.shelly)
        for second in 0..<150 {
            house.send("shelly-ble/plug", Self.batch(second))
            house.pass(1)
        }
        #expect(state == .inside)
        for number in 0..<120 {
            house.send("shelly-ble/plug", #"{"v":1,"n":\#(150 + number),"adverts":[]}"#)
            house.pass(5)
        }
        #expect(house.events == ["enter"] && state == .inside)
        #expect(node("shelly-plug")?.online == true && node("shelly-plug")?.receiver?.deaf == true)
        // The scan begins again: its first message has another device alone.
        house.send("shelly-ble/plug", Self.batch(300, isThere: false))
        house.pass(2)
        for second in 0..<30 {
            house.send("shelly-ble/plug", Self.batch(301 + second))
            house.pass(1)
        }
        #expect(house.events == ["enter"] && node("shelly-plug")?.receiver?.deaf == false)
        for number in 0..<60 {
            house.send("shelly-ble/plug", #"{"v":1,"n":\#(400 + number),"scan":false,"adverts":[]}"#)
            house.pass(5)
        }
        #expect(house.events == ["enter"] && node("shelly-plug")?.receiver?.deaf == true)
        for number in 0..<60 {
            house.send("shelly-ble/plug", #"{"v":1,"n":\#(500 + number),"scan":true,"adverts":[]}"#)
            house.pass(5)
        }
        #expect(house.events == ["enter", "exit"], "its scan runs, and receives nothing")
    }

    @Test mutating func `Other notifications of a Shelly cause no exit`() throws {
        start([ReceiverSettings(try #require(ReceiverTopics(.shelly, topic: "+/events/rpc")))])
        let beacon = #"["c6:11:22:33:44:55",-60,"\#(Self.advertisement)",""]"#
        for _ in 0..<50 {
            house.send("plug/events/rpc", Self.notification(beacon))
            house.pass(3)
        }
        #expect(state == .inside)
        for _ in 0..<60 {
            house.send("plug/events/rpc", #"{"method":"NotifyStatus","params":{"ts":1,"switch:0":{"apower":12.3}}}"#)
            house.pass(10)
        }
        #expect(house.events == ["enter"] && state == .inside && node("shelly-plug")?.online == true)
    }

    @Test mutating func `The telemetry of a gateway proves its scan only by what it has processed`() throws {
        try start(.openmqttgateway)
        for _ in 0..<120 {
            house.send("home/omg/BTtoMQTT/AABBCCDDEEFF", Self.decoded)
            house.pass(1)
        }
        #expect(state == .inside)
        for turn in 0..<8 {
            house.send("home/omg/SYStoMQTT", #"{"uptime":\#(120 * turn),"ip":"10.0.0.3","rssi":-60}"#)
            house.send("home/omg/BTtoMQTT", #"{"interval":100,"scanduration":1000,"btqsnd":500}"#)
            house.pass(120)
        }
        #expect(house.events == ["enter"] && state == .inside)
        #expect(node("openmqttgateway-omg")?.online == true)
    }

    /// The documented set-up of a make sends this while nothing is there that it publishes. With Theengs a device stays that it publishes.
    private mutating func sendNothing(_ make: ReceiverMake, second: Int) {
        switch make {
        case .espresense where second % 15 == 0:
            house.send("espresense/rooms/kitchen/telemetry", #"{"ip":"10.0.0.9","uptime":100,"adverts":90}"#)
        case .shelly where second % 5 == 0:
            house.send("shelly-ble/kitchen", #"{"v":1,"n":\#(second),"scan":true,"adverts":[]}"#)
        case .openmqttgateway where second % 120 == 0:
            house.send("home/kitchen/BTtoMQTT", #"{"interval":100,"scanduration":1000,"btqsnd":\#(500 + second)}"#)
        case .theengs where second % 10 == 0:
            house.send("home/TheengsGateway/BTtoMQTT/001122334455", #"{"id":"00:11:22:33:44:55","rssi":-70}"#)
        case .esphome where second % 5 == 0: house.send("esphome-ble/kitchen/telemetry", #"{"adverts":40}"#)
        default: break
        }
    }

    @Test(arguments: ReceiverMake.allCases)
    mutating func `A region that one receiver keeps inside is left when nothing else is there`(make: ReceiverMake)
        throws
    {
        try start(make)
        for second in 0..<240 {
            sendNothing(make, second: second)
            switch make {
            case .espresense where second % 5 == 0:
                house.send(
                    "espresense/devices/\(Self.device)/kitchen", #"{"mac":"c61122334455","rssi":-60,"rssi@1m":-59}"#)
            case .shelly: house.send("shelly-ble/kitchen", Self.batch(second))
            case .openmqttgateway: house.send("home/kitchen/BTtoMQTT/C61122334455", Self.decoded)
            case .theengs: house.send("home/TheengsGateway/BTtoMQTT/C61122334455", Self.decoded)
            case .esphome where second % 2 == 0: house.send("esphome-ble/kitchen", Self.decoded)
            default: break
            }
            house.pass(1)
        }
        #expect(state == .inside && house.events == ["enter"])
        for second in 240..<720 {
            sendNothing(make, second: second)
            house.pass(1)
        }
        #expect(house.events == ["enter", "exit"])
    }

    // MARK: Beside the own radio

    /// The hub's own radio receives the beacon twice a second, and other devices. Returns the time from the end to the exit, in seconds.
    private mutating func exitDelay(
        seconds: Int, _ makes: [ReceiverMake], _ report: (inout HouseBench, _ second: Int, _ isThere: Bool) -> Void
    ) throws -> Double {
        start(try makes.map { ReceiverSettings(try #require(ReceiverTopics($0))) })
        let sender = Reception.Sender.beacon(Self.beacon, measuredPower: -59)
        for step in 0..<2 * seconds {
            house.listen("hall", Reception(sender, rssi: -60, at: Instant(nanoseconds: house.now)))
            if step.isMultiple(of: 2) { report(&house, step / 2, true) }
            house.pass(0.5)
        }
        let left = house.now
        for step in 0..<600 where !house.events.contains("exit") {
            house.listen("hall", nil)
            if step.isMultiple(of: 2) { report(&house, seconds + step / 2, false) }
            house.pass(0.5)
        }
        #expect(house.events == ["enter", "exit"])
        return Nanoseconds.seconds(house.now - left)
    }

    @Test mutating func `A receiver that is quiet delays the exit by the own radio by ten seconds at most`() throws {
        let alone = try exitDelay(seconds: 70, []) { _, _, _ in }
        #expect(alone < 16)
        // Theengs has nothing else to report, and OpenMQTTGateway scans 10 s of 65 and sends its telemetry every 120 s.
        var theengs = ReceiverScanTests()
        let first = try theengs.exitDelay(seconds: 70, [.theengs]) { house, _, isThere in
            if isThere { house.send("home/TheengsGateway/BTtoMQTT/C61122334455", Self.decoded) }
        }
        #expect(first < alone + 11, "\(first) s with Theengs, \(alone) s without")
        var gateway = ReceiverScanTests()
        let second = try gateway.exitDelay(seconds: 70, [.openmqttgateway]) { house, second, isThere in
            if isThere, second % 65 < 10 { house.send("home/omg/BTtoMQTT/C61122334455", Self.decoded) }
            if second % 120 == 0 { house.send("home/omg/SYStoMQTT", #"{"uptime":\#(second)}"#) }
        }
        #expect(second < alone + 11, "\(second) s with OpenMQTTGateway, \(alone) s without")
    }

    @Test mutating func `The interval of a receiver is known in a crowd, and its lost reports cause no exit`() throws {
        try start(.espresense)
        let sender = Reception.Sender.beacon(Self.beacon, measuredPower: -59)
        func report(_ house: inout HouseBench, _ device: String) {
            house.send("espresense/devices/\(device)/kitchen", #"{"mac":"c61122334455","rssi":-60,"rssi@1m":-59}"#)
        }
        for second in 0..<80 {
            house.listen("hall", Reception(sender, rssi: -60, at: Instant(nanoseconds: house.now)))
            if second % 5 == 0 { report(&house, Self.device) }
            for number in 0..<100 where number % 5 == second % 5 { report(&house, "apple:1005:9-\(number)") }
            house.pass(1)
        }
        #expect(node("espresense-kitchen")?.receiver?.interval == 5)
        // The own radio loses the beacon, and three of four reports are lost.
        for second in 0..<180 {
            house.listen("hall", nil)
            if second % 20 == 15 { report(&house, Self.device) }
            for number in 0..<100 where number % 5 == second % 5 { report(&house, "apple:1005:9-\(number)") }
            house.pass(1)
        }
        #expect(house.events == ["enter"])
    }

    // MARK: Another configuration

    /// A node of ESPresense alone keeps the region inside.
    private mutating func stay() {
        for second in 0..<60 {
            if second % 5 == 0 {
                house.send(
                    "espresense/devices/\(Self.device)/kitchen", #"{"mac":"c61122334455","rssi":-60,"rssi@1m":-59}"#)
            }
            house.send("espresense/devices/sonos:1/bath", #"{"mac":"aabbccddeeff","rssi":-60}"#)
            house.pass(1)
        }
    }

    /// The hub listens by its own radio, and the bath reports another device.
    private mutating func wait(seconds: Int) {
        for _ in 0..<seconds {
            house.listen("hall", nil)
            house.send("espresense/devices/sonos:1/bath", #"{"mac":"aabbccddeeff","rssi":-60}"#)
            house.pass(1)
        }
    }

    private static func settings(_ rooms: [String: ReceiverSettings.Place]? = nil) throws -> ReceiverSettings {
        ReceiverSettings(try #require(ReceiverTopics(.espresense)), rooms: rooms)
    }

    @Test(arguments: [true, false])
    mutating func `A hub does not wait for a receiver that its configuration does not use any more`(hasOther: Bool)
        throws
    {
        start([try Self.settings()])
        stay()
        #expect(state == .inside)
        let engine = try #require(house.nodes["hall"]?.engine as? LiveEngine)
        let memory = engine.memory(at: house.now)
        #expect(memory.regions.flatMap(\.signs).map(\.radios) == [["espresense-kitchen"]])
        house.kill("hall")
        start(hasOther ? [try Self.settings(["bath": .init(room: "bath")])] : [], knowing: memory)
        wait(seconds: 60)
        #expect(house.events.last == "exit" && state == .outside)
    }

    @Test mutating func `A hub still waits for a receiver that its configuration uses, and for a node of such a name`()
        throws
    {
        start([try Self.settings()])
        stay()
        let engine = try #require(house.nodes["hall"]?.engine as? LiveEngine)
        let memory = engine.memory(at: house.now)
        house.kill("hall")
        start([try Self.settings(["kitchen": .init(room: "Küche")])], knowing: memory)
        wait(seconds: 60)
        #expect(house.events.last == "enter" && state == .unknown)
        house.kill("hall")
        house.overwrite("okaeri/home/node/espresense-kitchen/status", "offline")
        start([], knowing: memory)
        wait(seconds: 60)
        #expect(house.events.last == "enter" && state == .unknown)
    }

    @Test mutating func `The topics of receivers that the next configuration does not use are emptied`() throws {
        start([try Self.settings()])
        stay()
        let topics = ["kitchen", "bath"].map { "okaeri/home/receiver/espresense-\($0)" }
        #expect(topics.allSatisfy { house.value($0) != nil })
        let next = try Self.settings(["bath": .init(room: "bath")])
        house.perform("hall") { core, _ in core.receiversForgotten(unusedBy: [next]) }
        #expect(topics.map { house.value($0) != nil } == [false, true])
        #expect(house.nodes["hall"]?.removed == ["espresense-kitchen"])
        wait(seconds: 60)
        #expect(house.events.last == "exit")
    }

    // MARK: The last will

    @Test mutating func `The last will of a Shelly ends each receiver on it, also with slashes in its name`() throws {
        start([
            ReceiverSettings(try #require(ReceiverTopics(.shelly))),
            ReceiverSettings(try #require(ReceiverTopics(.shelly, topic: "+/events/rpc"))),
            ReceiverSettings(try #require(ReceiverTopics(.shelly, topic: "garden/+/events/rpc"))),
        ])
        let entry = #"["c6:11:22:33:44:55",-60,"\#(Self.advertisement)",""]"#
        house.send("shelly-ble/plug", Self.batch(1))
        house.send("shelly-ble/house-plug", Self.batch(1))
        house.send("plug/events/rpc", Self.notification(entry))
        house.send("garden/lamp/events/rpc", Self.notification(entry))
        house.send("other/events/rpc", Self.notification(entry))
        let names = ["shelly-plug", "shelly2-plug", "shelly-house-plug", "shelly2-other", "shelly3-lamp"]
        #expect(names.allSatisfy { node($0)?.online == true })
        house.overwrite("plug/online", "false")
        #expect(house.nodes["hall"]?.lost == ["shelly-plug", "shelly2-plug"])
        house.overwrite("house/plug/online", "false")
        house.overwrite("garden/lamp/online", "false")
        house.overwrite("other/online", "false")
        #expect(names.allSatisfy { node($0)?.online == false })
    }
}

struct ReportIntervalTests {
    private static let second = Nanoseconds.second

    @Test(arguments: [10, 40, 100, 1000])
    func `The interval is measured with any number of devices`(count: Int) {
        var interval = ReportInterval(usual: 1)
        for report in 0..<20 * count {
            let time = Int64(report) * 5 * Self.second / Int64(count)
            interval.received(UInt64(report % count), isWanted: false, at: time)
        }
        #expect(interval.median.map { abs($0 - 5 * Self.second) < Self.second / 100 } == true)
        #expect(interval.ofSparse == .seconds(5))
    }

    @Test func `A wanted sender is followed in a crowd`() {
        var interval = ReportInterval(usual: 1)
        for number in 0..<64 { interval.received(UInt64(number), isWanted: false, at: 0) }
        // The others are not reported again.
        for report in 0..<20 { interval.received(999, isWanted: true, at: Int64(report) * 7 * Self.second) }
        #expect(interval.ofSparse == .seconds(7))
    }

    @Test func `Devices with a new address take the places of those that are gone`() {
        var interval = ReportInterval(usual: 1)
        for number in 0..<64 { interval.received(UInt64(number), isWanted: true, at: 0) }
        interval.received(100, isWanted: false, at: 200 * Self.second)
        interval.received(100, isWanted: false, at: 206 * Self.second)
        #expect(interval.median == nil, "there is a place for each after some minutes")
        interval.received(101, isWanted: false, at: 400 * Self.second)
        interval.received(101, isWanted: false, at: 406 * Self.second)
        #expect(interval.median == 6 * Self.second)
    }

    @Test func `Before an interval is measured that of the make counts`() {
        #expect(ReceiverMake.allCases.map { ReportInterval(usual: $0.usualInterval).ofSparse }.max() == .seconds(5))
        #expect(ReportInterval(usual: ReceiverMake.espresense.usualInterval).ofSparse == .seconds(5))
        #expect(ReportInterval(usual: ReceiverMake.espresense.usualInterval).median == nil)
    }
}
