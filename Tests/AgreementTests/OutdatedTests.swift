import Plumbing
import RegionMonitoring
import Testing

@testable import Agreement

/// Brokers that were cut off, and one that has lost its latest data, bring earlier agreements back.
@Suite struct OutdatedTests {
    private var hall = HouseAtHall()

    @Test mutating func `a state that another has replaced is no news`() {
        hall.connect(at: 0)
        hall.hear(HouseAtHall.message(.outside, of: 7, 5), at: 1)
        hall.hear(HouseAtHall.message(.inside, of: 7, 6, change: 1), at: 2)
        let reported = hall.news
        #expect(reported.contains(.didEnterRegion(room: nil, isOwner: false)))
        hall.hear(HouseAtHall.message(.outside, of: 7, 5), at: 2.5)
        #expect(hall.news == reported && hall.house.state(of: "keys")?.state == .inside)
    }

    /// The other side of a bridge has the messages from before the cut, of the owner at that time.
    @Test mutating func `a state that another owner has replaced is no news either`() {
        hall.connect(at: 0)
        hall.hear(HouseAtHall.message(.outside, of: 7, 5), at: 1)
        hall.hear(HouseAtHall.message(.inside, of: 3, 6, change: 1), at: 2)
        let reported = hall.news
        hall.hear(HouseAtHall.message(.outside, of: 7, 5), at: 2.5)
        #expect(hall.news == reported && hall.house.state(of: "keys")?.state == .inside)
    }

    @Test mutating func `an owner writes again what the broker has lost`() throws {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 7)
        hall.say(.inside, at: 8)
        let states = hall.written
        #expect(states.map(\.state) == [.outside, .inside])
        hall.hear(try #require(states.first), at: 20)
        #expect(hall.written.map(\.state) == [.outside, .inside, .inside])
        #expect(Set(hall.written.compactMap(\.stamp)).count == 3)
        // Its own word comes back, and that is all.
        hall.hear(try #require(hall.written.last), at: 20.1)
        #expect(hall.written.count == 3)
        #expect(hall.news.count { $0 == .didExitRegion(isOwner: true) } == 0)
    }

    /// A power cut at the broker, which saves its data every half an hour.
    @Test mutating func `an entry that a broker lost is not announced again`() {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 7)
        hall.say(.inside, at: 8)
        for state in hall.written { hall.hear(state, at: 8.1) }
        let old = hall.written.prefix(1)
        hall.disconnect(at: 30)
        hall.connect(at: 31, keeping: Array(old))
        hall.pass(to: 35)
        hall.say(.inside, at: 35)
        hall.pass(to: 40)
        #expect(hall.written.last?.state == .inside)
        #expect(hall.news.count { $0 == .didEnterRegion(room: nil, isOwner: true) } == 1)
        #expect(hall.news.count { $0 == .didExitRegion(isOwner: true) } == 0)
    }

    /// A person with mosquitto_pub, or an emptied topic. The owner publishes its message again.
    @Test mutating func `a payload that is no state changes nothing`() {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.inside, at: 4)
        hall.pass(to: 10)
        #expect(hall.written.map(\.state) == [.inside])
        hall.pass(to: 18)
        hall.actions += hall.house.stateReceived(
            region: "keys", nil, isRetained: false, at: HouseAtHall.moment(18))
        #expect(hall.house.state(of: "keys")?.state == .inside)
        #expect(hall.written.map(\.state) == [.inside, .inside])
        #expect(hall.events == [])
    }

    /// A slow broker sends an event back after the next one was announced.
    @Test mutating func `a second exit before the first one came back is announced`() throws {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.inside, at: 4)
        hall.pass(to: 7)
        hall.say(.outside, at: 20)
        hall.say(.inside, at: 20.5)
        #expect(hall.events == [.exit, .enter])
        let exit = try #require(hall.sent.first)
        hall.hear(exit, at: 20.6)
        hall.say(.outside, at: 21)
        #expect(hall.events == [.exit, .enter, .exit])
    }

    /// Another client brings back what the owner has just replaced.
    @Test mutating func `the owner takes no earlier state for a later one`() throws {
        var hall = HouseAtHall()
        hall.connect(at: 0, keeping: [HouseAtHall.message(.outside, of: 7, 5)])
        hall.pass(to: 4)
        hall.say(.inside, at: 4)
        hall.pass(to: 10)
        let own = try #require(hall.written.last)
        #expect(own.state == .inside)
        var earlier = HouseAtHall.message(.outside, of: 7, 5)
        earlier.isRestored = true
        hall.actions = []
        hall.hear(earlier, at: 11)
        #expect(hall.house.state(of: "keys")?.state == .inside)
        #expect(hall.written.map(\.state) == [.inside])
        // Its own word comes back behind that, and is no news.
        hall.hear(own, at: 11.1)
        #expect(hall.written.count == 1)
    }

    /// Two nodes take a region for theirs, and write the same. Hundreds would bring the one word back in place of the other.
    @Test mutating func `of two equal states neither is brought back`() {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.stronger, found: true, at: 0)
        hall.pass(to: 5)
        hall.hear(HouseAtHall.message(.inside, of: 7, 6), at: 5)
        hall.hear(HouseAtHall.message(.inside, of: 3, 6), at: 6)
        hall.pass(to: 90)
        #expect(hall.written == [])
        // Nor after the connection was lost.
        hall.disconnect(at: 90)
        hall.connect(at: 100, keeping: [HouseAtHall.message(.inside, of: 3, 6)])
        #expect(hall.house.state(of: "keys")?.state == .inside)
        hall.status(of: HouseAtHall.stronger, found: true, at: 100)
        hall.pass(to: 190)
        #expect(hall.written == [])
    }

    /// On a busy machine a thread comes seconds late, and knows all that it knew.
    @Test(arguments: [(8.0, RegionState.inside), (2000, .outside)])
    mutating func `a node that was suspended for long forgets`(late: Double, state: RegionState) {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.stronger, found: true, at: 0)
        hall.pass(to: 5)
        hall.hear(HouseAtHall.message(.inside, of: 7, 6), at: 5)
        let due = Double(hall.house.nextDeadline ?? 0) / 1e9
        hall.actions += hall.house.stateReceived(
            region: "keys", HouseAtHall.message(.outside, of: 7, 5), isRetained: false,
            at: HouseAtHall.moment(due + late))
        #expect(hall.house.state(of: "keys")?.state == state)
    }

    /// A node that heard a later word than the owner's brings it back when the owner has long heard better.
    @Test mutating func `the owner answers a state that is brought back at once`() {
        hall.connect(at: 0, keeping: [HouseAtHall.message(.inside, of: 7, 5)])
        hall.pass(to: 4)
        hall.say(.inside, at: 4)
        hall.pass(to: 10)
        #expect(hall.written.map(\.state) == [.inside])
        hall.actions = []
        var later = HouseState(
            state: .unknown, lastKnown: .inside, since: 0, hearing: [.init(node: "attic")],
            stamp: .init(sequence: 9, writer: 9))
        later.isRestored = true
        hall.say(.inside, at: 14)
        hall.hear(later, at: 20)
        #expect(hall.written.map(\.state) == [.inside])
        #expect(hall.written.map(\.stamp.sequence) == [10])
        #expect(hall.news == [])
    }

    /// A beacon that came and left meanwhile was announced as inside: now it is announced as outside.
    @Test mutating func `what the owner missed is made up for`() {
        hall.connect(at: 0, keeping: [HouseAtHall.message(.outside, of: 7, 5)])
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 10)
        hall.actions = []
        var later = HouseAtHall.message(.inside, of: 9, 9, change: 1, hearing: ["hall"])
        later.isRestored = true
        hall.hear(later, at: 50)
        #expect(hall.written.map(\.state) == [.outside])
        #expect(hall.events == [.exit])
    }

    /// It was suspended for two seconds. Its deadline and a message are late together.
    @Test mutating func `an owner whose successor is due does not announce what it receives`() {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.inside, at: 4)
        hall.status(of: HouseAtHall.stronger, at: 20)
        hall.say(.inside, at: 21)
        hall.pass(to: 22)
        #expect(hall.written.last?.state == .inside && hall.house.owner(of: "keys") == "hall")
        let left = Observation(state: .outside, age: 1, incarnation: "hall-1", sequence: 100)
        hall.actions += hall.house.observationReceived(
            node: "hall", region: "keys", left, isRetained: false, at: HouseAtHall.moment(23.5))
        #expect(hall.house.owner(of: "keys") == HouseAtHall.stronger)
        #expect(hall.events == [])
    }

    /// The status of the next owner came seconds late, so that this node counts its settling from then on.
    @Test mutating func `an owner stands down when the next one writes`() {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 8)
        hall.status(of: HouseAtHall.stronger, at: 20)
        hall.say(.outside, of: HouseAtHall.stronger, at: 20.5)
        let writer = "\(HouseAtHall.stronger)-1".utf8.fnv1a
        hall.hear(HouseAtHall.message(.outside, of: writer, 9), at: 21)
        hall.say(.inside, at: 21.5)
        #expect(hall.house.owner(of: "keys") == HouseAtHall.stronger)
        #expect(hall.events == [])
    }
}
