import Testing

@testable import RegionMonitoring

@Suite struct FootprintTests {
    @Test func `a beacon takes 1,232 bytes at most`() {
        #expect(MemoryLayout<BeaconTrack>.stride <= 1232, "\(MemoryLayout<BeaconTrack>.stride)")
        #expect(MemoryLayout<BeaconTrack>.stride > 500, "what is learned lies in it, and not elsewhere")
    }
}
