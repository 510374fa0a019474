import RegionMonitoring
import Testing

/// The file imports no other library of the package, as a dependent does.
@Suite struct ExportsTests {
    @Test func `a dependent needs no other import for a region`() {
        let constraint = BeaconConstraint.uuid(BeaconUUID(high: 1, low: 2))
        let region = MonitoredRegion(BeaconRegion(identifier: "home", constraint: constraint))
        #expect(region.constraint == constraint)
    }
}
