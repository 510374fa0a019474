import Plumbing
import RegionMonitoring
import Testing

@testable import Agreement

/// The messages of an owner stay within what readers accept, whatever other clients of the broker publish.
@Suite struct BoundTests {
    private var hall = HouseAtHall()

    @Test mutating func `an owner writes no version above the highest one that readers accept`() throws {
        hall.connect(
            at: 0,
            keeping: [
                HouseState(
                    state: .inside, since: 0, hearing: [.init(node: "hall")],
                    stamp: .init(sequence: HouseState.Stamp.limit, writer: 5))
            ])
        hall.pass(to: 20)
        hall.say(.outside, at: 20)
        hall.pass(to: 60)
        let last = try #require(hall.written.last)
        #expect(last.state == .outside)
        #expect(hall.written.allSatisfy { $0.stamp.sequence <= HouseState.Stamp.limit })
    }

    @Test mutating func `an owner waits for no more nodes than there can be`() throws {
        let names = (0..<HouseReplica.nodeLimit).map { "n\($0)" }
        let state = HouseState(
            state: .unknown, lastKnown: .inside, since: 0, hearing: names.map { .init(node: $0) },
            stamp: .init(sequence: 1, writer: 5))
        hall.connect(at: 0, keeping: [state])
        hall.pass(to: 10)
        hall.actions += hall.house.observationReceived(
            node: "attic", region: "keys",
            Observation(state: .inside, age: 1, incarnation: "attic-1", sequence: 1), isRetained: true,
            at: HouseAtHall.moment(10))
        hall.say(.outside, at: 11)
        hall.pass(to: 60)
        let last = try #require(hall.written.last)
        #expect(last.state == .unknown)
        #expect(last.waiting.count == HouseReplica.nodeLimit)
    }

    /// Thousands of messages would write thousands of events to the history of every node.
    @Test mutating func `a flood of messages is a burst of news, and then the latest state`() {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.stronger, found: true, at: 0)
        hall.pass(to: 5)
        for number in 1...4000 {
            let state: RegionState = number % 2 == 0 ? .inside : .outside
            hall.hear(HouseAtHall.message(state, of: 7, UInt64(number), change: UInt64(number)), at: 5)
        }
        #expect(hall.news.count < 100)
        hall.hear(HouseAtHall.message(.unknown, of: 7, 4001, change: 4000), at: 5)
        hall.pass(to: 10)
        #expect(hall.news.last == .didDetermineState(.unknown))
    }

    @Test mutating func `a forged message makes no event at an owner that hears the beacon`() {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 7)
        hall.say(.inside, at: 8)
        #expect(hall.events == [.enter])
        hall.hear(HouseAtHall.message(.outside, of: 99, 7, change: 2), at: 9)
        hall.hear(HouseAtHall.message(.outside, of: 99, HouseState.Stamp.limit), at: 10)
        hall.pass(to: 20)
        #expect(hall.events == [.enter])
        #expect(hall.written.last?.state == .inside)
        #expect(hall.house.state(of: "keys")?.state == .inside)
    }

    /// Another daemon of its name was there for some seconds.
    @Test mutating func `a node whose name was used by another daemon counts again`() {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.weaker, found: true, at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 8)
        func observation(_ state: RegionState, _ incarnation: String, _ sequence: UInt64) -> Observation {
            Observation(state: state, age: 1, incarnation: incarnation, sequence: sequence)
        }
        for (time, next) in [
            (8.0, observation(.outside, "first", 10)), (9, observation(.unknown, "second", 1)),
            (10, observation(.outside, "second", 2)), (12, observation(.inside, "first", 11)),
        ] {
            hall.pass(to: time)
            hall.act(at: time) {
                $0.observationReceived(
                    node: HouseAtHall.weaker, region: "keys", next, isRetained: false, at: $1)
            }
        }
        #expect(hall.house.state(of: "keys")?.state == .inside)
        #expect(hall.events == [.enter])
    }

    /// Identifiers follow from public facts: a client can publish those of events to come.
    @Test mutating func `an event that was published before its change suppresses nothing`() {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 7)
        let next = HouseEvent(.enter, of: "keys".utf8.fnv1a, change: 1, room: nil, time: nil)
        hall.hear(next, at: 7)
        hall.say(.inside, at: 8)
        #expect(hall.events == [.enter])
        #expect(hall.news.contains(.didEnterRegion(room: nil, isOwner: true)))
    }

    /// The forged exit came with its event still to come; the owner contradicted it and then died.
    @Test mutating func `a successor does not publish the event of a message that was contradicted`() {
        let owner = HouseAtHall.stronger
        hall.connect(at: 0, keeping: [HouseAtHall.message(.inside, of: 7, 5, change: 1, hearing: [owner])])
        hall.status(of: owner, found: true, at: 0)
        hall.pass(to: 5)
        var forged = HouseAtHall.message(.outside, of: 99, 6, change: 2)
        forged.isNews = true
        hall.hear(forged, at: 6)
        hall.hear(HouseAtHall.message(.inside, of: 7, 7, change: 1, hearing: [owner]), at: 6.1)
        hall.status(of: owner, isOnline: false, at: 10)
        hall.pass(to: 14)
        hall.say(.outside, at: 14)
        hall.pass(to: 50)
        #expect(hall.house.owner(of: "keys") == "hall")
        #expect(hall.events == [])
        #expect(!hall.news.contains(.didExitRegion(isOwner: true)))
    }

    @Test mutating func `a message with a copied version is replaced at once`() throws {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.inside, at: 4)
        hall.pass(to: 7)
        var copied = try #require(hall.written.last)
        copied.state = .outside
        hall.hear(copied, at: 9)
        hall.pass(to: 11)
        #expect(hall.written.map(\.state) == [.inside, .inside])
        #expect(hall.events == [])
    }

    /// The next owner waits for it as long as this one.
    @Test mutating func `a node that is missing after a break is waited for ninety seconds by the next owner too`() {
        let absent = HouseState.Hearing(node: "porch", isAbsent: true)
        hall.connect(
            at: 0,
            keeping: [
                HouseState(
                    state: .unknown, lastKnown: .inside, since: 0, hearing: [absent],
                    stamp: .init(sequence: 5, writer: 7))
            ])
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 60)
        #expect(hall.written.last?.state == .unknown)
        hall.say(.outside, at: 90)
        hall.pass(to: 110)
        #expect(hall.written.last?.state == .outside)
        #expect(hall.events == [.exit])
    }

    @Test mutating func `rooms that other clients invent take a bounded amount of memory`() {
        var rooms = RoomEstimator()
        for number in 0..<5000 {
            rooms.heard(by: "hall", in: "room \(number)", signal: -60, spread: 2, at: Int64(number) * 1_000_000_000)
        }
        #expect(rooms.roomCount <= 64)
        #expect(rooms.room != nil)
    }
}
