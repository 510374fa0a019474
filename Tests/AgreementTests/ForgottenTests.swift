import RegionMonitoring
import Agreement
import Testing

/// A region that was inside is unknown while the node that received its beacon is dark: until the node is forgotten, or
/// for a day.
@Suite struct ForgottenTests {
    private var hall = HouseAtHall()

    /// The beacon was never received here.
    private mutating func sayNothingIsHere(at seconds: Double) {
        hall.say(.outside, age: nil, at: seconds)
    }

    private mutating func stay(from start: Int, to end: Int) {
        for seconds in stride(from: start, to: end, by: 300) {
            hall.pass(to: Double(seconds))
            hall.status(of: "hall", at: Double(seconds))
            sayNothingIsHere(at: Double(seconds))
        }
    }

    private static func waiting(_ names: [String]) -> HouseState {
        HouseState(
            state: .unknown, lastKnown: .inside, since: 0, hearing: names.map { .init(node: $0) },
            stamp: .init(sequence: 5, writer: 5))
    }

    @Test(arguments: [["attic-2"], ["attic-2", "attic-3"]])
    mutating func `a node forgotten under another owner is not waited for after it`(waiting: [String]) throws {
        let owner = HouseAtHall.stronger
        hall.connect(at: 0, keeping: [Self.waiting(waiting)])
        hall.status(of: owner, found: true, at: 0)
        hall.pass(to: 10)
        try #require(hall.house.owner(of: "keys") == owner)
        // The owner has died and does not hear this.
        hall.actions += hall.house.forgotten(node: "attic-2", at: HouseAtHall.moment(10))
        hall.status(of: owner, isOnline: false, at: 12)
        try #require(hall.house.owner(of: "keys") == "hall")
        sayNothingIsHere(at: 12.1)
        hall.pass(to: 20)
        let rest = Array(waiting.dropFirst())
        #expect(hall.written.last?.state == (rest.isEmpty ? .outside : .unknown))
        #expect(hall.written.last?.waiting == rest)
        #expect(hall.events == [])
    }

    /// A message of an earlier version names no nodes.
    @Test mutating func `a region that is inside by a message without nodes is unknown for fifteen minutes`() {
        hall.connect(at: 0, keeping: [HouseAtHall.message(.inside, of: 5, 5)])
        stay(from: 5, to: 900)
        #expect(hall.written.last?.state == .unknown)
        stay(from: 900, to: 1500)
        #expect(hall.written.last?.state == .outside)
        #expect(hall.events == [])
    }

    /// Found dark and without knowledge: it may have been inside, by what the owner wrote last. The owner knew more.
    @Test mutating func `a dark node is not waited for when the owner before had later observations`() {
        hall.connect(
            at: 0,
            keeping: [HouseState(state: .unknown, lastKnown: .inside, since: 0, stamp: .init(sequence: 5, writer: 5))])
        hall.actions += hall.house.statusReceived(
            node: "attic", isOnline: false, isRetained: true, at: HouseAtHall.moment(0))
        hall.pass(to: 3)
        hall.actions += hall.house.observationReceived(
            node: "attic", region: "keys", Observation(state: .unknown, incarnation: "attic-1", sequence: 2),
            isRetained: true, at: HouseAtHall.moment(3))
        sayNothingIsHere(at: 3)
        hall.hear(HouseAtHall.message(.outside, of: 5, 6), at: 3.5)
        hall.pass(to: 10)
        #expect(hall.written.last?.state == .outside)
        #expect(hall.written.last?.waiting == [])
    }

    /// A person empties the topics of a node that is online. The node publishes them again.
    @Test(arguments: [true, false])
    mutating func `a node whose topics were emptied counts for ten seconds more`(isRepeated: Bool) {
        hall.connect(at: 0)
        hall.pass(to: 4)
        sayNothingIsHere(at: 4)
        hall.status(of: HouseAtHall.weaker, at: 4)
        hall.say(.inside, of: HouseAtHall.weaker, at: 8)
        let before = hall.written.count
        hall.actions += hall.house.observationRemoved(
            node: HouseAtHall.weaker, region: "keys", at: HouseAtHall.moment(9))
        hall.actions += hall.house.forgotten(node: HouseAtHall.weaker, at: HouseAtHall.moment(9))
        #expect(hall.written.count == before)
        if isRepeated {
            hall.status(of: HouseAtHall.weaker, at: 9.1)
            hall.say(.inside, of: HouseAtHall.weaker, at: 9.1)
        }
        hall.pass(to: 20)
        #expect(hall.written.last?.state == (isRepeated ? .inside : .outside))
        #expect(hall.actions.contains(.deleted(node: HouseAtHall.weaker)) == !isRepeated)
        #expect(hall.events == [.enter])
    }

    /// Its owner wrote the message before the node was forgotten.
    @Test(arguments: [true, false])
    mutating func `an earlier message does not make the house wait for a forgotten node`(isKnown: Bool) {
        hall.connect(at: 0, keeping: isKnown ? [Self.waiting(["attic-2"])] : [])
        hall.status(of: HouseAtHall.stronger, found: true, at: 0)
        hall.pass(to: 10)
        hall.actions += hall.house.forgotten(node: "attic-2", at: HouseAtHall.moment(10))
        var late = Self.waiting(["attic-2", "attic-3"])
        for seconds in 11..<40 {
            late.stamp.sequence += 1
            hall.hear(late, at: Double(seconds))
        }
        // Once: a client that forges such messages does not make this node flood the broker.
        #expect(hall.actions.count { $0 == .publishForgotten(node: "attic-2") } == 1)
        hall.actions += hall.house.forgotten(node: "attic-2", at: HouseAtHall.moment(40))
        #expect(hall.house.state(of: "keys")?.waiting == ["attic-3"])
    }

    /// A message that names it arrives before its status.
    @Test mutating func `a forgotten node that came back is not forgotten again`() {
        hall.connect(at: 0, keeping: [Self.waiting(["attic-2"])])
        hall.status(of: HouseAtHall.stronger, found: true, at: 0)
        hall.pass(to: 10)
        hall.actions += hall.house.forgotten(node: "attic-2", at: HouseAtHall.moment(10))
        var later = Self.waiting(["attic-2"])
        later.stamp.sequence += 1
        hall.hear(later, at: 20)
        hall.status(of: "attic-2", at: 20.5)
        hall.status(of: "attic-2", isOnline: false, at: 25)
        hall.pass(to: 60)
        #expect(hall.house.state(of: "keys")?.waiting == ["attic-2"])
        #expect(!hall.actions.contains(.publishForgotten(node: "attic-2")))
    }

    /// The observation that the broker retained is as good as new: its node may refresh it. The owner receives the beacon as
    /// well, and then no more.
    @Test mutating func `a node whose retained observation is inside is waited for when it is lost`() {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.weaker, found: true, at: 0)
        hall.pass(to: 3.5)
        hall.actions += hall.house.observationReceived(
            node: HouseAtHall.weaker, region: "keys",
            Observation(state: .inside, age: 1, incarnation: "\(HouseAtHall.weaker)-1", sequence: 50), isRetained: true,
            at: HouseAtHall.moment(3.5))
        hall.say(.inside, at: 3.6)
        hall.pass(to: 6)
        hall.say(.outside, at: 6)
        hall.status(of: HouseAtHall.weaker, isOnline: false, at: 7)
        hall.pass(to: 10)
        #expect(hall.written.last?.state == .unknown)
        #expect(hall.written.last?.waiting == [HouseAtHall.weaker])
        #expect(hall.events == [])
    }

    /// The broker delivers the region's message, and the observation of a later run of the node. Both are retained.
    @Test(arguments: [false, true])
    mutating func `a lost node that reported outside after a restart is not waited for`(isRestored: Bool) {
        let mark = HouseState.Mark(incarnation: "attic-1", sequence: 21)
        var message = HouseState(
            state: .unknown, lastKnown: .outside, since: 0, hearing: [.init(node: "attic", mark: mark)],
            stamp: .init(sequence: 5, writer: 5))
        // A broker that lost its latest data may have an earlier observation than a message that a node brought back.
        message.isRestored = isRestored
        hall.connect(at: 0, keeping: [message])
        hall.pass(to: 3.5)
        hall.actions += hall.house.observationReceived(
            node: "attic", region: "keys", Observation(state: .outside, incarnation: "attic-3", sequence: 2),
            isRetained: true, at: HouseAtHall.moment(3.5))
        sayNothingIsHere(at: 3.6)
        hall.pass(to: 10)
        #expect(hall.written.last?.state == (isRestored ? .unknown : .outside))
        #expect(hall.written.last?.waiting == (isRestored ? ["attic"] : []))
        // The next owner can rely on the mark only if this one could.
        #expect(hall.written.last?.hearing.first?.mark == nil)
    }
}
