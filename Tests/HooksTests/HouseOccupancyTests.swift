import IBeacon
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriRooms
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents

/// The commands for the whole home.
@Suite(.timeLimit(.minutes(5))) struct HouseOccupancyTests {
    private func own(_ region: String, _ state: RegionState) -> Event.Kind {
        .didDetermineState(region: region, state)
    }

    private func occupancy(_ regions: [String] = ["anna", "ben"]) -> HouseOccupancy {
        HouseOccupancy(regions: regions)
    }

    @Test func `the first arrival occupies the home, and the last departure empties it`() {
        var home = occupancy()
        #expect(home.happened(own("anna", .outside)) == nil)
        #expect(home.happened(own("ben", .outside)) == nil)
        #expect(home.happened(own("anna", .inside)) == .onOccupied)
        #expect(home.happened(own("ben", .inside)) == nil)
        #expect(home.happened(own("anna", .outside)) == nil)
        #expect(home.happened(own("ben", .outside)) == .onEmpty)
        #expect(home.happened(own("ben", .inside)) == .onOccupied)
    }

    @Test func `an unknown region is never empty`() {
        var home = occupancy()
        #expect(home.happened(own("anna", .inside)) == .onOccupied, "the other one is not known yet")
        #expect(home.happened(own("anna", .outside)) == nil)
        #expect(home.happened(own("ben", .unknown)) == nil)
        #expect(home.happened(own("anna", .unknown)) == nil)
        #expect(home.happened(own("ben", .outside)) == nil)
        #expect(home.happened(own("anna", .outside)) == .onEmpty)
    }

    @Test func `an interruption of the radio runs nothing`() {
        var home = occupancy(["anna"])
        _ = home.happened(own("anna", .inside))
        #expect(home.happened(own("anna", .unknown)) == nil)
        #expect(home.happened(own("anna", .inside)) == nil)
    }

    @Test func `a restart runs nothing again, and notices what changed meanwhile`() {
        var home = occupancy(["anna"])
        home.restored(true)
        #expect(home.happened(own("anna", .inside)) == nil)
        var left = occupancy(["anna"])
        left.restored(true)
        #expect(left.happened(own("anna", .outside)) == .onEmpty)
        var empty = occupancy(["anna"])
        #expect(empty.happened(own("anna", .outside)) == nil, "it was never known to be occupied")
    }

    @Test func `what another node has announced runs nothing again`() {
        var home = occupancy()
        home.restored(false)
        #expect(home.happened(.house(region: "anna", .didDetermineState(.inside))) == nil)
        #expect(home.happened(.house(region: "ben", .didDetermineState(.outside))) == nil)
        #expect(home.happened(own("anna", .inside)) == nil && home.lastKnown == true)
        #expect(home.happened(own("ben", .outside)) == nil)
        #expect(home.happened(own("anna", .outside)) == .onEmpty)
    }

    /// The order in which a hub with a broker publishes an exit.
    @Test func `an own exit whose event of the house comes first empties the home`() {
        var home = occupancy(["anna"])
        home.restored(false)
        let arrival: [Event.Kind] = [
            own("anna", .inside), .house(region: "anna", .didEnterRegion(room: nil, isOwner: true)),
            .house(region: "anna", .didDetermineState(.inside)),
        ]
        #expect(arrival.map { home.happened($0) } == [.onOccupied, nil, nil])
        let departure: [Event.Kind] = [
            .didExitRegion(region: "anna"), .house(region: "anna", .didExitRegion(isOwner: true)),
            .house(region: "anna", .didDetermineState(.outside)), own("anna", .outside),
        ]
        #expect(departure.map { home.happened($0) } == [nil, .onEmpty, nil, nil])
        let other: [Event.Kind] = [
            .house(region: "anna", .didEnterRegion(room: nil, isOwner: false)),
            .house(region: "anna", .didDetermineState(.inside)), own("anna", .inside),
        ]
        #expect(other.map { home.happened($0) } == [nil, nil, nil], "another node has announced it")
    }

    @Test func `what a hub says of the house decides nothing at a receiver`() {
        var home = HouseOccupancy(regions: ["anna", "ben"], followsHouse: false)
        home.restored(false)
        #expect(home.happened(.house(region: "anna", .didDetermineState(.inside))) == nil)
        #expect(home.happened(own("anna", .inside)) == .onOccupied)
    }

    @Test func `a reload runs nothing, and a removed region does not count`() {
        var home = occupancy()
        _ = home.happened(own("anna", .inside))
        _ = home.happened(own("ben", .outside))
        home.configured(regions: ["ben"])
        #expect(home.lastKnown == false)
        #expect(home.happened(own("anna", .inside)) == nil)
        home.configured(regions: ["ben", "carl"])
        #expect(home.happened(own("carl", .inside)) == .onOccupied)
    }

    private static func json(_ script: String) -> String {
        """
        {"regions": [{"identifier": "home", "uuid": "\(uuidText)"}],
         "house": {"onOccupied": ["\(script)", "occupied"], "onEmpty": ["\(script)", "empty"]}}
        """
    }

    private func configuration(_ script: String) throws -> Configuration {
        try Configuration(json: Array(Self.json(script).utf8), file: "beacons.json")
    }

    @Test func `the commands run once, with the event`() async throws {
        let folder = try TemporaryFolder()
        let (hub, book) = (EventHub(), LogBook())
        let script = try folder.script("hook", "echo $1 $OKAERI_REGION $OKAERI_STATE")
        let hooks = Hooks(try configuration(script), hub: hub, runner: HookRunner(socket: "/s"), logger: book.logger)
        let task = Task { try await hooks.run() }
        for state in [RegionState.outside, .inside, .unknown, .inside, .outside] {
            hub.publish(Event(time: evening, kind: own("home", state)))
        }
        try await book.logged("info: empty home outside")
        #expect(
            book.text.filter { $0.hasPrefix("info:") } == ["info: occupied home inside", "info: empty home outside"])
        #expect(await hooks.tally.runs["onEmpty"] == 1)
        #expect(await hooks.memory.occupied == false)
        task.cancel()
        try await task.value
    }

    @Test func `a region that the page has saved counts, and sets no command`() async throws {
        let folder = try TemporaryFolder()
        let (hub, book) = (EventHub(), LogBook())
        let script = try folder.script("hook", "echo $1 $OKAERI_REGION")
        func merged(_ saved: String) throws -> MergedConfiguration {
            try MergedConfiguration(
                json: Array(Self.json(script).utf8), file: "beacons.json", savedFile: "regions.json",
                saved: Result { () throws(ConfigurationError) in
                    try SavedRegions(json: Array(saved.utf8), file: "regions.json")
                })
        }
        let forbidden = try merged(#"{"regions": [], "house": {"onEmpty": ["/bin/true"]}}"#)
        #expect(forbidden.configuration.house.onEmpty == [script, "empty"] && forbidden.saved.problems.count == 1)
        let hooks = Hooks(
            try merged(#"{"regions": [{"identifier": "guest", "uuid": "\#(uuidText)", "major": 9}]}"#).configuration,
            hub: hub, runner: HookRunner(socket: "/s"), logger: book.logger)
        let task = Task { try await hooks.run() }
        for (region, state) in [("home", RegionState.outside), ("guest", .inside), ("guest", .outside)] {
            hub.publish(Event(time: evening, kind: own(region, state)))
        }
        try await book.logged("info: empty guest")
        #expect(book.text.contains("info: occupied guest"))
        task.cancel()
        try await task.value
    }

    @Test func `the occupancy survives a restart, unless it is too old`() async throws {
        func memory(isStale: Bool) async throws -> Bool? {
            let hooks = Hooks(
                try configuration("/bin/true"), hub: EventHub(), runner: HookRunner(socket: "/s"),
                logger: LogBook().logger)
            await hooks.restore(.init(occupied: true), from: PersistedPast(age: .seconds(1), isStale: isStale))
            return await hooks.memory.occupied
        }
        #expect(try await memory(isStale: false) == true)
        #expect(try await memory(isStale: true) == nil)
    }
}
