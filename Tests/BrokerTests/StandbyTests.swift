import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Testing

@testable import OkaeriHouse

struct StandbyTests {
    var bench = HouseBench()

    /// The events at the broker: the node, the kind, and the number.
    var announced: [String] {
        bench.log.filter { $0.topic == "okaeri/home/region/keys/event" }
            .compactMap { entry in Wire.event(entry.bytes).map { "\(entry.node) \($0.kind) \($0.number)" }
            }
    }

    /// The enter and exit events that run the hooks of a node.
    func hooks(_ name: String) -> [String] {
        bench.engineEvents.filter { $0.node == name }.compactMap { entry in
            switch entry.kind {
            case .didEnterRegion(let region, _): "enter \(region)"
            case .didExitRegion(let region): "exit \(region)"
            default: nil
            }
        }
    }

    var word: RegionValue? { bench.retained["okaeri/home/region/keys"].flatMap { Wire.region($0) } }

    /// The engine of a node determines a state.
    mutating func see(_ state: RegionState, at names: String...) {
        for name in names {
            guard var engine = bench.nodes[name]?.engine as? ScriptedEngine else { continue }
            let kinds = engine.became(state)
            bench.change(name) { $0.engine = engine }
            bench.determined(name, kinds)
        }
        bench.pass(1)
    }

    func engine(knowing state: RegionState = .unknown) -> ScriptedEngine {
        .init(lastKnown: state)
    }

    /// A hub and a standby that have determined the same state.
    mutating func start(_ state: RegionState) {
        bench.startHub("hub", engine: engine())
        bench.startStandby("attic", engine: engine())
        see(state, at: "hub", "attic")
    }

    @Test mutating func `A standby is silent while the hub decides, and while it is away for less than 30 seconds`() {
        start(.inside)
        see(.outside, at: "attic")
        bench.kill("hub")
        see(.inside, at: "attic")
        bench.pass(27)
        #expect(announced == ["hub enter 1"] && hooks("attic").isEmpty)
        #expect(bench.published("attic", "okaeri/home/region").isEmpty && bench.published("attic", "/hub").isEmpty)
        #expect(bench.nodes["attic"]?.core.hubName == nil)
    }

    @Test mutating func `A takeover announces the regions whose state differs from the published one, and no others`()
        throws
    {
        start(.inside)
        bench.kill("hub")
        bench.pass(35)
        #expect(bench.nodes["attic"]?.core.hubName == "attic")
        #expect(announced == ["hub enter 1"] && hooks("attic").isEmpty, "the state is the same")
        #expect(word?.author == "attic" && word?.state == .inside && word?.number == 1)
        see(.outside, at: "attic")
        #expect(announced == ["hub enter 1", "attic exit 2"] && hooks("attic") == ["exit keys"])
    }

    @Test mutating func `A change while nothing decides is announced with the takeover`() {
        start(.inside)
        bench.kill("hub")
        see(.outside, at: "attic")
        #expect(announced == ["hub enter 1"])
        bench.pass(36)
        #expect(announced == ["hub enter 1", "attic exit 2"] && hooks("attic") == ["exit keys"])
        #expect(word?.state == .outside && word?.number == 2)
        #expect(bench.news("attic").suffix(3) == ["inside", "exit", "outside"], "first what the hub had announced")
    }

    @Test mutating func `Of two standbys that claim at once behind a slow link one alone announces and runs hooks`() {
        bench.delays = ["attic": 900_000_000, "cellar": 900_000_000]
        bench.startHub("hub", engine: engine())
        bench.startStandby("attic", incarnation: "a", engine: engine())
        bench.startStandby("cellar", incarnation: "b", engine: engine())
        bench.pass(5)
        see(.inside, at: "hub", "attic", "cellar")
        bench.kill("hub")
        see(.outside, at: "attic", "cellar")
        bench.pass(60)
        #expect(announced == ["hub enter 1", "attic exit 2"])
        #expect(hooks("attic") + hooks("cellar") == ["exit keys"])
    }

    @Test mutating func `A region that is unknown at the takeover continues from the published state`() {
        start(.inside)
        see(.unknown, at: "attic")
        bench.kill("hub")
        bench.pass(35)
        #expect(word?.state == .unknown && word?.lastKnown == .inside && hooks("attic").isEmpty)
        see(.inside, at: "attic")
        #expect(announced == ["hub enter 1"], "it was inside before")
        see(.outside, at: "attic")
        #expect(announced == ["hub enter 1", "attic exit 2"])
    }

    @Test mutating func `The hub that is back continues from what the standby has announced`() throws {
        start(.inside)
        let disk = try #require(bench.nodes["hub"]?.core.memory)
        #expect(disk.standbys == ["attic"])
        bench.kill("hub")
        bench.pass(35)
        see(.outside, at: "attic")
        bench.startHub("hub", memory: disk, engine: engine(knowing: .inside))
        // The beacon is not there: without the word of the standby this would be an exit.
        see(.outside, at: "hub", "attic")
        bench.pass(5)
        #expect(announced == ["hub enter 1", "attic exit 2"])
        #expect(hooks("hub") == ["enter keys"] && hooks("attic") == ["exit keys"])
        #expect(word?.author == "hub" && word?.number == 2)
        see(.inside, at: "hub", "attic")
        #expect(announced.last == "hub enter 3" && hooks("attic") == ["exit keys"], "the standby is silent again")
    }

    @Test mutating func `A hub with a standby decides at its start after it has read what was announced`() throws {
        start(.outside)
        let disk = try #require(bench.nodes["hub"]?.core.memory)
        bench.kill("hub")
        see(.inside, at: "attic")
        bench.pass(35)
        // The beacon is received before the broker is connected.
        bench.startHub("hub", memory: disk, engine: engine(knowing: .outside), connects: false)
        see(.inside, at: "hub")
        #expect(hooks("hub").isEmpty)
        bench.connect("hub")
        bench.pass(6)
        #expect(hooks("hub").isEmpty && announced == ["attic enter 2"], "the standby has announced the arrival")
        see(.outside, at: "hub")
        #expect(hooks("hub") == ["exit keys"] && announced == ["attic enter 2", "hub exit 3"])
    }

    @Test mutating func `A hub that replaces a standby has the reports of all radios before it decides`() throws {
        start(.inside)
        let disk = try #require(bench.nodes["hub"]?.core.memory)
        bench.kill("hub")
        bench.pass(60)
        bench.startHub("hub", memory: disk, engine: engine(knowing: .inside))
        for _ in 0..<3 {
            bench.receive("attic")
            bench.pass(1)
        }
        #expect(bench.nodes["hub"]?.core.isHolding == false)
        #expect(bench.nodes["hub"]?.reports.contains { !$0.report.receptions.isEmpty } == true)
    }

    @Test mutating func `A hub whose broker is late is silent until it knows what the standby has announced`() throws {
        start(.outside)
        let disk = try #require(bench.nodes["hub"]?.core.memory)
        bench.kill("hub")
        bench.pass(40)
        see(.inside, at: "attic")
        bench.startHub("hub", memory: disk, engine: engine(knowing: .outside), connects: false)
        see(.inside, at: "hub")
        bench.pass(7)
        bench.connect("hub")
        bench.pass(10)
        #expect(hooks("hub").isEmpty && announced == ["attic enter 2"])
        #expect(bench.nodes["hub"]?.core.isHolding == true)
    }

    @Test mutating func `A standby has the reports of all radios before it decides, also with a broker without data`() {
        start(.inside)
        bench.startReceiver("loft")
        bench.restartBroker(with: [:])
        bench.kill("hub", will: false)
        for name in ["attic", "loft"] { bench.connect(name) }
        bench.pass(32)
        #expect(bench.nodes["attic"]?.core.isHolding == false)
        bench.receive("loft")
        bench.pass(1)
        #expect(bench.nodes["attic"]?.reports.contains { $0.radio == "loft" && !$0.report.receptions.isEmpty } == true)
    }

    @Test mutating func `Without a broker a hub with a standby decides ten seconds after its start`() throws {
        start(.outside)
        let disk = try #require(bench.nodes["hub"]?.core.memory)
        bench.kill("hub")
        bench.startHub("hub", memory: disk, engine: engine(knowing: .outside), connects: false)
        see(.inside, at: "hub")
        bench.pass(8)
        #expect(hooks("hub").isEmpty)
        bench.pass(2)
        #expect(hooks("hub") == ["enter keys"])
    }

    @Test mutating func `A hub knows what a standby has announced, though the broker ends within the proof`() throws {
        start(.outside)
        let disk = try #require(bench.nodes["hub"]?.core.memory)
        bench.kill("hub")
        bench.pass(35)
        see(.inside, at: "attic")
        bench.startHub("hub", memory: disk, engine: engine(knowing: .outside))
        see(.inside, at: "hub")
        bench.pass(3)
        bench.restartBroker(with: [:])
        bench.pass(15)
        #expect(hooks("hub").isEmpty && announced == ["attic enter 2"])
        bench.connect("hub")
        bench.connect("attic")
        bench.pass(10)
        #expect(hooks("hub").isEmpty && announced == ["attic enter 2"])
        #expect(word?.number == 2 && word?.author == "hub")
    }

    /// The hub ends before the room of an arrival is known, and starts again.
    ///
    /// - Parameter isLong: Whether it is away until the standby has taken over, and has announced that the beacon left.
    @Test(arguments: [true, false])
    mutating func `An arrival without a room is announced after a restart, unless the standby has announced the region`(
        isLong: Bool
    ) throws {
        start(.outside)
        bench.receive("attic")
        let beacon = RangedBeacon(identity: HouseBench.beacon("keys"), rssi: -60, accuracy: 1)
        bench.determined("hub", [.didEnterRegion(region: "keys", beacon), .didDetermineState(region: "keys", .inside)])
        let disk = try #require(bench.nodes["hub"]?.core.memory)
        #expect(announced.isEmpty && disk.arriving == ["keys": [2]])
        bench.kill("hub")
        bench.pass(isLong ? 40 : 3)
        if isLong { see(.outside, at: "attic") }
        bench.startHub("hub", memory: disk, engine: engine(knowing: .inside))
        see(isLong ? .outside : .inside, at: "hub")
        bench.pass(10)
        #expect(announced == (isLong ? ["attic exit 3"] : ["hub enter 2"]))
        #expect(try #require(bench.nodes["hub"]?.core.memory).arriving.isEmpty)
    }

    @Test mutating func `A standby that repeats nothing of the hub's hides no event of the hub`() {
        start(.outside)
        bench.receive("attic")
        let beacon = RangedBeacon(identity: HouseBench.beacon("keys"), rssi: -60, accuracy: 1)
        bench.determined("hub", [.didEnterRegion(region: "keys", beacon), .didDetermineState(region: "keys", .inside)])
        #expect(word?.number == 2 && announced.isEmpty, "the event waits for the room")
        bench.restartBroker(with: [:])
        bench.pass(5)
        bench.connect("attic")
        bench.connect("hub")
        bench.pass(10)
        #expect(announced == ["hub enter 2"])
    }

    @Test mutating func `Stale states are not announced as known ones`() {
        bench.startHub(
            "hub", memory: HouseMemory(announced: [:], standbys: ["attic"]), engine: engine(), connects: false)
        bench.change("hub") { node in
            node.core.restored(
                HouseMemory(announced: ["keys": .init(state: .inside, number: 7)], standbys: ["attic"]), isStale: true)
        }
        see(.inside, at: "hub")
        bench.connect("hub")
        bench.pass(6)
        #expect(announced == ["hub enter 8"])
    }

    @Test mutating func `A message of a node that is not a standby changes nothing at a hub`() {
        bench.startHub("hub", engine: engine())
        see(.outside, at: "hub")
        bench.cut("hub")
        bench.overwrite(
            "okaeri/home/region/keys", #"{"state":"inside","name":"keys","number":900,"node":"mallory"}"#)
        bench.connect("hub")
        bench.pass(2)
        #expect(word?.state == .outside && word?.number == 1 && announced.isEmpty && hooks("hub").isEmpty)
    }

    @Test mutating func `A number that is too far ahead is not believed`() {
        start(.outside)
        bench.kill("hub")
        bench.overwrite(
            "okaeri/home/region/keys", #"{"state":"inside","name":"keys","number":9000000000000000,"node":"attic"}"#)
        bench.startHub(
            "hub", memory: HouseMemory(announced: ["keys": .init(state: .outside, number: 1)], standbys: ["attic"]),
            engine: engine(knowing: .outside))
        bench.pass(5)
        see(.outside, at: "hub", "attic")
        see(.inside, at: "hub", "attic")
        #expect(announced == ["hub enter 2"] && word?.number == 2)
        #expect(bench.nodes["attic"]?.core.announcements["keys"]?.number == 2)
    }

    @Test mutating func `The regions of a hub that leaves the house are not decided any more`() {
        start(.inside)
        let received = bench.nodes["attic"]?.definitions.count
        bench.overwrite("okaeri/home/regions", "")
        #expect(bench.nodes["attic"]?.definitions.count == received.map { $0 + 2 }, "the hub that stays repeats them")
        bench.kill("hub")
        bench.overwrite("okaeri/home/regions", "")
        #expect(
            bench.nodes["attic"]?.definitions.last.map { String(decoding: $0, as: UTF8.self) } == #"{"regions":[]}"#)
    }

    @Test mutating func `A takeover keeps the battery levels of the hub`() {
        start(.inside)
        bench.overwrite("okaeri/home/region/keys/battery", #"{"percent":80}"#)
        bench.kill("hub")
        bench.pass(60)
        #expect(bench.value("okaeri/home/region/keys/battery") != nil)
    }

    @Test mutating func `A hub whose disk was lost continues to count`() {
        bench.startHub("hub", engine: engine())
        see(.outside, at: "hub")
        see(.inside, at: "hub")
        bench.kill("hub")
        bench.startHub("hub", engine: engine())
        see(.outside, at: "hub")
        #expect(word?.number == 3)
    }

    @Test mutating func `An event that both announced during a cut is published once`() {
        start(.outside)
        bench.cut("hub")
        bench.pass(20)
        see(.inside, at: "hub", "attic")
        bench.pass(20)
        bench.connect("hub")
        bench.pass(5)
        #expect(announced == ["attic enter 2"])
    }

    @Test mutating func `An arrival that both announced during a cut under different numbers is published once`() {
        bench.startHub("hub", engine: engine())
        bench.startStandby("attic", engine: engine())
        bench.cut("hub")
        // The hub alone has known the absence.
        see(.outside, at: "hub")
        bench.pass(20)
        see(.inside, at: "attic")
        bench.pass(20)
        see(.inside, at: "hub")
        bench.connect("hub")
        bench.pass(10)
        see(.outside, at: "hub", "attic")
        #expect(announced == ["attic enter 1", "hub exit 3"])
    }

    @Test mutating func `A departure during a cut follows the arrival that a standby announced under the same number`()
    {
        bench.startHub("hub", engine: engine())
        bench.startStandby("attic", engine: engine())
        bench.cut("hub")
        see(.outside, at: "hub")
        see(.inside, at: "attic")
        bench.pass(40)
        bench.connect("hub")
        bench.pass(10)
        #expect(announced == ["attic enter 1", "hub exit 2"])
    }

    @Test mutating func `An event behind those of the standby is published after a cut`() {
        start(.outside)
        bench.cut("hub")
        bench.pass(36)
        see(.inside, at: "hub", "attic")
        see(.outside, at: "hub")
        bench.connect("hub")
        bench.pass(5)
        #expect(announced == ["attic enter 2", "hub exit 3"])
    }

    @Test(arguments: ["a", "z"])
    mutating func `Each hub replaces a standby, whatever the incarnations are`(_ incarnation: String) {
        bench.startStandby("attic", incarnation: "m", engine: engine())
        bench.pass(36)
        #expect(bench.nodes["attic"]?.core.isHolding == true)
        bench.startHub("hub", incarnation: incarnation, engine: engine())
        bench.pass(60)
        #expect(bench.nodes["attic"]?.core.isHolding == false && bench.nodes["attic"]?.core.hubName == "hub")
        #expect(bench.nodes["hub"]?.core.isHolding == true)
    }

    @Test mutating func `A hub that has yielded claims although a standby decides`() {
        bench.startHub("hub", incarnation: "b", engine: engine())
        bench.startStandby("attic", engine: engine())
        bench.startHub("other", incarnation: "a", engine: engine())
        bench.pass(1)
        #expect(["hub", "other"].filter { bench.nodes[$0]?.core.isHolding == true }.count == 1)
        let first = bench.nodes["hub"]?.core.isHolding == true ? "hub" : "other"
        bench.kill(first)
        bench.pass(70)
        let second = first == "hub" ? "other" : "hub"
        #expect(bench.nodes[second]?.core.isHolding == true && bench.nodes["attic"]?.core.isHolding == false)
    }

    @Test mutating func `One of two standbys takes over`() {
        bench.startHub("hub", engine: engine())
        bench.startStandby("attic", incarnation: "b", engine: engine())
        bench.startStandby("cellar", incarnation: "a", engine: engine())
        see(.inside, at: "hub", "attic", "cellar")
        bench.kill("hub")
        bench.pass(40)
        #expect(["attic", "cellar"].filter { bench.nodes[$0]?.core.isHolding == true } == ["cellar"])
        see(.outside, at: "attic", "cellar")
        #expect(announced == ["hub enter 1", "cellar exit 2"])
    }

    @Test mutating func `A standby without regions does not take over`() {
        bench.startHub("hub", engine: engine())
        bench.startStandby("attic", regions: [], engine: engine())
        bench.kill("hub")
        bench.pass(120)
        #expect(bench.published("attic", "okaeri/home/hub").isEmpty)
    }

    @Test mutating func `A standby receives the definitions of the hub once, and after each change`() {
        bench.startHub("hub", engine: engine())
        bench.startStandby("attic", engine: engine())
        bench.pass(5)
        #expect(bench.nodes["attic"]?.definitions.count == 1)
        bench.perform("hub") { core, now in
            core.configured([HouseBench.region("keys"), HouseBench.region("bag")], at: now)
        }
        #expect(bench.nodes["attic"]?.definitions.count == 2)
    }

    @Test mutating func `A hub reports what its own radio receives while a standby is online`() {
        bench.startHub("hub", engine: engine())
        bench.pass(10)
        #expect(bench.published("hub", "/heard").isEmpty)
        bench.startStandby("attic", engine: engine())
        bench.receive("hub")
        bench.pass(2)
        #expect(bench.nodes["attic"]?.reports.contains { $0.radio == "hub" && !$0.report.receptions.isEmpty } == true)
        bench.kill("attic")
        let end = bench.now
        bench.pass(20)
        #expect(bench.published("hub", "/heard", since: end + 1).isEmpty)
    }

    @Test mutating func `A takeover does not delete regions that the standby does not have`() {
        bench.startHub("hub", regions: ["keys", "phone"], engine: engine())
        bench.startStandby("attic", regions: ["keys"], engine: engine())
        see(.inside, at: "hub", "attic")
        bench.kill("hub")
        bench.pass(60)
        #expect(bench.value("okaeri/home/region/phone") != nil)
        #expect(bench.topics.contains("homeassistant/device/okaeri_home/region_phone/config"))
    }
}
