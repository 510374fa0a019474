import Agreement
import Plumbing
import RegionMonitoring
import Testing

/// An owner announces an event when the broker delivers the message that names it. So of two owners one announces it.
@Suite struct AnnouncementTests {
    private var hall = HouseAtHall()

    /// The owner has written that the beacon entered, and the broker has not delivered the message.
    ///
    /// - Parameter other: the time at which another node comes online.
    private mutating func enter(with other: Double? = nil) throws -> HouseState {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        if let other { hall.status(of: HouseAtHall.weaker, at: other) }
        hall.pass(to: 7)
        hall.isDelivering = false
        hall.say(.inside, at: 8)
        #expect(hall.house.state(of: "keys")?.state == .inside)
        #expect(hall.events == [])
        #expect(!hall.news.contains(.didDetermineState(.inside)))
        return try #require(hall.written.last)
    }

    private var acts: Int {
        hall.news.count { if case .didEnterRegion(_, isOwner: true) = $0 { true } else { false } }
    }

    /// The message of another owner, with the same event.
    private func other(_ state: HouseState, later: UInt64 = 0, isNews: Bool = true) -> HouseState {
        HouseState(
            state: .inside, since: nil, change: state.change + later, isNews: isNews,
            stamp: .init(sequence: state.stamp.sequence, writer: 7))
    }

    @Test mutating func `an event is announced when the broker delivers its message`() throws {
        let state = try enter()
        hall.hear(state, at: 8.2)
        #expect(hall.events == [.enter] && acts == 1)
        hall.hear(state, at: 8.3)
        #expect(hall.events == [.enter] && acts == 1)
    }

    @Test mutating func `an event whose message another owner wrote before is left to that owner`() throws {
        let state = try enter()
        hall.hear(other(state), at: 8.1)
        hall.hear(state, at: 8.2)
        #expect(hall.events == [] && acts == 0)
        #expect(hall.news.contains(.didEnterRegion(room: nil, isOwner: false)))
        let event = try #require(identifier(of: state))
        hall.hear(event, at: 8.3)
        hall.isDelivering = true
        hall.pass(to: 40)
        #expect(hall.events == [] && acts == 0)
    }

    @Test mutating func `an event that the other owner does not announce is announced after six seconds`() throws {
        let state = try enter()
        hall.hear(other(state), at: 8.1)
        hall.hear(state, at: 8.2)
        hall.isDelivering = true
        hall.pass(to: 14)
        #expect(hall.events == [])
        hall.pass(to: 14.2)
        #expect(hall.events == [.enter] && acts == 1)
    }

    @Test mutating func `an event without an answer of the broker is announced after ten seconds`() throws {
        _ = try enter()
        hall.pass(to: 17.9)
        #expect(hall.events == [])
        hall.pass(to: 18)
        #expect(hall.events == [.enter] && acts == 1)
    }

    /// Another node announced it, and published the message without the news.
    @Test mutating func `an event is not announced if the own message does not name it any more`() throws {
        var state = try enter()
        hall.disconnect(at: 8.1)
        (state.isNews, state.isRestored) = (false, true)
        hall.connect(at: 20, keeping: [state])
        hall.pass(to: 100)
        #expect(hall.events == [] && acts == 0)
    }

    /// Another process of the same name may have written the message again meanwhile.
    @Test(arguments: [true, false]) mutating func `an event is announced over the next connection`(isOwn: Bool) throws {
        let state = try enter()
        hall.disconnect(at: 8.1)
        hall.pass(to: 20)
        #expect(hall.events == [])
        var retained = isOwn ? state : other(state)
        if !isOwn { retained.stamp.sequence += 1 }
        hall.connect(at: 20, keeping: [retained])
        #expect(hall.events == [.enter] && acts == 1)
        // The next owner must not announce it again, even if this one stops before it owns the region.
        let count = hall.written.count
        hall.hear(try #require(hall.sent.last), at: 20)
        let message = try #require(hall.written.last)
        #expect(hall.written.count == count + 1 && message.isRestored && !message.isNews)
    }

    @Test(arguments: [nil, 4, 6.5]) mutating func `an event is left to another node that was there and wrote meanwhile`(
        other: Double?
    ) throws {
        let isAlone = other == nil
        let state = try enter(with: other)
        hall.disconnect(at: 8.1)
        hall.isDelivering = true
        hall.connect(at: 20, keeping: [self.other(state)])
        if !isAlone { hall.hear(try #require(identifier(of: state)), at: 26) }
        hall.pass(to: 100)
        #expect(hall.events == (isAlone ? [.enter] : []) && acts == (isAlone ? 1 : 0))
        #expect(hall.news.contains(.didEnterRegion(room: nil, isOwner: isAlone)))
    }

    @Test mutating func `an event of a process that hung for minutes is left to a node that was there`() throws {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.weaker, found: true, at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 7)
        hall.isDelivering = false
        hall.say(.inside, at: 8)
        let state = try #require(hall.written.last)
        // The retained status is not valid for so long.
        hall.disconnect(at: 400)
        hall.isDelivering = true
        hall.connect(at: 401, keeping: [other(state)])
        hall.hear(try #require(identifier(of: state)), at: 410)
        hall.pass(to: 500)
        #expect(state.state == .inside && hall.events == [] && acts == 0)
    }

    /// The process hung for minutes, and a node came that it did not know.
    @Test(arguments: [true, false])
    mutating func `an event is not announced again if the message does not name it any more`(
        isNews: Bool
    ) throws {
        let state = try enter()
        hall.disconnect(at: 400)
        hall.isDelivering = true
        hall.connect(at: 400, keeping: [other(state, isNews: isNews)])
        hall.pass(to: 500)
        #expect(hall.events == (isNews ? [.enter] : []) && acts == (isNews ? 1 : 0))
    }

    /// The node that wrote it stopped.
    @Test(arguments: [true, false]) mutating func `the next owner names an event until a node has announced it`(
        isRetained: Bool
    ) throws {
        let stronger = HouseAtHall.stronger
        let enter = HouseState(
            state: .inside, since: nil, change: 1, isNews: true, stamp: .init(sequence: 2, writer: stronger.utf8.fnv1a))
        hall.connect(at: 0, keeping: isRetained ? [enter] : [])
        hall.status(of: stronger, at: 0)
        if !isRetained {
            hall.hear(HouseAtHall.message(.outside, of: stronger.utf8.fnv1a, 1), at: 4)
            hall.hear(enter, at: 8)
        }
        hall.status(of: stronger, isOnline: false, at: 8.5)
        hall.say(.unknown, at: 9)
        hall.pass(to: 13)
        #expect(hall.written.map(\.isNews) == [true] && hall.events == [])
        hall.pass(to: 13.9)
        #expect(hall.events == [])
        hall.pass(to: 200)
        // Any client may have written a message that was found.
        #expect(hall.events == (isRetained ? [] : [.enter]))
        let event = try #require(identifier(of: enter))
        hall.hear(event, at: 200)
        #expect(hall.written.map(\.isNews) == [true, false])
    }

    @Test
    mutating func `a next owner that knows no state yet publishes the message without the news that it announced`()
        throws
    {
        let stronger = HouseAtHall.stronger
        let writer = stronger.utf8.fnv1a
        hall.connect(at: 0)
        hall.status(of: stronger, at: 0)
        hall.hear(HouseAtHall.message(.outside, of: writer, 1), at: 4)
        hall.hear(
            HouseState(state: .inside, since: nil, change: 1, isNews: true, stamp: .init(sequence: 2, writer: writer)),
            at: 8)
        hall.status(of: HouseAtHall.weaker, at: 8.2)
        hall.status(of: stronger, isOnline: false, at: 8.5)
        // It may be alive, and inside.
        hall.act(at: 9) {
            $0.observationReceived(
                node: HouseAtHall.weaker, region: "keys",
                Observation(state: .inside, age: 1, incarnation: "1", sequence: 1), isRetained: true, at: $1)
        }
        hall.say(.unknown, at: 9)
        hall.pass(to: 14.2)
        #expect(hall.events == [.enter] && hall.written == [])
        hall.hear(try #require(hall.sent.last), at: 14.2)
        let message = try #require(hall.written.last)
        #expect(message.isRestored && !message.isNews && message.stamp == .init(sequence: 2, writer: writer))
    }

    /// The process hung for minutes.
    @Test mutating func `an event is not announced behind later ones of a node that came meanwhile`() throws {
        let state = try enter()
        hall.disconnect(at: 8.1)
        hall.isDelivering = true
        hall.connect(at: 20, keeping: [other(state, later: 2)])
        hall.pass(to: 100)
        #expect(hall.events == [] && acts == 0)
    }

    @Test mutating func `an event of a node that does not receive is left to the node that took over`() throws {
        let state = try enter(with: 4)
        hall.disconnect(at: 8.1)
        hall.act(at: 20) { $0.connected(at: $1) }
        hall.pass(to: 100)
        #expect(hall.events == [] && acts == 0)
        hall.hear(other(state), found: true, at: 100)
        hall.isDelivering = true
        hall.act(at: 100) { $0.nodeDescribed(node: "hall", room: nil, regions: nil, isRetained: false, at: $1) }
        hall.hear(try #require(identifier(of: state)), at: 110)
        hall.pass(to: 200)
        #expect(hall.events == [] && acts == 0)
    }

    /// The node that took over only found the event in the message.
    @Test mutating func `an event that the node that took over names for a minute is announced`() throws {
        let state = try enter(with: 4)
        hall.disconnect(at: 8.1)
        hall.isDelivering = true
        hall.connect(at: 20, keeping: [other(state)])
        hall.pass(to: 89)
        #expect(hall.events == [])
        hall.pass(to: 91)
        #expect(hall.events == [.enter] && acts == 1)
    }

    @Test mutating func `an event of a node that stopped is kept for a minute without a connection`() throws {
        let stronger = HouseAtHall.stronger
        let enter = HouseState(
            state: .inside, since: nil, change: 1, isNews: true, stamp: .init(sequence: 2, writer: stronger.utf8.fnv1a))
        hall.connect(at: 0)
        hall.status(of: stronger, at: 0)
        hall.hear(HouseAtHall.message(.outside, of: stronger.utf8.fnv1a, 1), at: 4)
        hall.hear(enter, at: 8)
        hall.disconnect(at: 60)
        hall.pass(to: 110)
        hall.connect(at: 110, keeping: [enter])
        hall.status(of: stronger, found: true, at: 110)
        hall.pass(to: 200)
        #expect(hall.events == [.enter] && acts == 1)
    }

    /// It came after the message, which hall received with one such node alone.
    @Test mutating func `an event is left for six seconds to each node that owns the region before this one`() throws {
        let stronger = (0..<20).map { "node\($0)" }.filter { Ownership.owner(of: "keys", among: ["hall", $0]) == $0 }
        let (first, second) = (try #require(stronger.first), try #require(stronger.dropFirst().first))
        hall.connect(at: 0)
        hall.status(of: first, at: 0)
        hall.hear(HouseAtHall.message(.outside, of: first.utf8.fnv1a, 1), at: 4)
        hall.hear(
            HouseState(
                state: .inside, since: nil, change: 1, isNews: true,
                stamp: .init(sequence: 2, writer: first.utf8.fnv1a)), at: 8)
        hall.status(of: second, at: 10)
        hall.pass(to: 79)
        #expect(hall.events == [])
        hall.pass(to: 81)
        #expect(hall.events == [.enter] && acts == 1)
    }

    /// The message that the broker delivers once the owner has stopped. Another node, which owns the region next, is online.
    enum Taken: CaseIterable { case named, nothing, announced, copied }

    @Test(arguments: Taken.allCases)
    mutating func `a follower announces an event that the message names for a minute`(taken: Taken) throws {
        let stronger = HouseAtHall.stronger
        let next = try #require(
            ["loft", "cellar", "porch", "garage", "study"].first {
                Ownership.owner(of: "keys", among: ["hall", $0]) == $0
            })
        let message = { (isNews: Bool, writer: String, sequence: UInt64, isRestored: Bool) in
            HouseState(
                state: .inside, since: nil, change: 1, isNews: isNews,
                stamp: .init(sequence: sequence, writer: writer.utf8.fnv1a), isRestored: isRestored)
        }
        hall.connect(at: 0)
        hall.status(of: stronger, at: 0)
        hall.hear(HouseAtHall.message(.outside, of: stronger.utf8.fnv1a, 1), at: 4)
        hall.hear(message(true, stronger, 2, false), at: 8)
        hall.status(of: next, at: 8.1)
        hall.status(of: stronger, isOnline: false, at: 8.2)
        switch taken {
        case .named: hall.hear(message(true, next, 3, false), at: 14)
        case .announced: hall.hear(message(false, next, 3, false), at: 14)
        case .copied: hall.hear(message(false, stronger, 2, true), at: 14)
        case .nothing: break
        }
        // The next owner refreshes its status.
        hall.status(of: next, at: 60)
        // One node owned the region before this one: it waits six seconds longer.
        hall.pass(to: 73.9)
        #expect(hall.events == [])
        hall.pass(to: 200)
        #expect(hall.house.owner(of: "keys") == next)
        let isNamed = taken == .named || taken == .nothing
        #expect(hall.events == (isNamed ? [.enter] : []) && acts == (isNamed ? 1 : 0))
        guard isNamed else { return }
        // No other node announces it again.
        hall.hear(try #require(hall.sent.last), at: 200)
        #expect(hall.written.map(\.isNews) == [false] && hall.written.last?.isRestored == true)
        // A client that names the event again makes the owner write, and not each of hundreds of followers.
        hall.hear(message(true, next, 4, false), at: 201)
        hall.hear(try #require(hall.sent.last), at: 202)
        #expect(hall.written.count == 1)
    }

    /// The event came before the message that the broker retains, and the message once more behind it.
    @Test(arguments: [true, false]) mutating func `a next owner names no event that another node's copy does not name`(
        isNews: Bool
    ) throws {
        let enter = HouseState(
            state: .inside, since: nil, change: 1, isNews: true, stamp: .init(sequence: 2, writer: 7))
        var copy = enter
        (copy.isNews, copy.isRestored) = (isNews, true)
        hall.connect(at: 0, keeping: [enter])
        hall.hear(copy, at: 0.1)
        hall.say(.inside, at: 4)
        hall.pass(to: 20)
        #expect(hall.written.last?.isNews == isNews && hall.events == [])
    }

    @Test mutating func `without a connection an event is announced after a minute`() throws {
        let state = try enter()
        hall.disconnect(at: 8.1)
        hall.pass(to: 67.9)
        #expect(hall.events == [])
        hall.pass(to: 68)
        #expect(hall.events == [.enter] && acts == 1)
        // Without a connection for a minute more, the client drops it: the next owner must not announce it after hours.
        hall.isDelivering = true
        hall.connect(at: 600, keeping: [state])
        hall.say(.inside, at: 604)
        hall.pass(to: 620)
        #expect(hall.written.last?.isNews == false && hall.events == [.enter])
    }

    /// The process was suspended. The next owner has announced the event, and its message waits behind the own one.
    @Test mutating func `an owner that was suspended announces no event that the next owner announced`() throws {
        let state = try enter()
        for state in [state, other(state)] {
            hall.act(at: 16) { $0.stateReceived(region: "keys", state, isRetained: false, at: $1) }
        }
        hall.isDelivering = true
        hall.pass(to: 60)
        #expect(hall.events == [] && acts == 0)
    }

    @Test mutating func `an owner that was suspended announces its event if no node did`() throws {
        let state = try enter()
        hall.act(at: 16) { $0.stateReceived(region: "keys", state, isRetained: false, at: $1) }
        hall.isDelivering = true
        #expect(hall.events == [])
        hall.pass(to: 20)
        #expect(hall.events == [.enter] && acts == 1)
    }

    /// The message that the broker retains at the end of a break. At its beginning the owner had written a message and stopped.
    enum Found: CaseIterable { case news, newsOfStopped, announced, another, later, newsAndItsOwner }

    @Test(arguments: Found.allCases)
    mutating func `an event that is news still after a break is announced after a minute`(
        found: Found
    ) {
        let stronger = HouseAtHall.stronger
        hall.connect(at: 0)
        hall.status(of: stronger, at: 0)
        hall.hear(HouseAtHall.message(.outside, of: stronger.utf8.fnv1a, 1), at: 4)
        let message = { (isNews: Bool, writer: String, sequence: UInt64) in
            HouseState(
                state: .inside, since: nil, change: 1, isNews: isNews,
                stamp: .init(sequence: sequence, writer: writer.utf8.fnv1a))
        }
        hall.hear(message(true, stronger, 2), at: 8)
        #expect(hall.news.contains(.didEnterRegion(room: nil, isOwner: false)))
        // This node is the next owner already.
        if found == .newsOfStopped { hall.status(of: stronger, isOnline: false, at: 8.05) }
        hall.disconnect(at: 8.1)
        let kept =
            switch found {
            case .news, .newsOfStopped: message(true, stronger, 3)
            case .newsAndItsOwner: message(true, stronger, 2)
            case .announced: message(false, stronger, 3)
            case .another: message(true, "zoo", 3)
            case .later:
                HouseState(
                    state: .outside, since: nil, change: 2, isNews: true,
                    stamp: .init(sequence: 3, writer: stronger.utf8.fnv1a))
            }
        hall.connect(at: 10, keeping: [kept])
        if found == .newsAndItsOwner {
            hall.status(of: stronger, at: 11)
            hall.status(of: stronger, isOnline: false, at: 12)
        }
        hall.pass(to: 79)
        #expect(hall.events == [])
        hall.pass(to: 81)
        let expected: [HouseEvent.Kind] =
            switch found {
            case .news, .newsOfStopped, .newsAndItsOwner, .another: [.enter]
            case .later, .announced: []
            }
        #expect(hall.events == expected)
    }

    @Test(arguments: [true, false]) mutating func `an event that was only found is announced before the next one`(
        isNews: Bool
    ) {
        let exit = HouseState(
            state: .outside, since: nil, change: 1, isNews: isNews, stamp: .init(sequence: 2, writer: 7))
        hall.connect(at: 0, keeping: [exit])
        hall.say(.outside, at: 4)
        hall.pass(to: 200)
        #expect(hall.events == [])
        hall.say(.inside, at: 200)
        #expect(hall.events == (isNews ? [.exit, .enter] : [.enter]))
        hall.say(.outside, at: 210)
        #expect(hall.events.suffix(2) == [.enter, .exit])
    }

    @Test mutating func `an event that was kept over a break is announced before the next one`() {
        let stronger = HouseAtHall.stronger
        hall.connect(at: 0)
        hall.status(of: stronger, at: 0)
        hall.hear(HouseAtHall.message(.inside, of: stronger.utf8.fnv1a, 1), at: 4)
        let exit = HouseState(
            state: .outside, since: nil, change: 1, isNews: true,
            stamp: .init(sequence: 2, writer: stronger.utf8.fnv1a))
        hall.hear(exit, at: 8)
        hall.disconnect(at: 8.1)
        hall.connect(at: 10, keeping: [exit])
        hall.pass(to: 60)
        hall.say(.outside, at: 60)
        hall.say(.inside, at: 70)
        #expect(hall.events == [.exit, .enter])
    }

    /// The event of a state, as another node determines it.
    private func identifier(of state: HouseState) -> HouseEvent? {
        var other = HouseAtHall()
        other.connect(at: 0)
        other.pass(to: 4)
        other.say(.outside, at: 4)
        other.pass(to: 7)
        other.say(.inside, at: 8)
        return other.sent.last
    }
}
