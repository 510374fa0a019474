import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Many beacons and many regions.
@Suite struct CrowdTests {
    @Test func `among thousands that come and go each beacon is known once, and ours are never lost`() {
        var monitor = listening(region())
        var generator = SeededGenerator(seed: 21)
        var heard = [UInt16: UInt64]()
        for step in 0..<30_000 {
            let now = at(Double(step) / 100)
            if step % 20 == 0 {
                let minor = UInt16.random(in: 0..<50, using: &generator)
                heard[minor, default: 0] += 1
                _ = monitor.sighted(beacon(minor), at: now)
            } else {
                let stranger = BeaconIdentity(
                    uuid: BeaconUUID(high: 1, low: 1), major: 0, minor: .random(in: 0..<6000, using: &generator))
                _ = monitor.sighted(BeaconSighting(identity: stranger, measuredPower: -59, rssi: -80), at: now)
            }
        }
        let snapshots = monitor.beaconSnapshots(since: at(0))
        #expect(Set(snapshots.map(\.identity)).count == snapshots.count)
        #expect(snapshots.count == RegionMonitor.beaconCapacity + 1)
        let own = snapshots.filter { $0.identity.uuid == uuid }.map { ($0.identity.minor, $0.count) }
        #expect(Dictionary(uniqueKeysWithValues: own) == heard)
    }

    @Test func `regions that fall silent together are left together, in the order of the configuration`() {
        let regions = (0..<5).map { region("\($0)", .minor(uuid, 100, UInt16($0)), after: 30) }
        var monitor = RegionMonitor(regions, at: at(0))
        _ = monitor.adapterRecovered(at: at(0))
        #expect(monitor.run(to: 60).map(\.action.label) == Array(repeating: "outside", count: 5))
        for round in 0..<3 {
            let start = 100.0 + 100 * Double(round)
            for minor in [3, 0, 4, 1, 2] as [UInt16] { _ = monitor.sighted(beacon(minor), at: at(start)) }
            let exits = monitor.run(to: start + 99).compactMap { entry -> String? in
                guard case .didExitRegion(let region) = entry.action else { return nil }
                return "\(region) \(entry.time - start)"
            }
            #expect(exits == (0..<5).map { "\($0) 30.0" })
        }
    }
}
