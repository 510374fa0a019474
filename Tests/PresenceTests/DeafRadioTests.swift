import OkaeriTestSupport
import Testing

/// A controller that answers commands and receives nothing, from its first silence to the region's state.
@Suite struct DeafRadioTests {
    private var household = Household()

    /// Learns what is in the air while the person is away, then the person comes home.
    private mutating func comeHome(with air: Set<Household.Device>) {
        household.air = air
        household.pass(90)
        household.air.insert(.beacon)
        household.pass(60)
        #expect(household.events() == ["unknown", "poweredOn", "outside", "enter", "inside"])
    }

    @Test mutating func `a deaf controller among neighbours is repaired, and the person stays inside`() {
        comeHome(with: [.neighbour])
        household.isDeaf = true
        household.pass(120)
        #expect(household.powerCycles == 1)
        // Switched off and on, then working; no region changes.
        #expect(household.events() == ["poweredOn", "poweredOn"])
        household.air = [.neighbour]
        household.pass(31)
        #expect(household.events() == ["exit", "outside"])
    }

    @Test mutating func `a controller that stays deaf makes the state unknown, and not outside`() {
        comeHome(with: [.neighbour])
        (household.isDeaf, household.doesPowerCycleHelp) = (true, false)
        household.pass(45)
        #expect(household.events() == ["poweredOn", "poweredOn", "resetting", "unknown"])
        household.pass(7200)
        #expect(household.powerCycles == 1)
        #expect(household.events() == [])
        household.isDeaf = false
        household.pass(3)
        #expect(household.events() == ["poweredOn", "inside"])
    }

    @Test mutating func `a person who left while the controller was deaf is outside after the recovery`() {
        comeHome(with: [.neighbour])
        (household.isDeaf, household.doesPowerCycleHelp) = (true, false)
        household.pass(300)
        household.air = [.neighbour]
        household.isDeaf = false
        _ = household.events()
        household.pass(60)
        #expect(household.events() == ["poweredOn", "exit", "outside"])
    }

    @Test mutating func `a deaf controller with connections is not switched off, and the state is unknown`() {
        comeHome(with: [.neighbour])
        (household.isDeaf, household.hasConnections) = (true, true)
        household.pass(45)
        #expect(household.events() == ["resetting", "unknown"])
        household.hasConnections = false
        household.pass(200)
        #expect(household.powerCycles == 1)
        #expect(household.events().last == "inside")
    }

    @Test mutating func `in lonely air a person leaves at the usual time, and one power cycle changes no state`() {
        comeHome(with: [])
        household.air = []
        household.pass(29)
        #expect(household.events() == [])
        household.pass(2)
        #expect(household.events() == ["exit", "outside"])
        household.pass(7200)
        #expect(household.powerCycles == 1)
        #expect(household.events() == ["poweredOn", "poweredOn"])
    }

    @Test mutating func `a person leaves at the usual time while neighbours are received`() {
        comeHome(with: [.neighbour])
        household.air = [.neighbour]
        household.pass(31)
        #expect(household.events() == ["exit", "outside"])
        household.pass(7200)
        #expect(household.powerCycles == 0)
    }

    @Test mutating func `neighbours who left for good delay one departure only`() {
        comeHome(with: [.neighbour])
        household.air = []
        household.pass(600)
        #expect(household.events().suffix(2) == ["resetting", "unknown"])
        household.air = [.beacon]
        household.pass(10)
        #expect(household.events() == ["poweredOn", "inside"])
        household.air = []
        household.pass(31)
        #expect(household.events() == ["exit", "outside"])
    }

    @Test mutating func `a beacon that is received outside its region is not a neighbour`() {
        household.air = [.beacon]
        household.pass(300)
        _ = household.events()
        household.air = []
        household.pass(31)
        #expect(household.events() == ["exit", "outside"])
    }
}
