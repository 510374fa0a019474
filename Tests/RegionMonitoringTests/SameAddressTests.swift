import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Copies of one beacon, which have its address as well: the times of their advertisements tell them apart.
@Suite struct SameAddressTests {
    /// A device: it advertises at an interval with a random delay, of which a part is received, with a delay of its own.
    private struct Device {
        var interval = 0.318
        var received = 0.9
        var jitter = 0.002
        var level = -60
        /// The levels of the three advertising channels, relative to the device's.
        var channels = [0, 0, 0]
        var start = 0.0

        func receptions(until end: Double, using generator: inout SeededGenerator) -> [(time: Double, rssi: Int8)] {
            var (time, receptions) = (start + Double.random(in: 0..<interval, using: &generator), [(Double, Int8)]())
            let clock = 1 + Double.random(in: -40e-6...40e-6, using: &generator)
            while time < end {
                let level = level + channels[Int.random(in: 0..<3, using: &generator)]
                if Double.random(in: 0..<1, using: &generator) < received {
                    let delay = Double.random(in: 0...jitter, using: &generator)
                    receptions.append((time + delay, Int8(level + .random(in: -3...3, using: &generator))))
                }
                time += (interval + .random(in: 0...0.01, using: &generator)) * clock
            }
            return receptions
        }
    }

    /// Returns the time in seconds after which two devices are reported; nil if they are not.
    private func proved(_ receptions: [(time: Double, rssi: Int8)]) -> Double? {
        var monitor = listening(region())
        var next = 0.0
        for (time, rssi) in receptions.sorted(by: { $0.time < $1.time }) {
            var sighting = beacon()
            (sighting.address, sighting.rssi) = (7, rssi)
            _ = monitor.sighted(sighting, at: at(time))
            guard time >= next else { continue }
            next = time + 5
            if monitor.beaconSnapshots(since: at(0)).first?.transmitters == 2 { return time }
        }
        return nil
    }

    @Test(arguments: [0.1, 0.211, 0.318, 0.546, 1.022])
    func `two devices with one identity and one address are noticed by their times`(interval: Double) throws {
        var times: [Double] = []
        for seed in 0..<10 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let one = Device(interval: interval), other = Device(interval: interval, received: 0.8, level: -62)
            let receptions =
                one.receptions(until: 900, using: &generator) + other.receptions(until: 900, using: &generator)
            if let time = proved(receptions) { times.append(time) }
        }
        #expect(times.count >= 8, "of 10 pairs at \(interval) s")
        #expect(try #require(times.min()) >= 30)
    }

    @Test func `levels that alternate with the times are noticed sooner`() {
        var (alike, apart) = (0.0, 0.0)
        for seed in 0..<10 {
            for level in [-62, -85] {
                var generator = SeededGenerator(seed: UInt64(seed))
                let one = Device(interval: 0.546), other = Device(interval: 0.546, level: level)
                let receptions =
                    one.receptions(until: 900, using: &generator) + other.receptions(until: 900, using: &generator)
                let time = proved(receptions) ?? 900
                if level == -62 { alike += time } else { apart += time }
            }
        }
        #expect(apart < alike)
    }

    @Test func `one of two devices that leaves does not count any more`() {
        var generator = SeededGenerator(seed: 4)
        let pair =
            Device(interval: 0.211).receptions(until: 300, using: &generator)
            + Device(interval: 0.211, level: -80).receptions(until: 300, using: &generator)
        let rest = Device(interval: 0.211, start: 300).receptions(until: 500, using: &generator)
        var monitor = listening(region())
        var counts: [Int: Int] = [:]
        for (time, rssi) in (pair + rest).sorted(by: { $0.time < $1.time }) {
            var sighting = beacon()
            (sighting.address, sighting.rssi) = (7, rssi)
            _ = monitor.sighted(sighting, at: at(time))
            counts[Int(time)] = monitor.beaconSnapshots(since: at(0)).first?.transmitters
        }
        #expect(counts[290] == 2 && counts[499] == 1)
    }

    @Test(arguments: [0.02, 0.03, 0.05, 0.1, 0.152, 0.211, 0.318, 0.417, 0.546, 0.852, 1.022, 2.0])
    func `one device remains one, however it fades and however the scan pauses`(interval: Double) {
        for seed in 0..<6 {
            var generator = SeededGenerator(seed: UInt64(seed))
            for received in [0.99, 0.7, 0.3] {
                // At rest the three channels differ by up to 40 dB.
                let device = Device(
                    interval: interval, received: received, jitter: [0.001, 0.008, 0.02][seed % 3],
                    channels: seed % 2 == 0 ? [0, -12, -30] : [0, 0, 0])
                let all = device.receptions(until: 600, using: &generator)
                let kinds: [(String, [(time: Double, rssi: Int8)])] = [
                    ("continuous", all),
                    ("shared", all.filter { $0.time.truncatingRemainder(dividingBy: 0.1325) < 0.06625 }),
                    ("sparse", all.filter { $0.time.truncatingRemainder(dividingBy: 1.28) < 0.3 }),
                    ("Wi-Fi", all.filter { $0.time.truncatingRemainder(dividingBy: 0.1024) < 0.06 }),
                    ("bursts", all.filter { Int($0.time / 7) % 3 != 1 }),
                    ("late", all.map { (($0.time / 0.01).rounded(.up) * 0.01, $0.rssi) }),
                ]
                for (name, receptions) in kinds {
                    #expect(proved(receptions) == nil, "\(name), \(received) received, seed \(seed)")
                }
            }
        }
    }

    @Test func `a burst of one frame and times that go back prove nothing`() {
        var receptions: [(time: Double, rssi: Int8)] = []
        for second in 0..<600 {
            for copy in 0..<5 { receptions.append((Double(second) + Double(copy) / 1000, -60)) }
        }
        #expect(proved(receptions) == nil)
        var monitor = listening(region())
        for second in 0..<600 {
            var sighting = beacon()
            sighting.address = 7
            _ = monitor.sighted(sighting, at: at(Double(second)))
            _ = monitor.sighted(sighting, at: at(Double(max(0, second - 3))))
        }
        #expect(monitor.beaconSnapshots(since: at(0)).first?.transmitters == 1)
    }
}
