import Testing

@testable import Agreement

/// What the house agreed on before is brought again by brokers that were cut off, and by one that has lost its latest data.
@Suite struct OutdatedTests {
    private var house = House(node: "hall", incarnation: "hall-1", regions: ["keys"])
    private var actions: [HouseAction] = []
    private var sequence: UInt64 = 0

    private static func moment(_ seconds: Double) -> Moment {
        Moment(instant: Int64(seconds * 1e9), wall: Int64(seconds * 1e9))
    }

    /// A state as an owner of another node wrote it.
    private static func word(_ state: SightState, of writer: UInt64, _ sequence: UInt64) -> HouseState {
        HouseState(
            state: state, since: Int64(sequence) * 1_000_000_000, stamp: .init(writer: writer, sequence: sequence))
    }

    private mutating func connect(at seconds: Double, keeping states: [HouseState] = []) {
        actions += house.connected(at: Self.moment(seconds))
        for state in states { hear(state, found: true, at: seconds) }
        actions += house.statusReceived(
            node: "hall", isOnline: true, wasRetained: false, at: Self.moment(seconds))
    }

    private mutating func hear(_ state: HouseState, found: Bool = false, at seconds: Double) {
        actions += house.stateReceived(region: "keys", state, wasRetained: found, at: Self.moment(seconds))
    }

    private mutating func say(_ state: SightState, at seconds: Double) {
        sequence += 1
        let sight = Sight(state: state, age: 1, incarnation: "hall-1", sequence: sequence)
        actions += house.sightReceived(
            node: "hall", region: "keys", sight, wasRetained: false, at: Self.moment(seconds))
    }

    private mutating func pass(to seconds: Double) {
        while let due = house.nextDeadline, due <= Self.moment(seconds).instant {
            actions += house.advanced(to: Moment(instant: due, wall: due))
        }
    }

    private var written: [HouseState] {
        actions.compactMap { if case .publishState("keys", let state) = $0 { state } else { nil } }
    }

    private var news: [HouseHappening] {
        actions.compactMap { if case .happened("keys", let news, _) = $0 { news } else { nil } }
    }

    @Test mutating func aWordThatAnotherHasReplacedIsNoNews() {
        connect(at: 0)
        hear(Self.word(.outside, of: 7, 5), at: 1)
        hear(Self.word(.inside, of: 7, 6), at: 2)
        let told = news
        #expect(told.contains(.didEnterRegion(room: nil)))
        hear(Self.word(.outside, of: 7, 5), at: 2.5)
        #expect(news == told && house.state(of: "keys")?.state == .inside)
    }

    /// The other side of a bridge has what was written there before the cut, by who was the owner then.
    @Test mutating func aWordThatAnotherOwnerHasReplacedIsNoNewsEither() {
        connect(at: 0)
        hear(Self.word(.outside, of: 7, 5), at: 1)
        hear(Self.word(.inside, of: 9, 1), at: 2)
        let told = news
        hear(Self.word(.outside, of: 7, 5), at: 2.5)
        #expect(news == told && house.state(of: "keys")?.state == .inside)
    }

    @Test mutating func itsOwnerWritesAgainWhatTheBrokerHasLost() throws {
        connect(at: 0)
        pass(to: 4)
        say(.outside, at: 4)
        pass(to: 7)
        say(.inside, at: 8)
        let states = written
        #expect(states.map(\.state) == [.outside, .inside])
        for state in states { hear(state, at: 8.1) }
        hear(try #require(states.first), at: 20)
        #expect(written.map(\.state) == [.outside, .inside, .inside])
        #expect(Set(written.compactMap(\.stamp)).count == 3)
        // Its own word comes back, and that is all.
        hear(try #require(written.last), at: 20.1)
        #expect(written.count == 3)
        #expect(news.count { $0 == .didExitRegion } == 0)
    }

    /// A power cut at the broker, which saves its data every half an hour.
    @Test mutating func whoCameBeforeABrokerLostItDoesNotComeAgain() {
        connect(at: 0)
        pass(to: 4)
        say(.outside, at: 4)
        pass(to: 7)
        say(.inside, at: 8)
        for state in written { hear(state, at: 8.1) }
        let old = written.prefix(1)
        actions += house.disconnected(at: Self.moment(30))
        connect(at: 31, keeping: Array(old))
        pass(to: 35)
        say(.inside, at: 35)
        pass(to: 40)
        #expect(written.last?.state == .inside)
        #expect(news.count { $0 == .didEnterRegion(room: nil) } == 1)
        #expect(news.count { $0 == .didExitRegion } == 0)
    }

    /// A word without a stamp is believed: it may be of an older Okaeri, or of a person with mosquitto_pub.
    @Test mutating func aWordThatNobodyStampedCounts() {
        connect(at: 0)
        hear(Self.word(.inside, of: 7, 6), at: 1)
        hear(HouseState(state: .outside, since: 0), at: 2)
        #expect(house.state(of: "keys")?.state == .outside)
    }
}
