import Plumbing
import RegionMonitoring
import TestSupport
import Testing

@testable import Agreement

/// A house by hand: one node's view, each event with its time in seconds.
private struct Hand: PlayedHouse {
    var house: HouseReplica
    var actions: [HouseAction] = []
    var isDelivering = true
    private var sequences: [String: UInt64] = [:]
    private var subscribed: Set<String> = []

    /// A node that has listened, alone in the house: it owns the region and may write.
    init(_ node: String, regions: [String] = ["keys"], before: HouseState? = nil, for listened: Double = 6) {
        house = HouseReplica(node: node, incarnation: "\(node)-1", regions: regions)
        connect(before: before, for: listened)
    }

    /// The wall shows no whole milliseconds, as no wall does.
    static func moment(_ seconds: Double) -> Moment {
        Moment(instant: Int64(seconds * 1e9), wall: HouseAtHall.epoch + Int64(seconds * 1e9) + 123_456)
    }

    /// A connection, the retained state if there is one, and the time that is listened: observations are wanted after three seconds, and
    /// two later the region is spoken for.
    private mutating func connect(before: HouseState?, for listened: Double) {
        act(at: 0) { $0.connected(at: $1) }
        describe(house.node, at: 0)
        if let before {
            act(at: 0) { $0.stateReceived(region: "keys", before, isRetained: true, at: $1) }
        }
        status(house.node, true, at: 0)
        pass(to: listened)
    }

    mutating func describe(_ node: String, at now: Double) {
        act(at: now) {
            $0.nodeDescribed(node: node, room: node, regions: nil, isRetained: node != $0.node, at: $1)
        }
    }

    mutating func status(_ node: String, _ isOnline: Bool, found: Bool = false, at now: Double) {
        pass(to: now)
        act(at: now) { $0.statusReceived(node: node, isOnline: isOnline, isRetained: found, at: $1) }
    }

    mutating func observation(
        _ node: String, _ state: RegionState, signal: Double? = nil, daemon: Int = 1, region: String = "keys",
        found: Bool = false, age: Double? = nil, at now: Double
    ) {
        pass(to: now)
        sequences[node, default: 0] += 1
        let observation = Observation(
            state: state, signal: signal, age: age, incarnation: "\(node)-\(daemon)", sequence: sequences[node] ?? 0)
        // Behind a subscription the broker delivers this node's own observation as retained, too.
        let isFirst = node == house.node && subscribed.insert(region).inserted
        for isRetained in isFirst ? [true, found] : [found] {
            act(at: now) {
                $0.observationReceived(
                    node: node, region: region, observation, isRetained: isRetained, at: $1)
            }
        }
    }

    /// Another owner writes.
    mutating func state(_ state: RegionState, at now: Double) {
        pass(to: now)
        actions += house.stateReceived(
            region: "keys",
            HouseState(
                state: state, since: Int64(now * 1e9), change: state == .inside ? 1 : 0, isNews: state == .inside,
                stamp: .init(sequence: UInt64(now), writer: 7)), isRetained: false, at: Self.moment(now))
    }

    /// Time goes on, and every timer is kept.
    mutating func pass(to now: Double) {
        let end = Self.moment(now)
        while let due = house.nextDeadline, due <= end.instant {
            act(at: Moment(instant: due, wall: due)) { $0.advanced(to: $1) }
        }
    }

    var state: HouseState? { house.state(of: "keys") }

    var written: [HouseState] {
        actions.compactMap { if case .publishState(_, let state) = $0 { state } else { nil } }
    }

    var events: [HouseEvent.Kind] {
        actions.compactMap { if case .publishEvent(_, let event) = $0 { event.kind } else { nil } }
    }

    var happenings: [HouseNews] {
        actions.compactMap { if case .happened("keys", let news) = $0 { news } else { nil } }
    }
}

@Suite struct HouseTests {
    @Test func `an exit is seen by the node that received the beacon, and there is one`() {
        var hand = Hand("hall")
        hand.observation("hall", .outside, at: 10)
        hand.observation("hall", .inside, signal: -60, at: 20)
        hand.observation("hall", .outside, at: 30)
        #expect(hand.events == [.enter, .exit])
    }

    @Test func `the death of a node that was inside is no exit`() {
        var hand = Hand("hall")
        hand.observation("hall", .outside, at: 10)
        hand.observation("attic", .inside, signal: -60, at: 11)
        hand.status("attic", true, at: 11)
        #expect(hand.state?.state == .inside)
        hand.status("attic", false, at: 12)
        #expect(hand.state?.state == .unknown)
        #expect(hand.state?.waiting == ["attic"])
        #expect(hand.events == [.enter])
    }

    @Test func `an own message that the broker sends back late contradicts none`() throws {
        var hand = Hand("hall")
        hand.observation("hall", .outside, at: 10)
        hand.isDelivering = false
        hand.observation("hall", .inside, signal: -60, at: 20)
        let written = try #require(hand.state)
        hand.observation("hall", .outside, at: 21)
        let count = hand.written.count
        hand.act(at: 22) { $0.stateReceived(region: "keys", written, isRetained: false, at: $1) }
        #expect(hand.written.count == count)
        #expect(hand.events == [.enter])
        #expect(hand.state?.state == .outside)
    }

    @Test(arguments: [12.0, 45]) func `what an owner wrote and died before it said is said by the next`(after: Double)
        throws
    {
        let owner = try #require(
            ["attic", "cellar", "kitchen", "stairs"].first { name in
                var hand = Hand("hall")
                hand.status(name, true, at: 10)
                hand.pass(to: 20)
                return hand.house.owner(of: "keys") == name
            })
        var hand = Hand("hall")
        hand.observation("hall", .outside, at: 7)
        hand.status(owner, true, at: 10)
        hand.pass(to: 20)
        hand.state(.outside, at: 20)
        hand.state(.inside, at: 30)
        #expect(hand.events == [])
        hand.observation("kitchen", .inside, signal: -60, at: 31)
        hand.status(owner, false, at: 30 + after)
        hand.status("kitchen", true, at: 31 + after)
        hand.observation("kitchen", .inside, signal: -60, at: 31 + after)
        hand.pass(to: 50 + after)
        #expect(hand.events == [.enter])
        let acts = hand.actions.filter {
            if case .happened(_, .didEnterRegion(_, isOwner: true)) = $0 { true } else { false }
        }
        #expect(acts.count == 1, "a hook of the house is run")
    }

    @Test func `a node that is back and does not know is waited for by name, for the owner after us`() {
        var hand = Hand("hall")
        hand.observation("hall", .inside, signal: -60, at: 10)
        hand.observation("hall", .unknown, daemon: 2, at: 20)
        #expect(hand.state?.state == .unknown)
        #expect(hand.state?.waiting == ["hall"])
    }

    @Test func `a node that the owner before waited for stays so, alive and then dead`() {
        let before = HouseState(
            state: .unknown, lastKnown: .inside, since: 1, hearing: [.init(node: "attic")],
            stamp: .init(sequence: 1, writer: 1))
        var hand = Hand("hall", before: before, for: 4)
        hand.observation("hall", .outside, at: 10)
        hand.observation("attic", .unknown, daemon: 2, found: true, at: 10)
        hand.status("attic", true, at: 11)
        hand.status("attic", false, at: 12)
        hand.pass(to: 13)
        #expect(hand.state?.state == .unknown)
        #expect(hand.events == [])
    }

    @Test func `a new owner of an unknown region suspects the node whose state is unknown`() {
        var hand = Hand(
            "hall",
            before: HouseState(
                state: .unknown, lastKnown: .inside, since: 1, hearing: [.init(node: "attic")],
                stamp: .init(sequence: 1, writer: 1)), for: 4)
        hand.observation("attic", .unknown, found: true, at: 4)
        hand.status("attic", true, found: true, at: 4)
        hand.observation("hall", .outside, age: 5, at: 7)
        hand.status("attic", false, at: 8)
        hand.pass(to: 9)
        #expect(hand.state?.state == .unknown)
        #expect(hand.state?.waiting == ["attic"])
        #expect(hand.events == [])
    }

    @Test func `a new owner of a region that was inside suspects the node whose state is unknown`() {
        var hand = Hand(
            "hall",
            before: HouseState(
                state: .inside, room: "attic", since: 1, hearing: [.init(node: "attic")],
                stamp: .init(sequence: 1, writer: 1)), for: 4)
        hand.observation("attic", .unknown, daemon: 2, found: true, at: 4)
        hand.status("attic", true, found: true, at: 4)
        hand.observation("hall", .outside, age: 5, at: 7)
        hand.status("attic", false, at: 8)
        hand.pass(to: 9)
        #expect(hand.state?.state == .unknown)
        #expect(hand.events == [])
    }

    @Test func `a new owner takes the room from the retained messages, not from the first new one`() {
        var hand = Hand(
            "hall",
            before: HouseState(
                state: .inside, room: "attic", since: 1, hearing: [.init(node: "attic")],
                stamp: .init(sequence: 1, writer: 1)), for: 4)
        hand.describe("attic", at: 4)
        hand.status("attic", true, found: true, at: 4)
        hand.observation("attic", .inside, signal: -50, found: true, at: 4)
        hand.observation("hall", .inside, signal: -80, at: 4.2)
        hand.pass(to: 9)
        #expect(hand.state?.room == "attic")
    }

    @Test func `our own word that comes back late is no other owner's`() throws {
        var hand = Hand("hall")
        hand.observation("hall", .outside, at: 10)
        let late = try #require(hand.state)
        #expect(late.state == .outside)
        hand.observation("hall", .inside, signal: -60, at: 10.5)
        hand.actions = []
        hand.act(at: 11) { $0.stateReceived(region: "keys", late, isRetained: false, at: $1) }
        #expect(hand.state?.state == .inside)
        hand.pass(to: 14)
        #expect(hand.events == [])
        #expect(hand.state?.state == .inside)
    }

    @Test func `a observation of an earlier daemon does not come to life when a new one starts`() {
        var hand = Hand("hall")
        hand.observation("hall", .outside, at: 10)
        hand.status("attic", true, found: true, at: 11)
        hand.observation("attic", .inside, signal: -60, found: true, at: 11)
        hand.pass(to: 30)
        hand.act(at: 31) {
            $0.scannerReceived(
                node: "attic", isScanning: true, isRetained: false, at: $1)
        }
        #expect(hand.state?.state != .inside)
        #expect(hand.events == [])
    }

    @Test func `a new daemon's word about one region makes nothing live of another`() {
        var hand = Hand("hall", regions: ["keys", "bag"])
        hand.observation("hall", .outside, at: 10)
        hand.status("attic", true, found: true, at: 11)
        hand.observation("attic", .inside, signal: -60, found: true, at: 11)
        hand.observation("attic", .unknown, daemon: 2, region: "bag", at: 12)
        #expect(hand.state?.state != .inside)
        #expect(hand.events == [])
    }

    @Test func `a node that was silent owns its regions again at its first word`() throws {
        let regions = ["a", "b", "c", "d", "e", "f", "g", "h"]
        var hand = Hand("hall", regions: regions)
        // A third node owns the hub, and is slow to publish that the silent one is offline.
        let hub = try #require(
            ["porch", "kitchen", "cellar", "loft"].first {
                Ownership.owner(of: Ownership.hub, among: ["hall", $0]) == $0
            })
        hand.status(hub, true, found: true, at: 7)
        hand.status("attic", true, found: true, at: 7)
        let theirs = regions.filter { Ownership.owner(of: $0, among: ["attic", "hall", hub]) == "attic" }
        func owned() -> [String] { regions.filter { hand.house.owner(of: $0) == "attic" } }
        #expect(!theirs.isEmpty)
        #expect(owned() == theirs)
        hand.status("hall", true, at: 300)
        hand.status(hub, true, at: 300)
        hand.pass(to: 340)
        #expect(owned() == [])
        hand.status("attic", true, at: 341)
        #expect(owned() == theirs)
    }

    @Test func `owners found one change after another are those of all nodes at once`() {
        let regions = (0..<20).map { "region\($0)" }
        var hand = Hand("hall", regions: regions)
        var watched: [String: Set<String>] = ["hall": Set(regions)]
        var random = SeededGenerator(seed: 15)
        for step in 0..<400 {
            let name = "node\(random.next() % 12)"
            let now = 10 + Double(step) / 10
            hand.pass(to: now)
            switch random.next() % 3 {
            case 0:
                hand.status(name, false, at: now)
                watched[name] = nil
            case 1:
                let some = Set(regions.filter { _ in random.next() % 4 > 0 })
                hand.act(at: now) { $0.nodeDescribed(node: name, room: nil, regions: some, at: $1) }
                hand.status(name, true, found: true, at: now)
                watched[name] = some
            default:
                hand.act(at: now) { $0.nodeDescribed(node: name, room: nil, regions: nil, at: $1) }
                hand.status(name, true, found: true, at: now)
                watched[name] = Set(regions)
            }
            for region in regions {
                let candidates = watched.filter { $0.value.contains(region) }.keys
                #expect(hand.house.owner(of: region) == Ownership.owner(of: region, among: candidates))
            }
        }
    }
}
