import OkaeriPlumbing
import Testing

@testable import OkaeriRooms

/// The signal of late from means of fifteen seconds.
@Suite struct RecentSignalTests {
    /// The mean of the last 15 s of a signal that is -60 dBm before a moment, and -75 dBm from then on.
    private func mean(at time: Double, step: Double) -> Double {
        let gone = min(max(time - step, 0), 15)
        return (-60 * (15 - gone) - 75 * gone) / 15
    }

    @Test func `A step is followed by the second report behind it, where the mean is at a third of it`() {
        var recent = RecentSignal()
        var levels: [Double] = []
        for report in 1...16 {
            let time = Double(report) * 5
            levels.append(recent.heard(mean(at: time, step: 42), at: Int64(time * 1e9)))
        }
        #expect(levels[..<8].allSatisfy { abs($0 + 60) < 0.01 })
        // At 45 s, 3 of 5 s are behind the step; at 50 s all of them, and the mean is at -68 dBm.
        #expect(levels[8] < -64 && levels[9] < -69, "\(levels)")
        #expect(levels[15] < -74 && levels[15] > -76, "\(levels)")
    }

    @Test func `An error of a mean fades`() {
        var recent = RecentSignal()
        var levels: [Double] = []
        for report in 1...60 {
            levels.append(recent.heard(report == 20 ? -59 : -60, at: Int64(report) * 5 * Nanoseconds.second))
        }
        #expect(levels.allSatisfy { abs($0 + 60) < 4 } && abs((levels.last ?? 0) + 60) < 0.05, "\(levels)")
    }

    @Test func `A pause begins anew, and reports at once or out of order change nothing`() {
        var recent = RecentSignal()
        #expect(recent.heard(-60, at: 0) == -60)
        #expect(recent.heard(-80, at: 100_000_000) == -60, "a tenth of a second later")
        #expect(recent.heard(-80, at: 60 * Nanoseconds.second) == -80)
        #expect(recent.heard(-70, at: 30 * Nanoseconds.second) == -70, "the clock was set back")
        for time in [Int64.min, .max, 0, .max] { #expect((-110...0).contains(recent.heard(-70, at: time))) }
    }

    @Test func `Invented means stay within bounds`() {
        var recent = RecentSignal()
        for report in 0..<400 {
            let level = recent.heard(report.isMultiple(of: 2) ? -127 : 20, at: Int64(report) * 600_000_000)
            #expect((-127...20).contains(level))
        }
    }
}
