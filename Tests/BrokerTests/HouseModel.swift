import HCI
import IBeacon
import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring

@testable import OkaeriHouse

/// A house in virtual time: a hub, one or two standbys, receivers, and a broker with faults. An interleaving is drawn from a seed. The
/// engines are those of the daemon; what is announced is compared with the truth of the air.
struct HouseModel {
    private struct Disk {
        var house = HouseMemory()
        var presence = RegionMonitor.Memory()
    }

    /// The truth about a radio.
    private struct Radio {
        /// The times of its last receptions.
        var receptions: [Int64] = []
        /// Since when it runs with a connection to the broker; `nil` while it does not.
        var since: Int64?
        /// Since when it does not.
        var lost: Int64 = .min
        /// Since when it decides for the house, or receives the reports as a standby; `nil` while it does not.
        var engaged: Int64?
    }

    private static let second = Nanoseconds.second
    private static let hub = "h"
    private static let other = "o"
    private static let receivers = ["q", "r"]
    /// The exit time of the region.
    private static let exitTime = 10

    private(set) var bench = HouseBench()
    private var random: SeededGenerator
    private let standbys: [String]
    private let region: MonitoredRegion
    /// The radios that the beacon can be received at.
    private var audible: Set<String> = []
    private var radios: [String: Radio] = [:]
    private var disks: [String: Disk] = [:]
    /// The times at which nodes are started or connected again.
    private var starts: [String: Int64] = [:]
    private var connects: [String: Int64] = [:]
    private var snapshots: [[String: [UInt8]]] = [[:]]
    /// Whether a node decided without the broker's connection.
    private var hadPartition = false
    /// Whether the broker lost what a standby had announced: the hub may announce the same once more, under the same number.
    private var hadLoss = false
    /// Whether another hub has decided: it counts from its own disk.
    private var hadOther = false
    private var kills = 0
    private var decisionFaults: [String] = []
    /// The number of the engines' events that were compared with the truth.
    private(set) var judged = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        standbys = seed % 4 == 0 ? ["s", "t"] : ["s"]
        var region = MonitoredRegion(HouseBench.beacons("keys"))
        region.exitAfter = .seconds(Self.exitTime)
        self.region = region
        if seed % 3 == 0 {
            for name in names + Self.receivers {
                bench.delays[name] = Int64.random(in: 1...900, using: &random) * 1_000_000
            }
        }
        if seed % 6 == 0 { bench.losses = SeededGenerator(seed: seed) }
        start(Self.hub)
        for name in standbys + Self.receivers { start(name) }
        pass(15)
    }

    /// The nodes with an engine.
    private var names: [String] { [Self.hub] + standbys }

    // MARK: Nodes

    private mutating func start(_ name: String) {
        guard !Self.receivers.contains(name) else { return bench.startReceiver(name) }
        let disk = disks[name] ?? Disk()
        let engine = LiveEngine(region, knowing: disk.presence, at: bench.now)
        if standbys.contains(name) {
            bench.startStandby(name, memory: disk.house, engine: engine)
        } else {
            bench.startHub(name, memory: disk.house, engine: engine)
        }
    }

    private mutating func store(_ name: String) {
        guard let node = bench.nodes[name], let engine = node.engine as? LiveEngine else { return }
        disks[name] = Disk(house: node.core.memory, presence: engine.memory(at: bench.now))
    }

    private mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            bench.pass(1)
            for (name, time) in starts.sorted(by: { $0.key < $1.key }) where time <= bench.now {
                starts[name] = nil
                start(name)
            }
            for (name, time) in connects.sorted(by: { $0.key < $1.key }) where time <= bench.now {
                connects[name] = nil
                if bench.nodes[name] != nil { bench.connect(name) }
            }
            let running = bench.nodes.keys.sorted()
            for name in running { updated(name) }
            let before = radios
            for name in running { listen(name) }
            judge(bench.engineEvents[judged...], before)
            judged = bench.engineEvents.count
            for name in names { store(name) }
        }
    }

    /// Determines since when a node is connected and receives reports.
    private mutating func updated(_ name: String) {
        guard let node = bench.nodes[name], node.isConnected, !bench.dead.contains(name) else { return }
        var radio = radios[name] ?? Radio()
        radio.since = radio.since ?? bench.now
        radio.engaged = standbys.contains(name) || node.core.isHolding ? radio.engaged ?? bench.now : nil
        radios[name] = radio
        if bench.now / Self.second % 240 == 0 { bench.refresh(name) }
    }

    private mutating func left(_ name: String) {
        var radio = radios[name] ?? Radio()
        (radio.since, radio.engaged, radio.lost) = (nil, nil, bench.now)
        radios[name] = radio
    }

    /// The radio of a node receives the beacon, or nothing.
    private mutating func listen(_ name: String) {
        var reception: Reception?
        if audible.contains(name), Int.random(in: 0..<10, using: &random) > 0 {
            let identity = HouseBench.beacon("keys")
            reception = Reception(
                .beacon(identity, measuredPower: -59), rssi: -60, at: Instant(nanoseconds: bench.now))
            radios[name, default: Radio()].receptions.append(bench.now)
            radios[name]?.receptions.removeAll { $0 < bench.now - 60 * Self.second }
        }
        bench.listen(name, reception)
    }

    // MARK: Faults

    private mutating func kill(_ name: String) {
        guard bench.nodes[name] != nil else { return }
        bench.pass(0.5)
        store(name)
        kills += 1
        bench.kill(name)
        connects[name] = nil
        left(name)
        let outage: ClosedRange<Int64> = Bool.random(using: &random) ? 1...29 : 31...90
        starts[name] = bench.now + Int64.random(in: outage, using: &random) * Self.second
    }

    private mutating func cut(_ name: String) {
        guard bench.nodes[name]?.isConnected == true else { return }
        hadPartition = hadPartition || names.contains(name)
        bench.cut(name)
        left(name)
        connects[name] = bench.now + Int64.random(in: 1...60, using: &random) * Self.second
    }

    /// The connection of a node is dead for a while without its noticing, and something happens meanwhile. Then it notices, or ends.
    private mutating func loseLink(of name: String) {
        guard bench.nodes[name]?.isConnected == true else { return }
        hadPartition = true
        bench.dead.insert(name)
        left(name)
        audible = audible.isEmpty ? [name] : []
        pass(Int.random(in: 1...20, using: &random))
        if Bool.random(using: &random) { return cut(name) }
        kill(name)
        if Bool.random(using: &random) { restartBroker() }
    }

    private mutating func restartBroker() {
        snapshots.append(bench.retained)
        var data = Bool.random(using: &random) ? bench.retained : snapshots.randomElement(using: &random) ?? [:]
        // Older data with another hub that has left: this hub waits until its `online` is too old.
        if bench.nodes[Self.other] == nil { data["okaeri/home/node/\(Self.other)/status"] = nil }
        hadPartition = true
        hadLoss = hadLoss || data != bench.retained
        bench.restartBroker(with: data)
        for name in bench.nodes.keys.sorted() {
            if radios[name]?.since != nil { left(name) }
            connects[name] = bench.now + Int64.random(in: 1...20, using: &random) * Self.second
        }
    }

    /// Another daemon with the regions begins or ends.
    private mutating func changeOther() {
        guard bench.nodes[Self.other] == nil else {
            bench.kill(Self.other)
            connects[Self.other] = nil
            left(Self.other)
            return
        }
        hadOther = true
        start(Self.other)
    }

    /// A client with the rights of one receiver sends what it may, without a reception of the beacon.
    private mutating func forge() {
        let topics = "okaeri/home/node/z"
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bench.overwrite("\(topics)/status", ["online", "offline", "{", ""].randomElement(using: &random) ?? "")
        case 1:
            let kind = ["hub", "standby", "receiver", "king"].randomElement(using: &random) ?? ""
            bench.overwrite(
                "\(topics)/about", #"{"kind":"\#(kind)","room":"den","version":"9","since":"2026-01-01T00:00:00Z"}"#)
        case 2:
            bench.overwrite("\(topics)/status", "online")
            let number = UInt64.random(in: 0 ... .max, using: &random)
            let share = ["0", "1", "-1", "1e308", "0.5"].randomElement(using: &random) ?? ""
            bench.send("\(topics)/heard", #"{"n":\#(number),"d":\#(share),"o":99999,"r":[]}"#)
        case 3:
            bench.overwrite("\(topics)/status", "online")
            bench.send(
                "\(topics)/heard", #"{"n":1,"d":1,"o":3,"r":[["\#(HouseBench.uuid):9:9",[[-1,0],[-127,1e18]]]]}"#)
        default: bench.send("\(topics)/heard", "\u{0}[[[[")
        }
    }

    private mutating func fault() {
        let all = names + Self.receivers
        switch Int.random(in: 0..<17, using: &random) {
        case 0...3: audible = Set(all.filter { _ in Bool.random(using: &random) })
        case 4...5: audible = []
        case 6: cut(Self.receivers.randomElement(using: &random) ?? "")
        case 7: kill(Self.receivers.randomElement(using: &random) ?? "")
        case 8...9:
            kill(Self.hub)
            guard Bool.random(using: &random) else { break }
            // Something happens while the standby decides.
            for _ in 0..<3 {
                pass(Int.random(in: 1...40, using: &random))
                audible = audible.isEmpty ? [Self.receivers[0], standbys[0]] : []
            }
        case 10: kill(standbys[0])
        case 11: cut(names.randomElement(using: &random) ?? Self.hub)
        case 12: restartBroker()
        case 13: if seedHasOther { changeOther() }
        case 14: forge()
        case 15: loseLink(of: names.randomElement(using: &random) ?? Self.hub)
        default: snapshots.append(bench.retained)
        }
    }

    private var seedHasOther: Bool { bench.delays.isEmpty && standbys.count == 1 }

    /// Plays the interleaving. Returns what is wrong; empty if nothing is.
    mutating func play() -> [String] {
        for _ in 0..<Int.random(in: 4...14, using: &random) {
            fault()
            pass([1, 2, 12, 20, 35].randomElement(using: &random) ?? 1)
        }
        if bench.nodes[Self.other] != nil { changeOther() }
        while !starts.isEmpty || !connects.isEmpty { pass(5) }
        bench.losses = nil
        pass(60)
        // The last transition is known to be announced when nothing fails.
        audible = audible.isEmpty ? [Self.receivers[0]] : []
        pass(Self.exitTime + 10)
        return decisionFaults + orderFaults + stateFaults + hookFaults
    }
}

// MARK: - Invariants

extension HouseModel {
    /// The events at the broker.
    var events: [(node: String, event: HouseEvent)] {
        bench.log.filter { !$0.isRetained && $0.topic == "okaeri/home/region/keys/event" }
            .compactMap { entry in Wire.event(entry.bytes).map { (entry.node, $0) } }
    }

    /// The number of events that a standby announced.
    var takeovers: Int { events.count { standbys.contains($0.node) } }

    /// Compares the decisions of this second with the truth, and exits with that before it.
    private mutating func judge(_ decided: ArraySlice<(node: String, kind: Event.Kind)>, _ before: [String: Radio]) {
        for (node, kind) in decided {
            switch kind {
            // Of two hubs neither is a radio of the other.
            case .didExitRegion: if node != Self.other { judgeExit(by: node, before) }
            case .didEnterRegion: judgeEnter(by: node)
            default: break
            }
        }
    }

    /// The radios whose reports have reached a node for a time: its own one, and the connected ones.
    private func present(_ radios: [String: Radio], at node: String, for seconds: Int64) -> [String] {
        let begin = bench.now - seconds * Self.second
        // A hub without the claim decides for itself.
        let isConnected = radios[node]?.engaged.map { $0 <= begin } ?? false
        return radios.keys.sorted().filter { name in
            name == node || isConnected && radios[name]?.since.map { $0 <= begin } == true
        }
    }

    /// No radio that reports receives the beacon, and not all that received it last are away.
    private mutating func judgeExit(by node: String, _ radios: [String: Radio]) {
        // What is older than two seconds has arrived.
        let recent = bench.now - Int64(Self.exitTime - 3) * Self.second...bench.now - 3 * Self.second
        for name in present(radios, at: node, for: Int64(Self.exitTime) + 5)
        where radios[name]?.receptions.contains(where: { recent.contains($0) && !isLost($0, of: name) }) == true {
            decisionFaults.append("\(node) exits while \(name) receives the beacon")
        }
        guard let engine = bench.nodes[node]?.engine as? LiveEngine, let last = engine.receptions.values.max() else {
            return
        }
        let holders = engine.receptions.filter { $0.value > last - 60 * Self.second }.keys
        // The hub notices after 15 seconds without a message.
        let known = bench.now - 17 * Self.second
        let isCut = radios[node].map { $0.since == nil && $0.lost < known } ?? true
        let areAway = holders.allSatisfy { holder in
            !holder.isEmpty && (isCut || radios[holder].map { $0.since == nil && $0.lost < known } ?? true)
        }
        if areAway { decisionFaults.append("\(node) exits while the radios of the beacon are away") }
    }

    /// Whether the broker lost the message with a reception: it follows within a second.
    private func isLost(_ reception: Int64, of name: String) -> Bool {
        let sending = reception...reception + Self.second + Self.second / 10
        return bench.lostReports[name]?.contains(where: sending.contains) ?? false
    }

    /// Some radio has received the beacon lately.
    private mutating func judgeEnter(by node: String) {
        let last = radios.values.compactMap(\.receptions.last).max() ?? .min
        // Lost messages are not time of listening: a region is inside for longer then.
        let limit = Int64(bench.losses == nil ? Self.exitTime + 4 : 3 * Self.exitTime) * Self.second
        if bench.now.subtractingClamped(last) > limit {
            decisionFaults.append("\(node) enters without a reception")
        }
    }

    /// Each number is announced once, numbers grow, and a transition is lost only with the end of a node.
    private var orderFaults: [String] {
        guard !hadOther else { return [] }
        var faults: [String] = []
        var known: [UInt64: HouseEvent.Kind] = [:]
        var last: HouseEvent?
        var losses = 0
        for (node, event) in events {
            // An event whose acknowledgement was lost, or came after the end of the node, is delivered again (MQTT 5.0, 4.3.2).
            if hadPartition || kills > 0, event == last { continue }
            let before = known.updateValue(event.kind, forKey: event.number)
            if before == event.kind, hadPartition, hadLoss { continue }
            defer { last = event }
            guard let last else { continue }
            // What the broker lost while a standby decided is known to the standby alone.
            if event.number <= last.number, !(hadLoss && takeovers > 0) {
                faults.append("\(node) announced \(event.number) after \(last.number)")
            }
            if event.kind == last.kind, event.number == last.number + 1, !hadLoss {
                faults.append("two times \(event.kind) in a row")
            }
            if event.number > last.number + 1 { losses += 1 }
        }
        if losses > kills, !hadPartition { faults.append("\(losses) losses") }
        return faults
    }

    private var stateFaults: [String] {
        let state: RegionState = audible.isEmpty ? .outside : .inside
        guard let word = bench.retained["okaeri/home/region/keys"].flatMap({ Wire.region($0) }) else {
            return ["no state at the broker"]
        }
        var faults = word.state == state ? [] : ["the state is \(word.state) and not \(state)"]
        if word.author != Self.hub { faults.append("\(word.author ?? "nobody") decides beside the hub") }
        if events.last?.event.kind != (audible.isEmpty ? .exit : .enter) {
            faults.append("the last event is not the state")
        }
        return faults
    }

    /// Without a partition an event runs the hooks of one node.
    private var hookFaults: [String] {
        guard !hadPartition, !hadOther else { return [] }
        let all = bench.engineEvents.compactMap { entry -> RegionState? in
            switch entry.kind {
            case .didEnterRegion: .inside
            case .didExitRegion: .outside
            default: nil
            }
        }
        return zip(all, all.dropFirst()).contains { $0 == $1 } ? ["a hook ran twice"] : []
    }
}
