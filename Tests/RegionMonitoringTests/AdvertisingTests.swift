import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// The learned advertising pattern, from advertisements as a beacon sends them: an interval, a random delay of up to
/// ten milliseconds each time, and losses.
@Suite struct AdvertisingTests {
    private var generator = SeededGenerator(seed: 2026)

    /// Hears a beacon for so many seconds from `start` on; each advertisement in `copies`, a millisecond apart.
    private mutating func hear(
        _ monitor: inout RegionMonitor, every interval: Double, loss: Double, from start: Double = 0,
        for seconds: Double, copies: Int = 1
    ) -> Double {
        var now = start
        while now < start + seconds {
            now += interval + Double.random(in: 0...0.01, using: &generator)
            guard Double.random(in: 0..<1, using: &generator) >= loss else { continue }
            for copy in 0..<copies { _ = monitor.sighted(beacon(), at: at(now + Double(copy) / 1000)) }
        }
        return now
    }

    private func pattern(_ monitor: RegionMonitor, at now: Double) -> AdvertisingPattern? {
        monitor.judgements(at: at(now), limit: 1)[0].first?.advertising
    }

    @Test(
        arguments: [
            (0.1, 0, 60), (0.1, 0.3, 60), (0.1, 0.7, 60), (0.02, 0.3, 60), (0.25, 0.5, 120), (0.35, 0.5, 120),
            (0.7, 0.2, 180), (1, 0, 180), (1, 0.3, 300), (1, 0.6, 900), (1.285, 0.3, 300), (3, 0.2, 900),
            (10.24, 0.1, 3600),
        ] as [(Double, Double, Double)])
    mutating func `the interval and the loss are recovered`(interval: Double, loss: Double, seconds: Double) throws {
        var monitor = listening(region())
        let end = hear(&monitor, every: interval, loss: loss, for: seconds)
        let found = try #require(pattern(monitor, at: end))
        #expect(abs(found.interval / .seconds(interval + 0.005) - 1) < 0.06, "\(found)")
        #expect(abs(found.loss - loss) < 0.06, "\(found)")
    }

    @Test mutating func `what is sent on three channels is one advertisement`() throws {
        var monitor = listening(region())
        let end = hear(&monitor, every: 0.1, loss: 0.3, for: 60, copies: 3)
        let found = try #require(pattern(monitor, at: end))
        #expect(abs(found.interval / .seconds(0.105) - 1) < 0.04, "\(found)")
        #expect(abs(found.loss - 0.3) < 0.06, "\(found)")
    }

    @Test func `nothing is reported before enough is learned`() {
        var monitor = listening(region())
        for second in 0..<15 {
            _ = monitor.sighted(beacon(), at: at(Double(second)))
            #expect(pattern(monitor, at: Double(second)) == nil)
        }
        _ = monitor.sighted(beacon(), at: at(15))
        #expect(pattern(monitor, at: 15)?.interval == .seconds(1))
        #expect(pattern(monitor, at: 15)?.loss == 0)
    }

    @Test func `a few short gaps that came by chance do not mislead`() throws {
        var monitor = listening(region())
        var now = 0.0
        for gap in [1.0, 2, 0.38, 1, 0.4, 3, 1, 2, 1, 0.35, 1, 4, 2, 1, 1, 2, 1, 3] {
            now += gap
            _ = monitor.sighted(beacon(), at: at(now))
        }
        #expect(try #require(pattern(monitor, at: now)).interval == .seconds(1))
    }

    /// As phones are seen to receive such a tag: late by some tenths, some reports twice, some advertisements lost.
    @Test mutating func `a tag's interval is found from the first gaps on, through a phone's jitter`() throws {
        var monitor = listening(region())
        var due = 0.0
        var now = 0.0
        for _ in 0..<90 {
            due += 1 + Double.random(in: 0...0.01, using: &generator)
            guard Double.random(in: 0..<1, using: &generator) >= 0.15 else { continue }
            now = max(now, due + Double.random(in: 0...0.25, using: &generator))
            for _ in 0..<(Double.random(in: 0..<1, using: &generator) < 0.1 ? 2 : 1) {
                _ = monitor.sighted(beacon(), at: at(now))
            }
            guard let found = pattern(monitor, at: now) else { continue }
            #expect(abs(found.interval / .seconds(1) - 1) < 0.15, "\(now) s: \(found)")
        }
        #expect(pattern(monitor, at: now) != nil)
    }

    @Test mutating func `an hour behind a wall leaves the interval as it is`() throws {
        var monitor = listening(region())
        var end = hear(&monitor, every: 1, loss: 0.1, for: 600)
        end = hear(&monitor, every: 1, loss: 0.85, from: end, for: 3600)
        let found = try #require(pattern(monitor, at: end))
        #expect(abs(found.interval / .seconds(1.005) - 1) < 0.04, "\(found)")
        #expect(abs(found.loss - 0.85) < 0.05, "\(found)")
    }

    @Test mutating func `a beacon that was set to another interval is learned anew`() throws {
        var monitor = listening(region())
        var end = hear(&monitor, every: 0.1, loss: 0.2, for: 1800)
        end = hear(&monitor, every: 1, loss: 0.2, from: end, for: 4 * 3600)
        let found = try #require(pattern(monitor, at: end))
        #expect(abs(found.interval / .seconds(1.005) - 1) < 0.04, "\(found)")
    }

    @Test mutating func `neither an absence nor a pause of ours is loss`() throws {
        var monitor = listening(region())
        var end = 0.0
        for _ in 0..<20 {
            end = hear(&monitor, every: 1, loss: 0, from: end + 120, for: 30)
            monitor.listeningPaused(at: at(end + 0.3))
            monitor.listeningResumed(at: at(end + 15.3))
            end += 15
        }
        let found = try #require(pattern(monitor, at: end))
        #expect(abs(found.interval / .seconds(1.005) - 1) < 0.04, "\(found)")
        #expect(found.loss < 0.02, "\(found)")
    }

    @Test mutating func `whatever comes, the numbers are numbers`() {
        for _ in 0..<20 {
            var monitor = listening(region())
            var now = 0.0
            for _ in 0..<300 {
                now += PathLoss.accuracy(
                    signal: Double.random(in: -130 ... -10, using: &generator), measuredPower: -59, exponent: 2)
                _ = monitor.sighted(beacon(), at: at(now - Double.random(in: 0...1, using: &generator)))
                guard let found = pattern(monitor, at: now) else { continue }
                #expect(found.interval > .zero && found.interval < .seconds(33))
                #expect(0...1 ~= found.loss)
            }
        }
    }
}
