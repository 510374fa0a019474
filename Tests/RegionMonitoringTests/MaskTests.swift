import IBeacon
import RegionMonitoring
import Testing

/// Beacons that send their battery level or a counter in their identity.
@Suite struct MaskTests {
    private func masked(_ identifier: String = "tag", after: Double? = 30) throws -> MonitoredRegion {
        let mask = try #require(BeaconMask(minor: 0xFF00))
        let constraint = BeaconConstraint.minor(uuid, 100, 0x0200).masked(by: mask)
        return MonitoredRegion(
            BeaconRegion(identifier: identifier, constraint: constraint),
            exitAfter: after.map { .seconds($0) })
    }

    @Test func `a beacon stays inside when the bits that do not count change`() throws {
        var monitor = listening(try masked())
        var actions: [RegionMonitor.Action] = []
        for second in 0..<200 {
            actions += monitor.run(to: Double(second)).map(\.action)
            actions += monitor.sighted(beacon(0x0264 - UInt16(second / 10)), at: at(Double(second)))
        }
        #expect(actions.labels == ["enter", "inside"])
        #expect(monitor.sighted(beacon(0x0364), at: at(200)).isEmpty, "another beacon")
        #expect(monitor.run(to: 230).map(\.action).labels == ["exit", "outside"])
    }

    @Test func `a beacon with a counter is one beacon, with one memory`() throws {
        var monitor = listening(try masked(after: nil))
        for second in 0..<600 {
            _ = monitor.run(to: Double(second))
            _ = monitor.sighted(beacon(0x0200 | UInt16(second % 256)), at: at(Double(second)))
        }
        let seen = monitor.beaconSnapshots(since: at(0))
        #expect(seen.map(\.identity) == [BeaconIdentity(uuid: uuid, major: 100, minor: 0x0200)])
        #expect(seen.first?.count == 600)
        #expect(monitor.memory(at: at(600)).beacons.map(\.identity.minor) == [0x0200])
        let judgement = try #require(monitor.judgements(at: at(600), limit: 8)[0].first)
        #expect(judgement.advertising?.interval == .seconds(1))
    }

    @Test func `what was learned of a beacon stays when its region gets a mask`() throws {
        let exact = MonitoredRegion(BeaconRegion(identifier: "tag", constraint: .minor(uuid, 100, 0x0257)))
        var monitor = listening(exact)
        for second in 0..<300 { _ = monitor.sighted(beacon(0x0257), at: at(Double(second))) }
        let memory = monitor.memory(at: at(300))
        let learned = try #require(memory.beacons.first?.silences)
        _ = monitor.regionsReplaced(with: [try masked(after: nil)], at: at(300))
        #expect(monitor.memory(at: at(300)).beacons.map(\.identity.minor) == [0x0200])
        #expect(monitor.memory(at: at(300)).beacons.first?.silences == learned)
        // The same after a restart.
        var restarted = RegionMonitor([try masked(after: nil)], at: at(0))
        restarted.restored(memory)
        _ = restarted.adapterRecovered(at: at(0))
        #expect(restarted.memory(at: at(0)).beacons.map(\.identity.minor) == [0x0200])
        #expect(restarted.memory(at: at(0)).beacons.first?.silences == learned)
        #expect(restarted.sighted(beacon(0x0211), at: at(1)).labels == ["enter", "inside"])
    }

    @Test func `the beacon from before the mask keeps no region inside`() throws {
        let open = region("tag", .major(uuid, 100))
        var monitor = listening(open)
        #expect(monitor.sighted(beacon(0x0257), at: at(1)).labels == ["enter", "inside"])
        _ = monitor.regionsReplaced(with: [try masked()], at: at(2))
        #expect(monitor.sighted(beacon(0x0258), at: at(3)).labels == ["enter", "inside"])
        #expect(monitor.judgements(at: at(3), limit: 8)[0].map(\.beacon.identity.minor) == [0x0200])
        #expect(monitor.run(to: 33).map(\.action).labels == ["exit", "outside"])
    }

    @Test func `an exact region among the beacons of a mask keeps its own beacon`() throws {
        var monitor = listening(try masked(), region("mine", .minor(uuid, 100, 0x0257)))
        #expect(monitor.sighted(beacon(0x0258), at: at(1)).labels == ["enter", "inside"])
        #expect(monitor.regionSnapshots.map(\.state) == [.inside, .unknown])
        #expect(monitor.sighted(beacon(0x0257), at: at(2)).labels == ["enter", "inside"])
        #expect(monitor.regionSnapshots.map(\.state) == [.inside, .inside])
    }
}
