import BeaconLocation
import Testing

/// The file imports no other library of the package, as a dependent does.
@Suite struct ExportsTests {
    @Test func `a dependent needs no other import for a manager and its events`() {
        let constraint = BeaconConstraint.uuid(BeaconUUID(high: 1, low: 2))
        let home = BeaconRegion(identifier: "home", constraint: constraint)
        let manager = LocationManager()
        let states: HeldStream<AdapterUpdate> = manager.states
        let status: AuthorizationStatus = manager.authorizationStatus
        let failure = LocationObstacle.noAnswer(adapter: "hci0")
        let region = MonitoredRegion(home, sensitivity: .patient, ranging: .whileInside)
        #expect(region.region == home)
        #expect(region.ranging == MonitoredRegion.Ranging.whileInside)
        #expect(status == .notDetermined)
        #expect(failure.description.hasPrefix("hci0 does not answer"))
        withExtendedLifetime(states) {}
    }
}
