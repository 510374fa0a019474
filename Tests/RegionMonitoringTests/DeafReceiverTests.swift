import IBeacon
import RegionMonitoring
import Testing

/// What else is in the air is a clock: when nobody is heard, nobody has left.
@Suite struct DeafReceiverTests {
    private let home = MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100)))

    /// Hears the beacon and so many others once a second each, from `start` on; when the beacon was heard last.
    private func hear(
        _ monitor: inout RegionMonitor, others: UInt64, from start: Double = 0, for seconds: Int, beaconToo: Bool = true
    ) -> Double {
        var last = start
        for second in 0..<seconds {
            let now = start + Double(second)
            for other in 0..<others {
                _ = monitor.run(to: now + 0.1 * Double(other))
                monitor.advertisementHeard(from: 0xC0_1122_3344 + other, at: at(now + 0.1 * Double(other)))
            }
            guard beaconToo else { continue }
            last = now + 0.95
            _ = monitor.run(to: last)
            monitor.advertisementHeard(from: 1, at: at(last))
            _ = monitor.sighted(beacon(rssi: -60), at: at(last))
        }
        return last
    }

    private func exit(_ log: [(time: Double, action: RegionMonitor.Action)]) -> Double? {
        log.first { $0.action.word == "exit" }?.time
    }

    @Test func `of many who all fall silent nobody leaves, for two minutes`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 8, for: 300)
        #expect(monitor.air.isCompany)
        #expect(exit(monitor.run(to: last + 60)) == nil)
        let left = try #require(exit(monitor.run(to: last + 1000)))
        #expect(abs(left - last - 132) < 0.1, "a radio that hears nothing for ever sends everybody away at last")
    }

    @Test func `a receiver that is deaf now and then sends nobody away, and teaches nothing`() throws {
        var monitor = listening(home)
        var last = 0.0
        for round in 0..<40 {
            last = hear(&monitor, others: 8, from: Double(round) * 100, for: 60)
            #expect(exit(monitor.run(to: last + 38)) == nil, "round \(round)")
        }
        #expect(monitor.regionSnapshots[0].exitTime == .seconds(12))
        #expect(monitor.air.deaf > .seconds(39 * 35) && monitor.air.deaf < .seconds(40 * 40))
        _ = hear(&monitor, others: 8, from: last + 1, for: 30, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .outside, "the others are heard again, and it is not")
    }

    @Test func `a person who takes the phone along has left`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 3, for: 300)
        #expect(!monitor.air.isCompany)
        #expect(try #require(exit(monitor.run(to: last + 100))) == last + 12)
    }

    @Test func `who is alone in the air leaves by the controller's word`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 0, for: 300)
        #expect(try #require(exit(monitor.run(to: last + 100))) == last + 12)
    }

    @Test func `while the others are heard a silence is one`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 8, for: 300)
        _ = hear(&monitor, others: 8, from: last + 0.05, for: 11, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .inside)
        _ = hear(&monitor, others: 8, from: last + 11.05, for: 2, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .outside)
    }

    @Test func `a pause of ours is counted once, not as deafness too`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 8, for: 300)
        monitor.listeningPaused(at: at(last + 1))
        monitor.advertisementHeard(from: 7, at: at(last + 30))
        monitor.listeningResumed(at: at(last + 61))
        _ = hear(&monitor, others: 8, from: last + 61.05, for: 10, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .inside)
        _ = hear(&monitor, others: 8, from: last + 71.05, for: 3, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .outside)
        #expect(monitor.air.deaf == .zero)
    }

    @Test func `a sparse neighbourhood is not taken for a deaf receiver`() throws {
        // Seven devices, each once in half a minute: gaps of ten seconds come by chance.
        var monitor = listening(home)
        var last = 0.0
        for second in 0..<1200 {
            let now = Double(second)
            if second % 4 == 0 {
                _ = monitor.run(to: now)
                monitor.advertisementHeard(from: UInt64(second / 4 % 7) << 20, at: at(now))
            }
            if second < 900 {
                last = now + 0.5
                _ = monitor.run(to: last)
                monitor.advertisementHeard(from: 1, at: at(last))
                _ = monitor.sighted(beacon(rssi: -60), at: at(last))
            }
            if second == 930 { break }
        }
        #expect(monitor.regionSnapshots[0].state == .outside)
    }

    @Test func `a clock that leaps traps nothing and freezes nobody`() {
        for leap in [Int64.min, -1_000_000_000_000, 1_000_000_000_000, .max] {
            var monitor = listening(home)
            _ = hear(&monitor, others: 8, for: 100)
            monitor.advertisementHeard(from: 3, at: Instant(nanoseconds: leap))
            _ = monitor.sighted(beacon(), at: Instant(nanoseconds: leap))
            _ = monitor.advanced(to: Instant(nanoseconds: leap))
            monitor.advertisementHeard(from: 3, at: at(101))
            #expect(monitor.air.devices <= 64 && monitor.air.deaf >= .zero)
            _ = monitor.adapterLost(at: at(102))
            _ = monitor.adapterRecovered(at: at(103))
            _ = monitor.sighted(beacon(), at: at(104))
            #expect(monitor.regionSnapshots[0].state == .inside)
        }
    }
}
