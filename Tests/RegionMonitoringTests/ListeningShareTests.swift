import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// A receiver that is in a scan window for a part of the time.
@Suite struct ListeningShareTests {
    private let learning = MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100)))

    /// A monitor that received the beacon once a second for ten minutes, the first time at 0 s.
    private func taught(_ region: MonitoredRegion, share: Double = 1) -> RegionMonitor {
        var monitor = listening(region)
        monitor.listeningShareChanged(to: share, at: at(0))
        for second in 0...600 {
            _ = monitor.run(to: Double(second))
            _ = monitor.sighted(beacon(), at: at(Double(second)))
        }
        return monitor
    }

    private func exit(_ monitor: inout RegionMonitor) -> Double? {
        monitor.run(to: 3000).first { $0.action.label == "exit" }?.time
    }

    @Test(arguments: [1, 0.5, 0.25]) func `a learned time is listening time`(share: Double) {
        var monitor = taught(learning, share: share)
        #expect(monitor.regionSnapshots[0].exitTime == .seconds(14))
        #expect(exit(&monitor) == 600 + 14 / share)
    }

    @Test(arguments: [1, 0.5, 0.01]) func `a configured time is counted in seconds of the scan`(share: Double) {
        var monitor = taught(region(after: 30), share: share)
        #expect(exit(&monitor) == 630)
    }

    @Test func `what is learned with half the time holds with the whole`() {
        var monitor = taught(learning, share: 0.5)
        monitor.listeningShareChanged(to: 1, at: at(600))
        #expect(exit(&monitor) == 614)
    }

    @Test func `a share that changes within a silence counts each part by its own share`() {
        var monitor = taught(learning, share: 0.5)
        #expect(monitor.run(to: 608).isEmpty)
        // Four of fourteen seconds are over, and then ten.
        monitor.listeningShareChanged(to: 1, at: at(608))
        #expect(monitor.run(to: 614).isEmpty)
        monitor.listeningShareChanged(to: 0.25, at: at(614))
        #expect(exit(&monitor) == 630)
    }

    @Test func `a restart of the scan counts nothing, whatever the share is afterwards`() {
        var monitor = taught(learning)
        monitor.listeningPaused(at: at(604))
        #expect(monitor.nextDeadline == nil)
        monitor.listeningShareChanged(to: 0.5, at: at(700))
        monitor.listeningResumed(at: at(700))
        #expect(exit(&monitor) == 720)
    }

    @Test func `a gap of a sparse scan is learned in listening time`() {
        var (whole, half) = (listening(learning), listening(learning))
        half.listeningShareChanged(to: 0.5, at: at(0))
        for step in 0..<600 {
            _ = whole.sighted(beacon(), at: at(Double(step * 4)))
            _ = half.sighted(beacon(), at: at(Double(step * 8)))
        }
        #expect(whole.regionSnapshots[0].exitTime == half.regionSnapshots[0].exitTime)
    }

    @Test(arguments: [0, -1, Double.nan, 2]) func `a share that no scan has counts as the whole`(share: Double) {
        var monitor = taught(learning, share: share)
        #expect(exit(&monitor) == 614)
    }

    @Test func `the ends of the clock trap with no share`() {
        for share in [0.0002, 0.3, 1] {
            var monitor = listening(learning)
            monitor.listeningShareChanged(to: share, at: Instant(nanoseconds: .max))
            _ = monitor.sighted(beacon(), at: Instant(nanoseconds: .max))
            monitor.listeningPaused(at: Instant(nanoseconds: .min))
            monitor.listeningResumed(at: Instant(nanoseconds: .min))
            _ = monitor.advanced(to: Instant(nanoseconds: .max))
            #expect(monitor.regionSnapshots[0].state != .unknown)
        }
    }
}

/// A beacon that keeps a region inside and is late, in a scan with a share of the time.
@Suite struct LatenessTests {
    private let learning = MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100)))

    /// A monitor that received the beacon at multiples of `interval`, up to 600 s, with half the time.
    private func taught(_ region: MonitoredRegion, interval: Double = 1, share: Double = 0.5) -> RegionMonitor {
        var monitor = listening(region)
        monitor.listeningShareChanged(to: share, at: at(0))
        for step in 0...Int(600 / interval) {
            _ = monitor.run(to: Double(step) * interval)
            _ = monitor.sighted(beacon(), at: at(Double(step) * interval))
            #expect(monitor.hasLateBeacon == false)
        }
        return monitor
    }

    /// Returns the second at which the beacon becomes late.
    private func lateness(_ monitor: inout RegionMonitor) -> Double? {
        while let deadline = monitor.nextDeadline, deadline <= at(2000) {
            _ = monitor.advanced(to: deadline)
            if monitor.hasLateBeacon { return Double(deadline.nanoseconds) / 1e9 }
        }
        return nil
    }

    @Test func `a beacon is late before its exit is decided, by its own standard`() throws {
        var quick = taught(learning)
        var slow = taught(learning, interval: 10)
        let (ofSecond, ofTenth) = (lateness(&quick), lateness(&slow))
        let (second, tenth) = (try #require(ofSecond), try #require(ofTenth))
        #expect(second > 602 && second <= 606, "\(second)")
        #expect(tenth > 610 && tenth <= 630, "\(tenth)")
    }

    @Test func `a reception ends it`() throws {
        var monitor = taught(learning)
        let found = lateness(&monitor)
        let late = try #require(found)
        _ = monitor.sighted(beacon(), at: at(late + 1))
        #expect(!monitor.hasLateBeacon)
        let next = lateness(&monitor)
        #expect(try #require(next) > late + 2)
    }

    @Test func `the exit ends it`() throws {
        var monitor = taught(learning)
        let isLate = lateness(&monitor) != nil
        #expect(isLate)
        #expect(monitor.run(to: 1000).contains { $0.action.label == "exit" })
        #expect(!monitor.hasLateBeacon && monitor.nextDeadline == nil)
    }

    @Test func `it lasts while the scan listens fully, and the exit comes sooner`() throws {
        var monitor = taught(learning)
        let found = lateness(&monitor)
        let late = try #require(found)
        monitor.listeningShareChanged(to: 1, at: at(late))
        #expect(monitor.hasLateBeacon)
        let exit = try #require(monitor.run(to: 1000).first { $0.action.label == "exit" })
        #expect(exit.time == late + 14 - (late - 600) / 2)
        #expect(!monitor.hasLateBeacon)
    }

    @Test func `no beacon is late for a receiver that always listens`() {
        var monitor = taught(learning, share: 1)
        let isLate = lateness(&monitor) != nil
        #expect(!isLate)
    }

    @Test func `a configured time has a late beacon at its half at the latest`() throws {
        var monitor = taught(region(after: 4), interval: 0.5)
        let late = lateness(&monitor)
        #expect(try #require(late) <= 604)
    }

    @Test func `a lost adapter and a removed region have no late beacon`() throws {
        var lost = taught(learning)
        let wasLate = lateness(&lost) != nil
        #expect(wasLate)
        _ = lost.adapterLost(at: at(610))
        #expect(!lost.hasLateBeacon)
        var removed = taught(learning)
        let isLate = lateness(&removed) != nil
        #expect(isLate)
        _ = removed.regionsReplaced(with: [], at: at(610))
        #expect(!removed.hasLateBeacon && removed.nextDeadline == nil)
    }

    @Test func `beacons that are there are late for a small part of the time`() throws {
        var generator = SeededGenerator(seed: 3)
        for interval in [1.0, 2, 5, 10] {
            var monitor = listening(learning)
            monitor.listeningShareChanged(to: 0.5, at: at(0))
            var (now, late, lateSince) = (0.0, 0.0, Double?.none)
            for _ in 0..<Int(14_400 / interval) {
                now += interval
                while let deadline = monitor.nextDeadline, deadline <= at(now) {
                    _ = monitor.advanced(to: deadline)
                    if monitor.hasLateBeacon, lateSince == nil { lateSince = Double(deadline.nanoseconds) / 1e9 }
                }
                // Two thirds of the advertisements are lost.
                guard Int.random(in: 0..<3, using: &generator) == 0 else { continue }
                _ = monitor.sighted(beacon(), at: at(now))
                if let since = lateSince { late += now - since }
                lateSince = nil
            }
            #expect(late / now < 0.06, "\(interval) s: \(late / now)")
        }
    }
}
