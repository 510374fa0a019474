import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Other devices in the air distinguish an absent beacon from a deaf receiver, and change nothing else.
@Suite(.computes) struct DeafReceiverTests {
    private let home = MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100)))

    private func home(after seconds: Double) -> MonitoredRegion {
        var region = home
        region.exitAfter = .seconds(seconds)
        return region
    }

    /// Receives the beacon and so many other devices once a second each, from `start` on.
    ///
    /// - Returns: the time of the beacon's last advertisement.
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
            _ = monitor.sighted(beacon(rssi: -60), at: at(last))
        }
        return last
    }

    private func exit(_ log: [(time: Double, action: RegionMonitor.Action)]) -> Double? {
        log.first { $0.action.label == "exit" }?.time
    }

    @Test func `a silence of all devices delays an exit by two thirds of the exit time`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 8, for: 300)
        #expect(monitor.air.isRepresentative)
        #expect(abs(try #require(exit(monitor.run(to: last + 1000))) - last - 14 * 5 / 3.0) < 0.001)
    }

    @Test(arguments: [60.0, 300, 900])
    func `a silence of all devices delays a configured exit by a tenth`(exitAfter: Double) throws {
        var monitor = listening(home(after: exitAfter))
        let last = hear(&monitor, others: 8, for: 300)
        let left = try #require(exit(monitor.run(to: last + 2000))) - last
        #expect(left > exitAfter && left <= 1.1 * exitAfter + 0.001, "\(left)")
    }

    @Test func `a receiver that is deaf again and again causes exits at first only`() {
        var monitor = listening(home)
        var last = 0.0
        var exits: [Int] = []
        for round in 0..<40 {
            last = hear(&monitor, others: 8, from: Double(round) * 100, for: 60)
            if exit(monitor.run(to: last + 38)) != nil { exits.append(round) }
        }
        #expect(exits.allSatisfy { $0 == 0 }, "\(exits)")
        #expect(monitor.air.deaf > .seconds(38 * 35) && monitor.air.deaf < .seconds(40 * 40))
    }

    @Test func `what is deafness is not learned as a gap`() {
        var monitor = listening(home)
        var last = 0.0
        for round in 0..<40 {
            last = hear(&monitor, others: 8, from: Double(round) * 100, for: 86)
            #expect(exit(monitor.run(to: last + 14)) == nil, "round \(round)")
        }
        #expect(monitor.regionSnapshots[0].exitTime < .seconds(25), "silences of 15 s would make it 30")
        _ = hear(&monitor, others: 8, from: last + 13, for: 26, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .outside, "the others are received, and the beacon is not")
    }

    @Test func `a person who takes a phone along leaves in time`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 3, for: 300)
        #expect(!monitor.air.isRepresentative)
        #expect(try #require(exit(monitor.run(to: last + 100))) == last + 14)
    }

    @Test func `a household that leaves together leaves in time`() throws {
        var monitor = listening(home)
        for second in 0..<300 {
            for minor in 0..<10 as Range<UInt16> {
                _ = monitor.run(to: Double(second) + 0.05 * Double(minor))
                _ = monitor.sighted(beacon(minor), at: at(Double(second) + 0.05 * Double(minor)))
            }
        }
        #expect(monitor.air.devices == 0)
        #expect(try #require(exit(monitor.run(to: 1000))) == 299.45 + 14)
    }

    @Test func `a beacon alone in the air leaves in time`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 0, for: 300)
        #expect(try #require(exit(monitor.run(to: last + 100))) == last + 14)
    }

    @Test(arguments: [(45, 1, 1), (120, 8, 3), (120, 8, 30)])
    func `phones that pass by delay no exit`(every: Int, count: Int, heard: Int) throws {
        for (region, expected) in [(home, 14.0), (home(after: 60), 60), (home(after: 300), 300)] {
            var generator = SeededGenerator(seed: 5)
            var monitor = listening(region)
            var phones: [UInt64] = []
            var left: Double?
            for second in 0..<1800 {
                if second % every == 0 {
                    phones = (0..<count).map { _ in .random(in: 0..<(1 << 48), using: &generator) }
                }
                if second < 600 { _ = monitor.sighted(beacon(), at: at(Double(second))) }
                for (index, phone) in phones.enumerated() where second % every < heard {
                    let now = Double(second) + 0.1 + 0.1 * Double(index)
                    if left == nil { left = exit(monitor.run(to: now)) }
                    monitor.advertisementHeard(from: phone, at: at(now))
                }
                if left == nil { left = exit(monitor.run(to: Double(second) + 0.99)) }
            }
            #expect(left == 599 + expected, "\(region)")
        }
    }

    @Test func `phones that pass by are not evidence either after the receiver was deaf`() throws {
        var generator = SeededGenerator(seed: 6)
        var monitor = listening(home)
        var last = hear(&monitor, others: 8, for: 120)
        // Deafness of 14 s; all devices return, and leave one after the other.
        last = hear(&monitor, others: 8, from: last + 14, for: 60)
        for others in [6, 4, 2] as [UInt64] { last = hear(&monitor, others: others, from: last + 1, for: 60) }
        last = hear(&monitor, others: 0, from: last + 1, for: 120)
        let gone = last
        while exit(monitor.run(to: last)) == nil, last < gone + 100 {
            last += 20
            monitor.advertisementHeard(from: .random(in: 0..<(1 << 48), using: &generator), at: at(last))
        }
        #expect(monitor.regionSnapshots[0].state == .outside && last <= gone + 20, "\(last - gone)")
    }

    @Test func `after a clock ran back deafness is recognised again`() throws {
        var monitor = listening(home)
        _ = hear(&monitor, others: 8, from: 10_000, for: 300)
        var last = hear(&monitor, others: 8, from: 100, for: 300)
        #expect(monitor.air.isRepresentative)
        let deaf = monitor.air.deaf
        last = hear(&monitor, others: 8, from: last + 14, for: 60)
        #expect(monitor.air.deaf > deaf)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 8, 20])
    func `however many neighbours there are, a beacon's silences are learned in full`(neighbours: Int) {
        var generator = SeededGenerator(seed: 9)
        var monitor = listening(home)
        var exits = 0
        var silentUntil = 0.0
        var nextSilence = 1200.0
        for second in 0..<(8 * 3600) {
            let now = Double(second)
            for neighbour in 0..<neighbours where Int.random(in: 0..<40, using: &generator) == 0 {
                monitor.advertisementHeard(from: UInt64(neighbour) << 8, at: at(now))
            }
            if now >= nextSilence {
                silentUntil = now + .random(in: 20...30, using: &generator)
                nextSilence = now + .random(in: 600...1800, using: &generator)
            }
            if exit(monitor.run(to: now + 0.5)) != nil { exits += 1 }
            if now >= silentUntil { _ = monitor.sighted(beacon(rssi: -70), at: at(now + 0.5)) }
        }
        #expect(exits <= 3, "\(exits) of some 24 silences")
    }

    @Test func `while the others are received a silence counts in full`() {
        var monitor = listening(home)
        let last = hear(&monitor, others: 8, for: 300)
        _ = hear(&monitor, others: 8, from: last + 0.05, for: 13, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .inside)
        _ = hear(&monitor, others: 8, from: last + 13.05, for: 2, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .outside)
    }

    @Test func `a pause of the scan does not count as deafness too`() {
        var monitor = listening(home)
        let last = hear(&monitor, others: 8, for: 300)
        monitor.listeningPaused(at: at(last + 1))
        monitor.advertisementHeard(from: 7, at: at(last + 30))
        monitor.listeningResumed(at: at(last + 61))
        _ = hear(&monitor, others: 8, from: last + 61.05, for: 12, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .inside)
        _ = hear(&monitor, others: 8, from: last + 73.05, for: 3, beaconToo: false)
        #expect(monitor.regionSnapshots[0].state == .outside)
        #expect(monitor.air.deaf == .zero)
    }

    @Test func `a reception after deafness leads to a judgement at once`() throws {
        var monitor = listening(home)
        let last = hear(&monitor, others: 8, for: 300)
        #expect(exit(monitor.run(to: last + 14)) == nil, "the receiver is deaf")
        monitor.advertisementHeard(from: 0xC0_1122_3344, at: at(last + 14))
        // Four seconds after the last advertisement count, and all that is listened from here on.
        #expect(abs(try #require(exit(monitor.run(to: last + 100))) - last - 14 * 5 / 3.0) < 0.001)
    }

    @Test func `a sparse neighbourhood is not taken for a deaf receiver`() {
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
                _ = monitor.sighted(beacon(rssi: -60), at: at(last))
            }
            if second == 930 { break }
        }
        #expect(monitor.regionSnapshots[0].state == .outside)
    }

    @Test func `invented addresses displace no device that is still received`() {
        var generator = SeededGenerator(seed: 3)
        var monitor = listening(home)
        var last = hear(&monitor, others: 8, for: 120)
        for second in 0..<120 {
            for _ in 0..<200 {
                let address = UInt64.random(in: 0..<(1 << 48), using: &generator)
                monitor.advertisementHeard(from: address, at: at(last + Double(second)))
            }
            _ = hear(&monitor, others: 8, from: last + Double(second), for: 1)
        }
        last += 120
        #expect(monitor.air.devices <= 64 && monitor.air.isRepresentative)
    }

    @Test func `a clock that leaps traps nothing and keeps no region inside for ever`() {
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
