import IBeacon
import Testing

@testable import RegionMonitoring

@Suite struct JudgementTests {
    /// Thirty gaps of 8 to 13 s among gaps of 1 s.
    private let patchyGaps: [Double] = (0..<300).map { step -> Double in
        guard step % 10 == 0 else { return 1 }
        return Double(step % 30) / 4 + 8
    }

    private func learning() -> MonitoredRegion {
        MonitoredRegion(BeaconRegion(identifier: "home", constraint: .major(uuid, 100)))
    }

    private func hear(_ monitor: inout RegionMonitor, _ gaps: [Double], from start: Double = 0, rssi: Int8 = -70)
        -> Double
    {
        var now = start
        for gap in gaps {
            now += gap
            _ = monitor.sighted(beacon(rssi: rssi), at: at(now))
        }
        return now
    }

    /// Without the tail, which is of the recorded gaps and has tests of its own.
    private func exit(_ monitor: RegionMonitor, at now: Double) -> ExitTiming? {
        var exit = monitor.judgements(at: at(now), limit: 1)[0].first?.exit
        exit?.tail = nil
        exit?.memory = nil
        exit?.falseExits = nil
        return exit
    }

    @Test func `the basis of a learned time is reported`() throws {
        var monitor = listening(learning())
        let gaps = (0..<2000).map { step -> Double in
            guard step < 1000, step % 50 == 49 else { return 1 }
            return Double(step % 3) + 8
        }
        let now = hear(&monitor, gaps)
        let exit = try #require(monitor.judgements(at: at(now), limit: 1)[0].first?.exit)
        let tail = try #require(exit.tail)
        #expect(exit.memory == .day)
        #expect(abs(tail.gaps - 6) < 0.5 && tail.start >= .seconds(8) && tail.longest >= .seconds(8))
        #expect(tail.longest <= .seconds(11))
        #expect(abs(tail.listened / .seconds(2160) - 1) < 0.05)
        #expect(try #require(exit.falseExits) < 1 && exit.time > tail.longest)
    }

    @Test func `a configured time is reported as such`() {
        var monitor = listening(region(after: 7))
        let now = hear(&monitor, Array(repeating: 1, count: 100))
        #expect(exit(monitor, at: now) == ExitTiming(time: .seconds(7), basis: .configured))
    }

    @Test func `until a beacon is known the initial time is in force, and the missing gaps are reported`() {
        var monitor = listening(learning())
        let now = hear(&monitor, Array(repeating: 1, count: 8))
        #expect(exit(monitor, at: now) == ExitTiming(time: .seconds(35), basis: .initial(gaps: 7, needed: 15)))
    }

    @Test func `a learned time is reported as one, with the bound that holds it`() throws {
        var steady = listening(learning())
        var now = hear(&steady, Array(repeating: 1, count: 300))
        #expect(
            exit(steady, at: now)
                == ExitTiming(time: Sensitivity.balanced.shortestExitAfter, basis: .learned, bound: .shortest))

        var patchy = listening(learning())
        now = hear(&patchy, patchyGaps)
        let learned = try #require(exit(patchy, at: now))
        #expect(learned.basis == .learned && learned.bound == nil && learned.prolongation == 1)
        #expect(learned.time == patchy.regionSnapshots[0].exitTime)

        var rare = listening(learning())
        now = hear(&rare, (0..<300).map { $0 % 2 == 0 ? 280 : 5 })
        #expect(exit(rare, at: now)?.bound == .longest)
    }

    @Test func `the prolongation for a sinking signal is reported`() throws {
        var monitor = listening(learning())
        var now = hear(&monitor, patchyGaps)
        let before = try #require(exit(monitor, at: now))
        now = hear(&monitor, [1, 1, 1], from: now, rssi: -78)
        let after = try #require(exit(monitor, at: now))
        #expect(after.prolongation > 1.1 && after.prolongation <= 1.4)
        #expect(abs(after.time / before.time / after.prolongation - 1) < 0.05)
    }

    @Test func `silence is what was listened to`() throws {
        var monitor = listening(region(after: 60))
        _ = monitor.sighted(beacon(), at: at(1))
        monitor.listeningPaused(at: at(6))
        #expect(monitor.judgements(at: at(26), limit: 1)[0][0].silence == .seconds(5))
        monitor.listeningResumed(at: at(36))
        let judgement = monitor.judgements(at: at(40), limit: 1)[0][0]
        #expect(judgement.silence == .seconds(9))
        #expect(judgement.beacon.lastHeard == at(1))
    }

    @Test func `the beacon heard last comes first, and only so many come`() {
        var monitor = listening(region(), region("other", .minor(uuid, 7, 7)))
        for minor in 1...20 as ClosedRange<UInt16> { _ = monitor.sighted(beacon(minor), at: at(Double(minor))) }
        let judgements = monitor.judgements(at: at(21), limit: 3)
        #expect(judgements[0].map(\.beacon.identity.minor) == [20, 19, 18])
        #expect(judgements[0].map(\.keepsInside) == [true, false, false])
        #expect(judgements[1].isEmpty)
    }

    @Test func `a beacon that has left is still reported`() {
        var monitor = listening(region(after: 5))
        _ = monitor.sighted(beacon(), at: at(1))
        _ = monitor.run(to: 100)
        let judgement = monitor.judgements(at: at(100), limit: 1)[0][0]
        #expect(!judgement.keepsInside)
        #expect(judgement.silence == .seconds(99))
    }
}
