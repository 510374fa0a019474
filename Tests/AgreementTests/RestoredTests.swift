import Plumbing
import RegionMonitoring
import Testing

@testable import Agreement

/// A broker that was cut off from its power has what it saved half an hour ago. The live nodes remember more.
@Suite struct RestoredTests {
    private var hall = HouseAtHall()

    private static let outside = HouseAtHall.message(.outside, of: 7, 5)
    private static let inside = HouseAtHall.message(.inside, of: 7, 6, change: 1, hearing: ["attic"])

    private static var restored: HouseState {
        var restored = inside
        restored.isRestored = true
        return restored
    }

    /// A region is entered, and the connection is lost.
    private mutating func remember() {
        hall.connect(at: 0)
        hall.hear(Self.outside, at: 1)
        hall.hear(Self.inside, at: 2)
        hall.disconnect(at: 2.5)
        hall.actions = []
    }

    @Test mutating func `a node brings back what the broker has lost`() {
        remember()
        hall.connect(at: 20, keeping: [Self.outside])
        hall.pass(to: 22)
        #expect(hall.written == [Self.restored])
        hall.hear(Self.restored, at: 22.1)
        #expect(hall.house.state(of: "keys") == Self.inside)
        #expect(hall.news == [] && hall.events == [])
    }

    /// An owner that lives publishes it: of hundreds of regions three nodes each would publish it besides.
    @Test(arguments: [false, true]) mutating func `what is missing is brought to a new owner alone`(isNew: Bool) {
        let owner = HouseAtHall.stronger
        hall.connect(at: 0)
        if !isNew { hall.status(of: owner, found: true, at: 0) }
        hall.hear(Self.inside, at: 1)
        hall.pass(to: 5)
        hall.disconnect(at: 10)
        hall.actions = []
        hall.connect(at: 20)
        hall.status(of: owner, found: true, at: 20)
        hall.pass(to: 40)
        #expect(hall.house.owner(of: "keys") == owner)
        #expect(hall.written == (isNew ? [Self.restored] : []))
    }

    @Test mutating func `what another brings back is not brought twice`() {
        remember()
        hall.connect(at: 20, keeping: [Self.outside])
        hall.hear(Self.restored, at: 20)
        hall.pass(to: 23)
        #expect(hall.written == [])
    }

    /// Of hundreds of nodes three are enough.
    @Test mutating func `a node of low weight leaves that to others`() {
        let own = Ownership.weight("hall".utf8.fnv1a, "keys".utf8.fnv1a)
        let stronger = (0...).lazy.map { "node-\($0)" }.filter {
            Ownership.weight($0.utf8.fnv1a, "keys".utf8.fnv1a) > own
        }
        hall.connect(at: 0)
        for name in stronger.prefix(3) { hall.status(of: name, found: true, at: 0.1) }
        hall.hear(Self.inside, at: 2)
        hall.pass(to: 5)
        hall.disconnect(at: 6)
        hall.actions = []
        hall.connect(at: 20, keeping: [Self.outside])
        for name in stronger.prefix(3) { hall.status(of: name, found: true, at: 20) }
        hall.pass(to: 40)
        #expect(hall.written == [])
        // They did not hear it.
        hall.pass(to: 64)
        #expect(hall.written == [Self.restored])
    }

    @Test mutating func `nothing is brought back to a broker that has it`() {
        remember()
        hall.connect(at: 20, keeping: [Self.inside])
        hall.pass(to: 23)
        #expect(hall.written == [])
    }

    /// It may have missed that the house began anew.
    @Test mutating func `a node that was away for long brings nothing back`() {
        remember()
        hall.connect(at: 1000, keeping: [Self.outside])
        hall.pass(to: 1002)
        #expect(hall.written == [])
        #expect(hall.house.state(of: "keys") == Self.outside)
    }

    /// A new node would announce the entry of a region that was inside before.
    @Test mutating func `a new node announces no arrival that others remember`() {
        hall.connect(at: 0, keeping: [Self.outside])
        hall.hear(Self.restored, at: 0.5)
        hall.pass(to: 4)
        hall.say(.inside, at: 4)
        hall.pass(to: 15)
        #expect(hall.written.last?.state == .inside)
        #expect(hall.written.last?.stamp.sequence == 7)
        #expect(hall.events == [])
        #expect(!hall.news.contains { if case .didEnterRegion = $0 { true } else { false } })
    }

    /// It remembers a message that was written before anything was known.
    @Test mutating func `a message without knowledge does not hold off the owner's earlier one`() {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.stronger, found: true, at: 0)
        hall.pass(to: 5)
        hall.hear(HouseAtHall.message(.unknown, of: 9, 9), at: 5)
        hall.hear(HouseAtHall.message(.inside, of: 7, 5, hearing: ["attic"]), at: 6)
        #expect(hall.house.state(of: "keys")?.state == .inside)
        hall.pass(to: 100)
        #expect(hall.written == [])
    }

    /// It listened as the next owner when the broker, which had lost everything, delivered an earlier message.
    @Test mutating func `a node that does not become the owner brings back its later message`() {
        remember()
        hall.connect(at: 20)
        hall.pass(to: 24)
        #expect(hall.house.owner(of: "keys") == "hall")
        hall.hear(HouseAtHall.message(.unknown, of: 9, 1), at: 25)
        hall.status(of: HouseAtHall.stronger, found: true, at: 26)
        hall.pass(to: 30)
        #expect(hall.house.owner(of: "keys") == HouseAtHall.stronger)
        #expect(hall.written == [Self.restored])
    }

    /// The broker delivered a message twice, and then the next one.
    @Test mutating func `a node that does not become the owner stays with the latest message`() {
        hall.connect(at: 0, keeping: [HouseAtHall.message(.outside, of: 7, 5)])
        hall.pass(to: 4)
        for state in [RegionState.unknown, .unknown, .outside] {
            hall.hear(HouseAtHall.message(state, of: 9, state == .unknown ? 6 : 7), at: 5)
        }
        hall.status(of: HouseAtHall.stronger, found: true, at: 6)
        #expect(hall.house.owner(of: "keys") == HouseAtHall.stronger)
        #expect(hall.house.state(of: "keys")?.state == .outside)
    }

    /// Both nodes connect at once to a broker that has lost everything, and this one owned the region before.
    @Test mutating func `a former owner brings its message back to the next one`() {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 7)
        hall.say(.inside, at: 8)
        hall.disconnect(at: 9)
        hall.actions = []
        hall.connect(at: 20)
        hall.pass(to: 24)
        #expect(hall.house.owner(of: "keys") == "hall")
        hall.status(of: HouseAtHall.stronger, found: true, at: 24)
        hall.pass(to: 26)
        #expect(hall.house.owner(of: "keys") == HouseAtHall.stronger)
        #expect(hall.written.map(\.isRestored) == [true] && hall.written.last?.state == .inside)
    }
}
