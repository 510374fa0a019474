import Agreement
import Plumbing
import RegionMonitoring
import Testing

/// An owner that was suspended, and a node that was silent, return while the others went on.
@Suite struct ReturningNodeTests {
    private var hall = HouseAtHall()

    @Test mutating func `an owner that stands down keeps the message that replaced its own`() throws {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 14)
        let version = try #require(hall.written.last).stamp.sequence
        #expect(hall.house.state(of: "keys")?.state == .outside)
        hall.status(of: HouseAtHall.stronger, at: 15)
        hall.hear(HouseAtHall.message(.unknown, of: 7, version + 1), at: 16)
        hall.hear(HouseAtHall.message(.unknown, of: 7, version + 3), at: 16.5)
        hall.pass(to: 18)
        #expect(hall.house.owner(of: "keys") == HouseAtHall.stronger)
        #expect(hall.house.state(of: "keys")?.state == .unknown)
        #expect(hall.events == [])
    }

    @Test mutating func `an owner that was suspended for seconds listens before it announces an event`() {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 10)
        // Another node can connect and own the region in this time.
        let arrival = Observation(state: .inside, age: 1, incarnation: "hall-1", sequence: 99)
        hall.actions += hall.house.observationReceived(
            node: "hall", region: "keys", arrival, isRetained: false, at: HouseAtHall.moment(15.5))
        #expect(hall.events == [])
        hall.pass(to: 22)
        #expect(hall.events == [.enter])
    }

    @Test mutating func `a message names its event until the event was delivered`() throws {
        hall.connect(at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        hall.pass(to: 7)
        hall.say(.inside, at: 8)
        // Another node that hears the beacon: the first message may be replaced before it was sent.
        hall.say(.inside, of: HouseAtHall.weaker, at: 8.1)
        hall.status(of: HouseAtHall.weaker, at: 8.1)
        #expect(hall.written.map(\.isNews) == [false, true, true])
        hall.hear(try #require(hall.sent.last), at: 8.2)
        #expect(hall.written.map(\.isNews) == [false, true, true, false])
        #expect(hall.events == [.enter])
    }

    @Test mutating func `an observation counts again when its silent node refreshes its status`() throws {
        let names = (0..<99).map { "n\($0)" }
        func owner(of region: String, beside name: String) -> String? {
            Ownership.owner(of: region, among: ["hall", name])
        }
        // This node owns the region, and another one the house, so that no one publishes that the third is offline.
        let hub = try #require(
            names.first { owner(of: "keys", beside: $0) == "hall" && owner(of: Ownership.hub, beside: $0) == $0 })
        let silent = try #require(names.first { $0 != hub && owner(of: "keys", beside: $0) == "hall" })
        hall.connect(at: 0)
        hall.status(of: hub, found: true, at: 0)
        hall.status(of: silent, found: true, at: 0)
        hall.pass(to: 4)
        hall.say(.outside, at: 4)
        for refresh in [100.0, 300] {
            hall.pass(to: refresh)
            hall.status(of: hub, at: refresh)
            hall.status(of: "hall", at: refresh)
            hall.say(.outside, at: refresh)
        }
        hall.pass(to: 400)
        #expect(hall.house.online(at: HouseAtHall.moment(400).instant) == ["hall", hub].sorted())
        hall.say(.unknown, of: silent, at: 400)
        #expect(hall.house.state(of: "keys")?.state == .outside)
        hall.status(of: silent, at: 401)
        #expect(hall.house.state(of: "keys")?.state == .unknown)
    }
}
