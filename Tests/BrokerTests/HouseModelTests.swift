import Events
import Foundation
import IBeacon
import Plumbing
import RegionMonitoring
import TestSupport
import Testing

@testable import House

/// A house in virtual time: a hub, a standby, a receiver, and a broker with faults. An interleaving is drawn from a seed; what is announced
/// is compared with the truth of the air.
struct HouseModel {
    /// The engine of a node: its radios receive the beacon or not, and it is left after ten seconds.
    struct Engine: HouseEngine {
        private static let exitTime = 10 * Nanoseconds.second

        var state = RegionState.unknown
        var lastKnown = RegionState.unknown
        /// The radios that received the beacon last.
        var holders: Set<String> = []
        private var since: Int64

        init(lastKnown: RegionState = .unknown, holders: Set<String> = [], at now: Int64) {
            (self.lastKnown, self.holders, since) = (lastKnown, holders, now)
        }

        mutating func announced(_ states: [String: RegionState]) -> [Event.Kind] {
            guard let announced = states["keys"] else { return [] }
            lastKnown = announced
            return became(state)
        }

        /// A second has passed.
        mutating func listened(_ radios: Set<String>, receiving audible: Set<String>, at now: Int64) -> [Event.Kind] {
            let receiving = audible.intersection(radios)
            guard receiving.isEmpty else {
                (holders, since) = (receiving, now)
                return state == .inside ? [] : became(.inside)
            }
            // Without one of its radios the region is unknown.
            guard holders.isEmpty || !holders.isDisjoint(with: radios) else {
                since = now
                return state == .inside ? became(.unknown) : []
            }
            guard state != .outside, now - since >= Self.exitTime else { return [] }
            return became(.outside)
        }

        mutating func became(_ state: RegionState) -> [Event.Kind] {
            self.state = state
            var kinds: [Event.Kind] = []
            if state == .inside, lastKnown != .inside { kinds = [.didEnterRegion(region: "keys", Self.beacon)] }
            if state == .outside, lastKnown == .inside { kinds = [.didExitRegion(region: "keys")] }
            if state != .unknown { lastKnown = state }
            return kinds + [.didDetermineState(region: "keys", state)]
        }

        private static let beacon = RangedBeacon(
            identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1), rssi: -60, accuracy: 1)
    }

    private struct Disk {
        var memory = HouseMemory()
        var lastKnown = RegionState.unknown
        var holders: Set<String> = []
    }

    private static let second = Nanoseconds.second
    private static let hub = "h"
    private static let receiver = "r"

    private var bench = HouseBench()
    private var random: SeededGenerator
    private let standbys: [String]
    private var audible: Set<String> = []
    private var isReceiverOn = true
    private var disks: [String: Disk] = [:]
    /// The times at which nodes are started or connected again.
    private var starts: [String: Int64] = [:]
    private var connects: [String: Int64] = [:]
    private var snapshots: [[String: [UInt8]]] = [[:]]
    /// Whether a node decided without the broker's connection, or ended before its event was out.
    private(set) var hadPartition = false
    /// Whether the broker lost what a standby had announced: the hub may announce the same once more, under the same number.
    private(set) var hadLoss = false
    private(set) var kills = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        standbys = seed % 4 == 0 ? ["s", "t"] : ["s"]
        start(Self.hub)
        for name in standbys { start(name) }
        pass(15)
    }

    private var names: [String] { [Self.hub] + standbys }

    private mutating func start(_ name: String) {
        let disk = disks[name] ?? Disk()
        let engine = Engine(lastKnown: disk.lastKnown, holders: disk.holders, at: bench.now)
        if name == Self.hub {
            bench.startHub(name, memory: disk.memory, engine: engine)
        } else {
            bench.startStandby(name, memory: disk.memory, engine: engine)
        }
    }

    /// The radios whose reports a node receives.
    private func radios(of name: String) -> Set<String> {
        var radios: Set<String> = [name]
        guard bench.nodes[name]?.isConnected == true else { return radios }
        if isReceiverOn { radios.insert(Self.receiver) }
        radios.formUnion(names.filter { bench.nodes[$0]?.isConnected == true })
        return radios
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
            for name in names { listen(name) }
        }
    }

    private mutating func listen(_ name: String) {
        guard var engine = bench.nodes[name]?.engine as? Engine else { return }
        let kinds = engine.listened(radios(of: name), receiving: audible, at: bench.now)
        let state = engine
        bench.change(name) { $0.engine = state }
        if !kinds.isEmpty { bench.determined(name, kinds) }
        store(name)
    }

    private mutating func store(_ name: String) {
        guard let node = bench.nodes[name], let engine = node.engine as? Engine else { return }
        disks[name] = Disk(memory: node.core.memory, lastKnown: engine.lastKnown, holders: engine.holders)
    }

    // MARK: Faults

    private mutating func kill(_ name: String) {
        guard bench.nodes[name] != nil else { return }
        bench.pass(0.5)
        store(name)
        kills += 1
        bench.kill(name)
        connects[name] = nil
        let outage: ClosedRange<Int64> = Bool.random(using: &random) ? 1...29 : 31...90
        starts[name] = bench.now + Int64.random(in: outage, using: &random) * Self.second
    }

    private mutating func cut(_ name: String) {
        guard bench.nodes[name]?.isConnected == true else { return }
        hadPartition = true
        bench.cut(name)
        connects[name] = bench.now + Int64.random(in: 1...60, using: &random) * Self.second
    }

    private mutating func restartBroker() {
        snapshots.append(bench.retained)
        let data = Bool.random(using: &random) ? bench.retained : snapshots.randomElement(using: &random) ?? [:]
        hadPartition = true
        hadLoss = hadLoss || data != bench.retained
        bench.restartBroker(with: data)
        for name in names where bench.nodes[name] != nil {
            connects[name] = bench.now + Int64.random(in: 1...20, using: &random) * Self.second
        }
    }

    private mutating func fault() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: audible = Set(([Self.receiver] + names).filter { _ in Bool.random(using: &random) })
        case 4...5: audible = []
        case 6: isReceiverOn.toggle()
        case 7:
            kill(Self.hub)
            guard Bool.random(using: &random) else { break }
            // Something happens while the standby decides.
            for _ in 0..<3 {
                pass(Int.random(in: 1...40, using: &random))
                audible = audible.isEmpty ? [Self.receiver, standbys[0]] : []
            }
        case 8: kill(standbys[0])
        case 9: cut(names.randomElement(using: &random) ?? Self.hub)
        case 10: restartBroker()
        default: snapshots.append(bench.retained)
        }
    }

    /// Plays the interleaving. Returns what is wrong; empty if nothing is.
    mutating func play() -> [String] {
        for _ in 0..<Int.random(in: 4...14, using: &random) {
            fault()
            pass([1, 2, 12, 20, 35].randomElement(using: &random) ?? 1)
        }
        isReceiverOn = true
        while !starts.isEmpty || !connects.isEmpty { pass(5) }
        pass(60)
        // The last transition is known to be announced when nothing fails.
        audible = audible.isEmpty ? [Self.receiver] : []
        pass(15)
        return orderFaults + stateFaults + hookFaults
    }

    // MARK: Invariants

    fileprivate var events: [(node: String, event: HouseEvent)] {
        bench.log.filter { !$0.isRetained && $0.topic == "okaeri/home/region/keys/event" }
            .compactMap { entry in Wire.event(Array(entry.payload.utf8)).map { (entry.node, $0) } }
    }

    /// The number of events that a standby announced.
    fileprivate var takeovers: Int { events.count { $0.node != Self.hub } }

    /// Each number is announced once, numbers grow, and a transition is lost only with the end of a node.
    private var orderFaults: [String] {
        var faults: [String] = []
        var known: [UInt64: HouseEvent.Kind] = [:]
        var last: HouseEvent?
        var losses = 0
        for (node, event) in events {
            let before = known.updateValue(event.kind, forKey: event.number)
            if before == event.kind, hadPartition, hadLoss { continue }
            defer { last = event }
            guard let last else { continue }
            if event.number <= last.number { faults.append("\(node) announced \(event.number) after \(last.number)") }
            if event.kind == last.kind, event.number == last.number + 1 {
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
        guard !hadPartition else { return [] }
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

struct HouseModelTests {
    /// More of them by OKAERI_INTERLEAVINGS.
    private static let count = ProcessInfo.processInfo.environment["OKAERI_INTERLEAVINGS"].flatMap { UInt64($0) } ?? 200
    private static let first = ProcessInfo.processInfo.environment["OKAERI_FIRST"].flatMap { UInt64($0) } ?? 1

    @Test func `A house with a standby and a broker with faults announces the truth, each transition once`() {
        var (events, takeovers) = (0, UInt64(0))
        for seed in Self.first..<(Self.first + Self.count) {
            var model = HouseModel(seed: seed)
            let faults = model.play()
            #expect(faults.isEmpty, "interleaving \(seed)")
            events += model.events.count
            takeovers += UInt64(model.takeovers)
        }
        // The faults reach what they are for.
        #expect(takeovers > Self.count / 10, "\(events) events, \(takeovers) of them by a standby")
    }
}
