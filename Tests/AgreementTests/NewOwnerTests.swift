import Plumbing
import RegionMonitoring
import Agreement
import Testing

/// A node that connects, and one that comes to own a region, write nothing before they have what the broker keeps for them.
@Suite struct NewOwnerTests {
    private var house = HouseReplica(node: "attic", incarnation: "attic-1", regions: ["keys"])
    private var published: [HouseAction] = []

    private static func moment(_ seconds: Double) -> Moment {
        Moment(instant: Int64(seconds * 1e9), wall: Int64(seconds * 1e9))
    }

    private static func observation(_ state: RegionState, _ incarnation: String) -> Observation {
        Observation(state: state, age: 2, incarnation: incarnation, sequence: 1)
    }

    /// A node beside which attic owns the region.
    private static let hall = ["hall", "shed", "barn", "yard"].first { name in
        Ownership.owner(of: "keys", among: ["attic", name]) == "attic"
    }

    private mutating func advance(to seconds: Double) {
        while let due = house.nextDeadline, due <= Self.moment(seconds).instant {
            published += house.advanced(to: Moment(instant: due, wall: due))
        }
        published += house.advanced(to: Self.moment(seconds))
    }

    private mutating func status(of name: String, isRetained: Bool, at seconds: Double) {
        advance(to: seconds)
        if name == house.node, !isRetained {
            published += house.nodeDescribed(
                node: name, room: nil, regions: nil, isRetained: false, at: Self.moment(seconds))
        }
        published += house.statusReceived(
            node: name, isOnline: true, isRetained: isRetained, at: Self.moment(seconds))
    }

    private mutating func say(_ state: RegionState, of name: String, isRetained: Bool, at seconds: Double) {
        advance(to: seconds)
        published += house.observationReceived(
            node: name, region: "keys", Self.observation(state, name), isRetained: isRetained, at: Self.moment(seconds))
    }

    private var states: [RegionState] {
        published.compactMap { if case .publishState(_, let state) = $0 { state.state } else { nil } }
    }

    @Test mutating func `a node owns no region before its own status came back`() {
        published += house.connected(at: Self.moment(0))
        advance(to: 20)
        #expect(house.owner(of: "keys") == nil)
        // The broker had much to deliver before it.
        for (index, name) in ["hall", "kitchen"].enumerated() {
            status(of: name, isRetained: true, at: 21 + Double(index))
        }
        status(of: "attic", isRetained: false, at: 23)
        advance(to: 24.9)
        #expect(house.owner(of: "keys") == nil)
        advance(to: 25)
        #expect(house.owner(of: "keys") == Ownership.owner(of: "keys", among: ["attic", "hall", "kitchen"]))
    }

    /// The broker accepts its messages, and a rule on topics drops what it should deliver.
    @Test mutating func `a node that receives nothing is not online and owns nothing`() {
        published += house.connected(at: Self.moment(0))
        advance(to: 100)
        #expect(house.owner(of: "keys") == nil)
        #expect(!published.contains(.publishOnline))
        #expect(house.isUnreadable(at: Self.moment(100).instant))
        #expect(published.count { $0 == .subscribeAgain } == 3)
        status(of: "attic", isRetained: false, at: 101)
        #expect(published.contains(.publishOnline))
        advance(to: 104)
        #expect(house.owner(of: "keys") == "attic")
    }

    @Test mutating func `an owner publishes nothing before its own observation came back behind the others`() throws {
        let hall = try #require(Self.hall)
        published += house.connected(at: Self.moment(0))
        status(of: hall, isRetained: true, at: 0.1)
        status(of: "attic", isRetained: false, at: 0.2)
        advance(to: 3)
        let subscribed = published.firstIndex(of: .subscribe(region: "keys"))
        let repeated = published.firstIndex(of: .repeatObservation(region: "keys"))
        #expect(try #require(subscribed) < #require(repeated))
        say(.outside, of: "attic", isRetained: true, at: 3.1)
        // The broker is slow: the word of the one that hears the beacon comes seconds later.
        say(.inside, of: hall, isRetained: true, at: 7)
        say(.outside, of: "attic", isRetained: false, at: 7.1)
        #expect(states == [])
        published += house.observationReceived(
            node: hall, region: "keys", Observation(state: .inside, age: 0, incarnation: hall, sequence: 2),
            isRetained: false, at: Self.moment(8))
        #expect(states == [.inside])
    }

    @Test mutating func `an owner waits for the retained observations that follow its own published one`() throws {
        let hall = try #require(Self.hall)
        published += house.connected(at: Self.moment(0))
        status(of: hall, isRetained: true, at: 0.1)
        status(of: "attic", isRetained: false, at: 0.2)
        say(.outside, of: "attic", isRetained: false, at: 4)
        advance(to: 7)
        #expect(states == [])
        say(.unknown, of: hall, isRetained: true, at: 7)
        say(.outside, of: "attic", isRetained: true, at: 7.1)
        advance(to: 7.2)
        #expect(states == [.unknown])
    }

    @Test mutating func `an owner whose observation never comes back publishes after a while`() {
        published += house.connected(at: Self.moment(0))
        status(of: "attic", isRetained: false, at: 0.2)
        advance(to: 3)
        #expect(house.owner(of: "keys") == "attic")
        advance(to: 12.9)
        #expect(states == [])
        advance(to: 13)
        #expect(states == [.unknown])
    }

    /// It does not have the observations yet, so the region must not be outside.
    @Test mutating func `a node whose adapter receives again counts again`() throws {
        let hall = try #require(Self.hall)
        published += house.connected(at: Self.moment(0))
        status(of: hall, isRetained: true, at: 0.1)
        published += house.scannerReceived(node: hall, isScanning: false, isRetained: true, at: Self.moment(0.1))
        status(of: "attic", isRetained: false, at: 0.2)
        say(.unknown, of: hall, isRetained: true, at: 3.1)
        say(.outside, of: "attic", isRetained: true, at: 3.1)
        say(.outside, of: "attic", isRetained: false, at: 3.2)
        advance(to: 6)
        #expect(states == [.outside])
        published += house.scannerReceived(node: hall, isScanning: true, isRetained: false, at: Self.moment(8))
        #expect(states == [.outside, .unknown])
    }
}
