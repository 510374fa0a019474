import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Sightings of a beacon that a region was left for.
@Suite struct EdgeOfReceptionTests {
    /// A monitor whose region is outside at 100 s, with the beacon last received at 0 s.
    private func left(_ region: MonitoredRegion = region()) -> RegionMonitor {
        var monitor = listening(region)
        _ = monitor.sighted(beacon(), at: at(0))
        #expect(monitor.run(to: 100).map(\.action.label) == ["exit", "outside"])
        return monitor
    }

    private func sighted(_ monitor: inout RegionMonitor, _ rssi: Int8?, at seconds: Double) -> [String] {
        _ = monitor.run(to: seconds)
        return monitor.sighted(beacon(rssi: rssi), at: at(seconds)).labels
    }

    @Test func `a strong sighting enters at once, and so does one that the controller did not measure`() {
        for rssi in [Int8(-85), -40, nil] {
            var monitor = left()
            #expect(sighted(&monitor, rssi, at: 110) == ["enter", "inside"])
        }
    }

    @Test func `a weak sighting enters with the second within half a minute`() {
        var monitor = left()
        #expect(sighted(&monitor, -86, at: 110).isEmpty)
        #expect(sighted(&monitor, -95, at: 140.5).isEmpty, "too late for the first")
        #expect(sighted(&monitor, -95, at: 170.5) == ["enter", "inside"])
    }

    @Test func `after an exit that followed weak sightings alone one more is needed each time, up to six`() {
        var monitor = left()
        var now = 110.0
        for needed in [2, 3, 4, 5, 6, 6, 6] {
            for sighting in 1...needed {
                #expect(sighted(&monitor, -93, at: now).isEmpty == (sighting < needed), "\(sighting) of \(needed)")
                now += 1
            }
            now += 100
        }
        #expect(sighted(&monitor, -80, at: now) == ["enter", "inside"])
        now += 100
        #expect(sighted(&monitor, -93, at: now).isEmpty)
        #expect(sighted(&monitor, -93, at: now + 1) == ["enter", "inside"], "a strong sighting makes it two again")
    }

    @Test func `a strong sighting inside makes it two again, too`() {
        var monitor = left()
        _ = sighted(&monitor, -93, at: 110)
        #expect(sighted(&monitor, -93, at: 111) == ["enter", "inside"])
        _ = sighted(&monitor, -70, at: 112)
        _ = sighted(&monitor, -93, at: 250)
        #expect(sighted(&monitor, -93, at: 251) == ["enter", "inside"])
    }

    @Test func `the first sighting of all enters, however weak`() {
        var monitor = listening(region())
        #expect(monitor.sighted(beacon(rssi: -99), at: at(1)).labels == ["enter", "inside"])
    }

    @Test func `after a restart outside a weak sighting needs another one as well`() {
        var next = RegionMonitor([region()], at: at(0))
        next.restored(left().memory(at: at(100)))
        _ = next.adapterRecovered(at: at(0))
        #expect(next.sighted(beacon(rssi: -95), at: at(1)).labels.isEmpty)
        #expect(next.sighted(beacon(rssi: -95), at: at(2)).labels == ["enter", "inside"])
    }

    @Test func `a configured signal decides alone`() {
        var monitor = left(region(enter: -95))
        #expect(sighted(&monitor, -94, at: 110) == ["enter", "inside"])
    }

    @Test func `the time in which the scan was off separates no two sightings`() {
        var monitor = left()
        #expect(sighted(&monitor, -93, at: 110).isEmpty)
        monitor.listeningPaused(at: at(115))
        monitor.listeningResumed(at: at(400))
        #expect(sighted(&monitor, -93, at: 410) == ["enter", "inside"])
    }

    @Test(arguments: [0.05, 0.02, 0.01, 0.005, 0.002])
    func `a beacon that lies at the edge of reception leaves eight times in twelve hours at most`(share: Double) {
        var generator = SeededGenerator(seed: 17)
        var monitor = listening(
            MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100))))
        for second in 0..<43_200 where Int.random(in: 0..<5, using: &generator) > 0 {
            _ = monitor.run(to: Double(second))
            _ = monitor.sighted(beacon(rssi: -70), at: at(Double(second)))
        }
        var exits = 0
        for second in 43_200..<86_400 where Double.random(in: 0..<1, using: &generator) < share {
            exits += monitor.run(to: Double(second)).count { $0.action.label == "exit" }
            _ = monitor.sighted(beacon(rssi: Int8.random(in: -97 ... -91, using: &generator)), at: at(Double(second)))
        }
        #expect(exits >= 1 && exits <= 8, "\(exits)")
    }
}
