import OkaeriDaemonTestSupport
import OkaeriEvents
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriListening

@Suite struct FlapLedgerTests {
    private let ledger = FlapLedger(FlapLedgerTests.regions(exitRSSI: -78))

    private static func regions(exitRSSI: Int?) -> [MonitoredRegion] {
        var region = monitored()
        (region.enterRSSI, region.exitRSSI) = (-70, exitRSSI)
        return [region]
    }

    private func time(_ seconds: Double) -> Int64 { evening + nanoseconds(seconds) }

    /// The region is left `absence` seconds before each of these moments, and then entered.
    private func enter(at moments: [Double], after absence: Double = 20) {
        for moment in moments {
            ledger.determined("home", .outside, at: time(moment - absence))
            ledger.determined("home", .inside, at: time(moment))
        }
    }

    private func returns(at seconds: Double) -> Int? { ledger.report(region: "home", now: time(seconds))?.returns }

    private let often = (1...10).map { Double($0) * 60 }

    @Test func `returns are counted for an hour`() {
        enter(at: often)
        #expect(returns(at: 600) == 10)
        #expect(returns(at: 3600 + 90) == 9)
        #expect(returns(at: 3600 + 300) == nil, "fewer than six are not flapping")
        #expect(returns(at: 0) == nil, "a clock that was set back")
    }

    @Test func `a person who comes back after more than five minutes has been away`() {
        enter(at: (1...8).map { Double($0) * 400 }, after: 301)
        #expect(returns(at: 3400) == nil)
    }

    @Test func `an entry without an exit before is not one of a flapping region`() {
        for second in often {
            ledger.determined("home", .inside, at: time(second))
            ledger.determined("home", .unknown, at: time(second + 1))
        }
        #expect(returns(at: 600) == nil)
    }

    @Test func `a return from silence is not a matter of the thresholds`() {
        enter(at: often)
        for second in often.dropFirst(4) {
            ledger.silenceEnded(
                SilenceRecord(
                    time: time(second), region: "home",
                    silence: EndedSilence(
                        length: .seconds(30),
                        exitTimes: .init(quick: .seconds(8), balanced: .seconds(12), patient: .seconds(20)),
                        leftFor: .seconds(10))))
        }
        #expect(returns(at: 600) == nil)
    }

    @Test func `other thresholds begin a new count, the same ones go on`() {
        enter(at: often)
        ledger.reload(Self.regions(exitRSSI: -78))
        #expect(returns(at: 600) == 10)
        ledger.reload(Self.regions(exitRSSI: -92))
        #expect(returns(at: 600) == nil)
        enter(at: often)
        ledger.reload(Self.regions(exitRSSI: nil))
        ledger.reload(Self.regions(exitRSSI: -92))
        #expect(returns(at: 600) == nil)
    }

    @Test func `a thousand returns are enough`() {
        enter(at: (1...1500).map { Double($0) * 2 }, after: 1)
        #expect(returns(at: 3001) == 1000)
    }
}
