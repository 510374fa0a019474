import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

@Suite struct CalibrationTests {
    private func measured(_ readings: [Int?], minor: UInt16 = 1) -> Calibration {
        var calibration = Calibration()
        for rssi in readings { calibration.sighted(beacon(minor, rssi: rssi.map { Int8($0) }, power: -55)) }
        return calibration
    }

    private func failure(_ calibration: Calibration) -> Calibration.Failure? {
        do throws(Calibration.Failure) {
            _ = try calibration.level()
            return nil
        } catch {
            return error
        }
    }

    @Test func `the mean is that of the readings without the tails`() throws {
        let level = try measured([-120, -66, -65, -65, -64, -64, -63, -63, -62, 3]).level()
        #expect(level.mean == -64)
        #expect(level.kept == -66 ... -62)
        #expect(level.readings == 10)
        #expect(level.measuredPower == -64)
        #expect(level.claimedPower == -55)
    }

    @Test func `echoes of ten decibels do not move it`() throws {
        var generator = SeededGenerator(seed: 1)
        let readings = (0..<200).map { index in
            let echo = index % 8 == 0 ? Int.random(in: -25 ... -10, using: &generator) : 0
            return -61 + Int.random(in: -4...4, using: &generator) + echo
        }
        let level = try measured(readings).level()
        #expect(abs(level.mean + 61) < 1.2, "\(level.mean)")
    }

    @Test func `ten readings are needed, and one without a signal does not count`() {
        #expect(failure(measured([])) == .nothingHeard)
        #expect(failure(measured([nil, nil])) == .noSignal(receptions: 2))
        #expect(failure(measured(Array(repeating: -60, count: 9) + [nil])) == .tooFew(readings: 9, needed: 10))
        #expect(failure(measured(Array(repeating: -60, count: 10))) == nil)
    }

    @Test func `two beacons are refused, and named`() {
        var both = measured(Array(repeating: -60, count: 100))
        both.sighted(beacon(2))
        #expect(failure(both) == .severalBeacons([beacon(1).identity: 100, beacon(2).identity: 1]))
        for minor in 3...1000 as ClosedRange<UInt16> { both.sighted(beacon(minor)) }
        guard case .severalBeacons(let named) = failure(both) else {
            Issue.record("a crowd is refused")
            return
        }
        #expect(named.count == 16, "however many are invented")
    }

    @Test func `a beacon that is carried about is refused`() {
        #expect(failure(measured((0..<100).map { -80 + $0 / 5 })) == nil, "ten decibels are echoes")
        #expect(failure(measured((0..<100).map { -90 + $0 / 4 })) == .unsteady(span: 12))
    }

    @Test func `the measured power stays one that a beacon may have`() throws {
        #expect(try measured(Array(repeating: 20, count: 10)).level().measuredPower == -1)
        #expect(try measured(Array(repeating: -128, count: 10)).level().measuredPower == -127)
    }

    @Test(arguments: [(4.0, -59, 2.0), (4, -65, 3.3), (10, -59, 2.5), (2, -50, 4)] as [(Double, Int8, Double)])
    func `the exponent gives back the distance it was measured at`(
        distance: Double, power: Int8, exponent: Double
    ) throws {
        // What a signal of that exponent has at that distance, by bisection of the distance it stands for.
        var (low, high) = (-127.0, 0.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            let metres = PathLoss.accuracy(signal: middle, measuredPower: power, exponent: exponent)
            if metres > distance { low = middle } else { high = middle }
        }
        var level = try measured(Array(repeating: -60, count: 10)).level()
        level.mean = low
        #expect(abs(try Calibration.exponent(of: level, at: distance, measuredPower: power) - exponent) < 0.006)
    }

    @Test func `an exponent that nothing has is refused`() throws {
        let level = try measured(Array(repeating: -60, count: 20)).level()
        #expect(throws: Calibration.Failure.implausible(exponent: 0.1)) {
            _ = try Calibration.exponent(of: level, at: 10, measuredPower: -59)
        }
        #expect(throws: Calibration.Failure.implausible(exponent: -1)) {
            _ = try Calibration.exponent(of: level, at: 10, measuredPower: -70)
        }
        #expect(throws: Calibration.Failure.self) {
            _ = try Calibration.exponent(of: level, at: 0, measuredPower: -10)
        }
    }
}
