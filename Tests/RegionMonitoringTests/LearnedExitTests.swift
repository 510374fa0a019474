import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Regions without an exit time of their own.
@Suite(.computes) struct LearnedExitTests {
    private func learning(_ sensitivity: Sensitivity = .balanced) -> MonitoredRegion {
        MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100)), sensitivity: sensitivity)
    }

    /// Receives the beacon at these gaps, from `start` on, and returns the second of the last advertisement.
    private func hear(
        _ monitor: inout RegionMonitor, _ gaps: [Double], from start: Double = 0, rssi: Int8 = -70, minor: UInt16 = 100
    ) -> Double {
        var now = start
        for gap in gaps {
            now += gap
            #expect(monitor.run(to: now).allSatisfy { $0.action.label != "exit" }, "away at \(now) s")
            _ = monitor.sighted(beacon(minor, rssi: rssi), at: at(now))
        }
        return now
    }

    /// Returns the time from `last` until the region is left.
    private func delay(_ monitor: inout RegionMonitor, after last: Double) -> Double? {
        monitor.run(to: last + 1000).first { $0.action.label == "exit" }.map { $0.time - last }
    }

    @Test func `before anything is learned it is thirty-five seconds`() {
        var monitor = listening(learning())
        let last = hear(&monitor, [1, 1, 1])
        #expect(delay(&monitor, after: last) == 35)
    }

    @Test func `a beacon that never pauses is gone soon, one that often does is waited for`() throws {
        var steady = listening(learning())
        var last = hear(&steady, Array(repeating: 1, count: 300))
        #expect(try #require(delay(&steady, after: last)) == 14)

        var patchy = listening(learning())
        let gaps = (0..<300).map { $0 % 12 == 0 ? 9.0 : $0 % 5 == 0 ? 4 : 1 }
        last = hear(&patchy, gaps)
        let waited = try #require(delay(&patchy, after: last))
        #expect(waited > 14 && waited < 60, "\(waited)")
    }

    @Test func `a gap that occurs once in an hour is remembered`() {
        var monitor = listening(learning())
        var last = 0.0
        var exits: [Int] = []
        for hour in 0..<12 {
            for gap in Array(repeating: 1.0, count: 3575) + [25] {
                last += gap
                if monitor.run(to: last).contains(where: { $0.action.label == "exit" }) { exits.append(hour) }
                _ = monitor.sighted(beacon(), at: at(last))
            }
        }
        // It must be wrong a few times to learn of it. A memory of minutes has forgotten it each time.
        #expect(exits.allSatisfy { $0 <= 2 }, "\(exits)")
    }

    @Test func `a day's listening goes on by hundredths of a second`() throws {
        var monitor = RegionMonitor([learning()], at: at(0))
        let day = LearnedSilences.Gaps(counts: [20], listened: 120_000)
        let silences = LearnedSilences(minutes: .init(), day: day, learned: 15)
        monitor.restored(.init(beacons: [.init(identity: beacon().identity, silences: silences)]))
        _ = monitor.adapterRecovered(at: at(0))
        for step in 0...15_000 { _ = monitor.sighted(beacon(), at: at(Double(step) / 50)) }
        let tail = try #require(monitor.judgements(at: at(300), limit: 1)[0].first?.exit.tail)
        #expect(abs(tail.listened / .seconds(1) - 120_300) < 1, "\(tail.listened)")
    }

    @Test func `where it is heard badly now it is waited for now, however good the day was`() {
        var monitor = listening(learning())
        var last = hear(&monitor, Array(repeating: 1, count: 20 * 3600))
        #expect(monitor.regionSnapshots[0].exitTime == .seconds(14))
        last = hear(&monitor, (0..<180).map { step -> Double in step % 4 == 0 ? Double(9 + step % 5) : 4 }, from: last)
        let timing = monitor.judgements(at: at(last), limit: 1)[0].first?.exit
        #expect(timing?.memory == .minutes)
        #expect(timing.map { $0.time > .seconds(14) } ?? false, "\(String(describing: timing))")
    }

    @Test func `after a bad quarter of an hour it recovers within days`() throws {
        var monitor = listening(learning())
        var last = hear(&monitor, Array(repeating: 1, count: 3600))
        last = hear(&monitor, (0..<180).map { step -> Double in step % 6 == 0 ? Double(11 + step % 5) : 4 }, from: last)
        let bad = monitor.regionSnapshots[0].exitTime
        last = hear(&monitor, Array(repeating: 1, count: 7 * 86_400), from: last)
        let recovered = monitor.regionSnapshots[0].exitTime
        #expect(bad > .seconds(18), "\(bad)")
        #expect(recovered == .seconds(14), "\(recovered)")
        #expect(abs(try #require(delay(&monitor, after: last)) - recovered / .seconds(1)) < 0.001)
    }

    @Test func `a gap is learned, too, that ends as the day's memory ages`() {
        var monitor = listening(learning())
        // It ages in steps of 864 s: after nineteen hours every length of a long gap is forgotten, and the next step is near.
        var last = hear(&monitor, Array(repeating: 1, count: 80 * 865 + 800))
        _ = monitor.run(to: last + 120)
        _ = monitor.sighted(beacon(rssi: -70), at: at(last + 120))
        last = hear(&monitor, Array(repeating: 1, count: 7200), from: last + 120)
        #expect(monitor.regionSnapshots[0].exitTime > .seconds(20))
    }

    @Test(arguments: [20.0, 1, 100])
    func `after a night of bad reception the exit time follows the good days`(shortest: Double) {
        var generator = SeededGenerator(seed: 11)
        var monitor = listening(learning())
        var last = 0.0
        while last < 8 * 3600 {
            last += .random(in: shortest...200, using: &generator)
            _ = monitor.run(to: last)
            _ = monitor.sighted(beacon(rssi: -70), at: at(last))
            for _ in 0..<60 {
                last += 1
                _ = monitor.sighted(beacon(rssi: -70), at: at(last))
            }
        }
        #expect(monitor.regionSnapshots[0].exitTime > .seconds(150))
        last = hear(&monitor, Array(repeating: 1, count: 86_400), from: last)
        #expect(monitor.regionSnapshots[0].exitTime <= .seconds(60))
        last = hear(&monitor, Array(repeating: 1, count: 86_400), from: last)
        #expect(monitor.regionSnapshots[0].exitTime <= .seconds(20))
    }

    @Test func `no number is frozen after the first samples`() {
        var monitor = listening(learning())
        var last = hear(&monitor, Array(repeating: 1, count: 17))
        var times = [monitor.regionSnapshots[0].exitTime]
        for gaps in [Array(repeating: 11.0, count: 300), Array(repeating: 1, count: 3 * 86_400)] {
            last = hear(&monitor, gaps.enumerated().map { $0.offset % 4 == 0 ? $0.element : 1 }, from: last)
            times.append(monitor.regionSnapshots[0].exitTime)
        }
        #expect(times[1] > times[0] && times[2] < times[1], "\(times)")
        func tail(_ now: Double) -> Duration? {
            monitor.judgements(at: at(now), limit: 1)[0].first?.exit.tail?.longest
        }
        let before = tail(last) ?? .zero
        last = hear(&monitor, [11.5], from: last)
        #expect(tail(last).map { $0 > before } ?? false, "every gap tells something, the last too")
    }

    @Test(arguments: [5.0, 10, 21])
    func `a tag that is rarely heard is not a special case`(interval: Double) throws {
        var generator = SeededGenerator(seed: 5)
        var monitor = listening(learning())
        var last = 0.0
        // Every third advertisement is lost; in the first minutes that cannot be known.
        var exits = 0
        for _ in 0..<2000 {
            let lost = (0..<20).first { _ in .random(in: 0..<3, using: &generator) > 0 } ?? 0
            last += interval * Double(lost + 1)
            exits += monitor.run(to: last).count { $0.action.label == "exit" }
            _ = monitor.sighted(beacon(), at: at(last))
        }
        #expect(exits <= 3, "\(exits) in \(last / 3600) hours")
        let waited = try #require(delay(&monitor, after: last))
        #expect(waited > 5 * interval && waited <= 300, "\(waited)")
    }

    @Test func `the exit time follows a tag beyond two minutes where it must`() {
        var monitor = listening(learning())
        var last = 0.0
        for step in 0..<400 {
            last += step % 20 == 19 ? 130 : 20
            _ = monitor.sighted(beacon(), at: at(last))
        }
        #expect(monitor.regionSnapshots[0].exitTime > .seconds(130))
    }

    @Test func `an exit that was not one is a lesson, an absence is not`() {
        func after(_ absence: Double, fadingTo rssi: Int8, backAt back: Int8) -> Duration {
            var monitor = listening(learning())
            var last = hear(&monitor, Array(repeating: 1, count: 1800))
            last = hear(&monitor, (0..<12).map { _ in 1 }, from: last, rssi: rssi)
            #expect(monitor.run(to: last + absence).contains { $0.action.label == "exit" })
            _ = monitor.sighted(beacon(rssi: back), at: at(last + absence))
            _ = hear(&monitor, Array(repeating: 1, count: 300), from: last + absence)
            return monitor.regionSnapshots[0].exitTime
        }
        #expect(after(60, fadingTo: -70, backAt: -70) > .seconds(20), "it sat there all the time")
        #expect(after(60, fadingTo: -92, backAt: -90) == .seconds(14), "it was carried away, and back")
        #expect(after(3600, fadingTo: -70, backAt: -70) == .seconds(14), "an hour is not a gap")
    }

    @Test func `a beacon that falls silent at full strength is waited for longer than a faint one`() {
        func time(_ rssi: Int8) -> Duration {
            var monitor = listening(learning())
            _ = hear(&monitor, (0..<600).map { $0 % 12 == 0 ? 9.0 : 1 }, rssi: rssi)
            return monitor.regionSnapshots[0].exitTime
        }
        #expect(time(-50) > time(-90))
        #expect(time(-50) < time(-90) * 1.5)
    }

    @Test func `a quick region is left sooner than a balanced one, and that sooner than a patient one`() throws {
        let steady = try Sensitivity.allCases.map { sensitivity in
            var monitor = listening(learning(sensitivity))
            let last = hear(&monitor, Array(repeating: 1, count: 300))
            return try #require(delay(&monitor, after: last))
        }
        #expect(steady == [8, 14, 24])
        let patchy = Sensitivity.allCases.map { sensitivity in
            var monitor = listening(learning(sensitivity))
            _ = hear(&monitor, (0..<300).map { step -> Double in step % 12 == 0 ? 7 + Double(step % 5) * 0.2 : 1 })
            return monitor.regionSnapshots[0].exitTime
        }
        #expect(patchy[0] < patchy[1] && patchy[1] < patchy[2], "\(patchy)")
        #expect(patchy[0] > .seconds(8))
    }

    @Test func `a sinking signal is waited for up to two fifths longer`() {
        var steady = listening(learning())
        var sinking = listening(learning())
        let gaps = (0..<200).map { step -> Double in step % 9 == 0 ? Double(9 + step % 5) : 1 }
        _ = hear(&steady, gaps, rssi: -70)
        let last = hear(&sinking, gaps, rssi: -70)
        let before = sinking.regionSnapshots[0].exitTime
        _ = hear(&sinking, [1, 1, 1, 1], from: last, rssi: -90)
        let after = sinking.regionSnapshots[0].exitTime
        #expect(after > before * 1.2 && after <= before * 1.45, "\(before) became \(after)")
    }

    @Test func `our own pauses teach nothing`() {
        var monitor = listening(learning())
        var last = hear(&monitor, Array(repeating: 1, count: 100))
        let before = monitor.regionSnapshots[0].exitTime
        for _ in 0..<20 {
            monitor.listeningPaused(at: at(last + 0.5))
            monitor.listeningResumed(at: at(last + 20.5))
            _ = monitor.sighted(beacon(), at: at(last + 21))
            last += 21
        }
        #expect(monitor.regionSnapshots[0].exitTime <= before, "a second of listening is a second, not twenty-one")
    }

    @Test func `a lost adapter teaches nothing and is not silence`() throws {
        var monitor = listening(learning())
        var last = hear(&monitor, Array(repeating: 1, count: 100))
        let before = monitor.regionSnapshots[0].exitTime
        for _ in 0..<20 {
            _ = monitor.adapterLost(at: at(last + 0.5))
            #expect(monitor.run(to: last + 600).allSatisfy { $0.action.label != "exit" })
            _ = monitor.adapterRecovered(at: at(last + 600))
            _ = monitor.sighted(beacon(rssi: -70), at: at(last + 600.5))
            last += 600.5
        }
        #expect(monitor.regionSnapshots[0].exitTime <= before)
        let after = monitor.regionSnapshots[0].exitTime / .seconds(1)
        #expect(abs(try #require(delay(&monitor, after: last)) - after) < 0.001, "\(before) \(after)")
    }

    @Test func `a pause in the middle of a silence is not part of it`() throws {
        var monitor = listening(learning())
        let last = hear(&monitor, Array(repeating: 1, count: 100))
        let time = monitor.regionSnapshots[0].exitTime / .seconds(1)
        // As long as a Wi-Fi is being joined, the antenna is not ours.
        monitor.listeningPaused(at: at(last + 5))
        #expect(monitor.run(to: last + 65).isEmpty)
        monitor.listeningResumed(at: at(last + 65))
        #expect(abs(try #require(delay(&monitor, after: last)) - time - 60) < 0.001)
    }

    @Test func `of several beacons the one that is waited for longest decides`() {
        var monitor = listening(learning())
        let gaps = (0..<200).map { $0 % 10 == 0 ? 8.0 : 1 }
        var last = hear(&monitor, gaps, minor: 1)
        let patchy = monitor.regionSnapshots[0].exitTime
        last = hear(&monitor, Array(repeating: 0.1, count: 30), from: last, minor: 2)
        #expect(monitor.run(to: last - 3 + (patchy / .seconds(1)) - 0.1).allSatisfy { $0.action.label != "exit" })
    }

    @Test func `it is bounded, whatever comes`() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<30 {
            var monitor = listening(learning())
            var now = 0.0
            for _ in 0..<200 {
                now += pow10(Double.random(in: -3...3, using: &generator))
                _ = monitor.sighted(beacon(rssi: Int8.random(in: .min ... .max, using: &generator)), at: at(now))
                let time = monitor.regionSnapshots[0].exitTime
                #expect(time >= Sensitivity.balanced.shortestExitAfter && time <= .seconds(300), "\(time)")
            }
        }
    }

    private func pow10(_ x: Double) -> Double {
        PathLoss.accuracy(signal: -59 - 20 * x, measuredPower: -59, exponent: 2)
    }

    @Test func `an exit time that is configured is not learned`() {
        var monitor = listening(region(after: 7))
        let last = hear(&monitor, Array(repeating: 1, count: 300))
        #expect(delay(&monitor, after: last) == 7)
    }
}
