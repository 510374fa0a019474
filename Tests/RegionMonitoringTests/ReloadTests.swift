import IBeacon
import RegionMonitoring
import Testing

@Suite struct ReloadTests {
    @Test func `a region that stays keeps its state, a new one starts, a removed one is gone`() {
        var monitor = listening(region("home"), region("shed", .minor(uuid, 100, 7)))
        _ = monitor.sighted(beacon(1), at: at(1))
        let actions = monitor.regionsReplaced(
            with: [region("garden", .minor(uuid, 1, 1)), region("home", after: 10)], at: at(5))
        #expect(actions == [.didStartMonitoring(region: "garden"), .didDetermineState(region: "garden", .unknown)])
        #expect(monitor.regionSnapshots.map(\.state) == [.unknown, .inside])
        let log = monitor.run(to: 20)
        #expect(log.map(\.action.label) == ["exit", "outside"])
        #expect(log.map(\.time).prefix(1) == [11], "the new exit time counts from the last sighting")
    }

    @Test func `the same identifier with other beacons replaces the region`() {
        var monitor = listening(region("home"))
        _ = monitor.sighted(beacon(1), at: at(1))
        let actions = monitor.regionsReplaced(with: [region("home", .minor(uuid, 5, 5))], at: at(2))
        #expect(actions.labels == ["start", "unknown"])
        #expect(monitor.sighted(beacon(1), at: at(3)).isEmpty)
    }

    @Test func `beacons that are known already are matched anew`() {
        var monitor = listening(region("home", .minor(uuid, 1, 1)))
        _ = monitor.sighted(beacon(7), at: at(1))
        _ = monitor.regionsReplaced(with: [region("home", .minor(uuid, 100, 7))], at: at(2))
        #expect(monitor.sighted(beacon(7), at: at(3)).labels == ["enter", "inside"])
    }

    @Test func `a region with another name and the same beacons keeps its state`() {
        var monitor = listening(region("keys"))
        _ = monitor.sighted(beacon(1), at: at(1))
        let actions = monitor.regionsReplaced(with: [region("bag")], formerNames: ["bag": "keys"], at: at(2))
        #expect(actions == [.didStartMonitoring(region: "bag"), .didDetermineState(region: "bag", .inside)])
        #expect(monitor.sighted(beacon(1), at: at(3)).isEmpty, "nothing is entered a second time")
        let others = monitor.regionsReplaced(
            with: [region("home", .minor(uuid, 1, 1))], formerNames: ["home": "bag"], at: at(4))
        #expect(others.last == .didDetermineState(region: "home", .unknown), "other beacons are another region")
    }
}
