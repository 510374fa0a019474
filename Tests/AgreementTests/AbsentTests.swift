import RegionMonitoring
import Agreement
import Testing

/// All lose their connection with the broker, and come back one after another. A node that is back first does not have
/// the observations of others if the broker has lost them.
@Suite struct AbsentTests {
    private var hall = HouseAtHall()

    /// Two nodes; the beacon is inside at the other one, and was received in the hall a while ago. All of it is lost.
    private mutating func lose() {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.weaker, found: true, at: 0)
        hall.status(of: HouseAtHall.weaker, at: 0.5)
        hall.pass(to: 4)
        hall.say(.outside, age: 600, at: 4)
        hall.say(.inside, of: HouseAtHall.weaker, at: 4)
        hall.pass(to: 10)
        hall.disconnect(at: 20)
        hall.actions = []
    }

    @Test mutating func `a node that was present is waited for before anything is owned`() {
        lose()
        hall.connect(at: 30)
        hall.pass(to: 37)
        #expect(hall.house.owner(of: "keys") == nil)
        hall.status(of: HouseAtHall.weaker, at: 37)
        hall.pass(to: 38.9)
        #expect(hall.house.owner(of: "keys") == nil)
        hall.pass(to: 39)
        #expect(hall.house.owner(of: "keys") == "hall")
    }

    @Test mutating func `a node that does not come is waited for half a minute`() {
        lose()
        hall.connect(at: 30)
        hall.pass(to: 59.9)
        #expect(hall.house.owner(of: "keys") == nil)
        hall.pass(to: 60)
        #expect(hall.house.owner(of: "keys") == "hall")
    }

    /// A broker that was away for minutes: the other one tries again three quarters of a minute later.
    @Test mutating func `the observations of some nodes cause no exit`() {
        lose()
        hall.connect(at: 30)
        hall.pass(to: 60)
        hall.say(.outside, age: 660, at: 60)
        hall.pass(to: 74)
        #expect(hall.written.last?.state == .unknown)
        hall.say(.inside, of: HouseAtHall.weaker, at: 75)
        hall.status(of: HouseAtHall.weaker, at: 75)
        hall.pass(to: 80)
        #expect(hall.written.last?.state == .inside)
        #expect(hall.events == [])
    }

    /// The other node heard the beacon. Only its own report, or a command, ends the wait.
    @Test(arguments: [false, true]) mutating func `a node that heard the beacon is waited for`(isForgotten: Bool) {
        lose()
        hall.connect(at: 30)
        hall.pass(to: 60)
        hall.say(.outside, age: 660, at: 60)
        hall.pass(to: 80)
        if isForgotten { hall.actions += hall.house.forgotten(node: HouseAtHall.weaker, at: HouseAtHall.moment(80)) }
        hall.pass(to: 200)
        #expect(hall.written.last?.state == (isForgotten ? .outside : .unknown))
        #expect(hall.written.last?.waiting == (isForgotten ? [] : [HouseAtHall.weaker]))
        #expect(hall.events == [])
    }

    /// The other node may have heard the beacon since: it is waited for until it had time to connect.
    @Test mutating func `a node that did not hear the beacon is waited for ninety seconds`() {
        hall.connect(at: 0)
        hall.status(of: HouseAtHall.weaker, found: true, at: 0)
        hall.status(of: HouseAtHall.weaker, at: 0.5)
        hall.pass(to: 4)
        hall.say(.inside, at: 4)
        hall.say(.outside, of: HouseAtHall.weaker, at: 4)
        hall.pass(to: 10)
        hall.disconnect(at: 20)
        hall.actions = []
        hall.connect(at: 30)
        hall.pass(to: 60)
        hall.say(.outside, at: 60)
        hall.pass(to: 80)
        #expect(hall.written.last?.state == .unknown)
        #expect(hall.written.last?.waiting == [HouseAtHall.weaker])
        hall.pass(to: 119.9)
        #expect(hall.written.last?.state == .unknown)
        hall.pass(to: 120)
        #expect(hall.written.last?.state == .outside)
        #expect(hall.events == [.exit])
    }

    /// The broker has its earlier observation: it was outside.
    @Test mutating func `retained messages need no node's return`() {
        lose()
        hall.connect(at: 30)
        hall.pass(to: 60)
        let observation = Observation(state: .outside, age: 5, incarnation: "\(HouseAtHall.weaker)-1", sequence: 9)
        hall.actions += hall.house.observationReceived(
            node: HouseAtHall.weaker, region: "keys", observation, isRetained: true, at: HouseAtHall.moment(60))
        hall.say(.outside, age: 660, at: 60)
        hall.pass(to: 80)
        #expect(hall.written.last?.state == .outside)
    }
}
