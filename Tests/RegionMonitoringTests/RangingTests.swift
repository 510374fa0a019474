import IBeacon
import RegionMonitoring
import Testing

@Suite struct RangingTests {
    private func ranged(_ log: [(time: Double, action: RegionMonitor.Action)]) -> [(Double, [RangedBeacon])] {
        log.compactMap { entry in
            guard case .didRangeBeacons(_, let beacons) = entry.action else { return nil }
            return (entry.time, beacons)
        }
    }

    @Test func `one callback a second with the mean RSSI since the last one`() throws {
        var monitor = listening(region(ranging: .whileInside))
        for (time, rssi) in [(0.0, -60), (0.3, -70), (0.6, -80)] {
            _ = monitor.sighted(beacon(rssi: Int8(rssi)), at: at(time))
        }
        var log = monitor.run(to: 1)
        _ = monitor.sighted(beacon(rssi: -50), at: at(1.5))
        log += monitor.run(to: 2)
        let callbacks = ranged(log)
        #expect(callbacks.map(\.0) == [1, 2])
        #expect(callbacks.map { $0.1.map(\.rssi) } == [[-70], [-50]])
    }

    @Test func `a beacon not heard since the last callback is of unknown distance, then gone`() {
        var monitor = listening(region(ranging: .whileInside))
        _ = monitor.sighted(beacon(), at: at(0))
        let callbacks = ranged(monitor.run(to: 8))
        #expect(callbacks.map(\.1.count) == [1, 1, 1, 1, 1, 0, 0, 0])
        let second = callbacks[1].1[0]
        #expect((second.rssi, second.accuracy, second.proximity) == (0, -1, .unknown))
    }

    @Test func `the last part of a second is ranged at the end`() {
        var monitor = listening(region(ranging: .whileInside))
        _ = monitor.sighted(beacon(rssi: -60), at: at(0))
        _ = monitor.sighted(beacon(rssi: -70), at: at(0.2))
        let first = monitor.rangingEnded(at: at(0.2)).map { (0.2, $0) }
        #expect(ranged(first).map { $0.1.map(\.rssi) } == [[-65]])
        #expect(monitor.rangingEnded(at: at(0.3)).isEmpty, "nothing was received since")
        _ = monitor.run(to: 2)
        _ = monitor.sighted(beacon(rssi: nil), at: at(2.5))
        #expect(monitor.rangingEnded(at: at(2.5)).count == 1, "a beacon of unknown signal")
        var idle = listening(region())
        _ = idle.sighted(beacon(), at: at(0))
        #expect(idle.rangingEnded(at: at(0.2)).isEmpty, "the region is not ranged")
    }

    @Test func `the nearest come first, the unknown last`() {
        var monitor = listening(region(ranging: .whileInside))
        _ = monitor.sighted(beacon(9), at: at(0))
        _ = monitor.run(to: 1)
        for (minor, rssi) in [(1, -90), (2, -40), (3, -65), (4, -62)] as [(UInt16, Int8)] {
            _ = monitor.sighted(beacon(minor, rssi: rssi), at: at(1.5))
        }
        let beacons = ranged(monitor.run(to: 2))[0].1
        #expect(beacons.map(\.identity.minor) == [2, 4, 3, 1, 9])
        #expect(beacons.map(\.proximity) == [.immediate, .near, .near, .far, .unknown])
    }

    @Test func `whileInside ends with the stay, always goes on`() {
        var inside = listening(region(after: 3, ranging: .whileInside))
        _ = inside.sighted(beacon(), at: at(0))
        #expect(ranged(inside.run(to: 10)).count == 3)
        #expect(inside.nextDeadline == nil)

        var always = listening(region(after: 3, ranging: .always))
        #expect(ranged(always.run(to: 10)).map(\.1.count) == Array(repeating: 0, count: 10))
        #expect(always.adapterLost(at: at(11)).labels.contains("ranging failed"))
        #expect(ranged(always.run(to: 20)).isEmpty)
        _ = always.adapterRecovered(at: at(20))
        #expect(ranged(always.run(to: 21)).count == 1)
    }

    @Test func `ranging begins in a pause as it goes on in one`() {
        var entered = listening(region(ranging: .whileInside))
        entered.listeningPaused(at: at(1))
        // It waited in the socket.
        #expect(entered.sighted(beacon(), at: at(1.5)).labels == ["enter", "inside"])
        #expect(ranged(entered.run(to: 3)).map(\.0) == [2.5])
        entered.listeningResumed(at: at(4))
        #expect(ranged(entered.run(to: 5)).count == 2)

        var configured = listening(region())
        configured.listeningPaused(at: at(1))
        _ = configured.regionsReplaced(with: [region(ranging: .always)], at: at(2))
        configured.listeningResumed(at: at(3))
        #expect(ranged(configured.run(to: 5)).map(\.0) == [3, 4, 5])
    }

    @Test func `a stall is not made up for`() {
        var monitor = listening(region(ranging: .always))
        #expect(monitor.advanced(to: at(1000)).filter { $0.label == "range 0" }.count == 1)
        #expect(monitor.nextDeadline == at(1001))
    }

    @Test(arguments: [(-59.0, 1.0), (-84.0, 10.0), (-34.0, 0.1), (-71.5, 3.162_277_660_168_38)])
    func `accuracy follows the log-distance model`(signal: Double, metres: Double) {
        let accuracy = PathLoss.accuracy(signal: signal, measuredPower: -59)
        #expect(abs(accuracy / metres - 1) < 1e-12)
    }

    @Test func `a calibrated region computes distances by its calibration, ranging and arrival alike`() {
        var calibrated = region("calibrated", ranging: .whileInside)
        (calibrated.measuredPower, calibrated.pathLossExponent) = (-65, 2)
        var monitor = listening(region("plain", ranging: .whileInside), calibrated)
        let arrivals = monitor.sighted(beacon(rssi: -85), at: at(0)).compactMap { action -> Double? in
            if case .didEnterRegion(_, let beacon) = action { beacon.accuracy } else { nil }
        }
        let plain = PathLoss.accuracy(signal: -85, measuredPower: -59)
        let calibratedAccuracy = PathLoss.accuracy(signal: -85, measuredPower: -65, exponent: 2)
        #expect(abs(calibratedAccuracy - 10) < 1e-9)
        #expect(arrivals == [plain, calibratedAccuracy])
        #expect(ranged(monitor.run(to: 1)).map { $0.1.map(\.accuracy) } == [[plain], [calibratedAccuracy]])
        #expect(monitor.regionSnapshots.map(\.beacon?.accuracy) == [plain, calibratedAccuracy])
        #expect(
            monitor.judgements(at: at(1), limit: 1).map { $0.map(\.beacon.accuracy) } == [
                [plain], [calibratedAccuracy],
            ])
        let listed = monitor.beaconSnapshots(since: at(0))[0]
        #expect(listed.accuracy == calibratedAccuracy, "the power was measured")
        #expect(listed.measuredPower == -59, "what it claims is reported unchanged")
    }

    /// Some beacons send frames with and without their measured power by turns.
    @Test(arguments: [false, true])
    func `a frame without the measured power leaves that of the earlier ones`(hasSecondRadio: Bool) {
        var monitor = listening(region(ranging: .whileInside))
        let radios = [.own, hasSecondRadio ? monitor.radio(named: "attic", at: at(0)) : .own]
        for second in 0..<6 {
            var sighting = beacon(rssi: -70, power: second % 2 == 0 ? -65 : nil)
            sighting.radio = radios[second / 2 % 2]
            _ = monitor.sighted(sighting, at: at(Double(second) / 10))
            #expect(monitor.beaconSnapshots(since: at(0)).map(\.measuredPower) == [-65], "\(second)")
        }
    }

    @Test func `accuracy comes from the same filtered signal as enterRSSI and exitRSSI`() throws {
        var monitor = listening(region(ranging: .whileInside))
        for (time, rssi) in [(0.0, -60), (0.4, -80), (0.8, -55), (0.95, -90)] {
            _ = monitor.sighted(beacon(rssi: Int8(rssi)), at: at(time))
        }
        let signal = try #require(monitor.beaconSnapshots(since: at(0))[0].signal)
        let reported = ranged(monitor.run(to: 1))[0].1[0]
        #expect(reported.accuracy == PathLoss.accuracy(signal: signal, measuredPower: -59))
        #expect(reported.rssi == -71, "the mean of the readings, which is something else")
        #expect(signal == -70, "their median")
    }

    @Test(arguments: [-128, -127, -101, -19, -3, 0, 1, 127] as [Int8])
    func `an implausible measured power gives no distance, and a calibrated region keeps its own`(power: Int8) {
        var calibrated = region("calibrated", ranging: .whileInside)
        calibrated.measuredPower = -110
        var monitor = listening(region("plain", ranging: .whileInside), calibrated)
        _ = monitor.sighted(beacon(rssi: -70, power: power), at: at(0))
        let own = PathLoss.accuracy(signal: -70, measuredPower: -110)
        #expect(ranged(monitor.run(to: 1)).map { $0.1.map(\.accuracy) } == [[-1], [own]])
        #expect(ranged(monitor.run(to: 1)).allSatisfy { $0.1.allSatisfy { $0.proximity == .unknown } })
        #expect(monitor.regionSnapshots.map(\.beacon?.accuracy) == [-1, own])
        var other = listening(region("other", .major(uuid, 7)))
        _ = other.sighted(beacon(rssi: -70, power: power), at: at(0))
        #expect(other.beaconSnapshots(since: at(0)).map(\.accuracy) == [-1], "a beacon of no region")
    }

    @Test(arguments: [-100, -99, -77, -59, -30, -20] as [Int8])
    func `a plausible measured power gives a distance`(power: Int8) {
        var monitor = listening(region("plain", ranging: .whileInside))
        _ = monitor.sighted(beacon(rssi: -70, power: power), at: at(0))
        let expected = PathLoss.accuracy(signal: -70, measuredPower: power)
        #expect(expected > 0 && ranged(monitor.run(to: 1)).map { $0.1.map(\.accuracy) } == [[expected]])
    }

    @Test func `a distance is finite at the ends of what a controller reports`() {
        #expect(PathLoss.accuracy(signal: 20, measuredPower: -128) > 0)
        #expect(PathLoss.accuracy(signal: -127, measuredPower: -1).isFinite)
        #expect(PathLoss.accuracy(signal: -127, measuredPower: -1, exponent: 0.0001).isFinite)
        #expect(PathLoss.accuracy(signal: nil, measuredPower: -59) == -1)
    }

    @Test(
        arguments: [(-1, .unknown), (0, .immediate), (0.49, .immediate), (0.5, .near), (2.9, .near), (3, .far)]
            as [(Double, Proximity)])
    func `proximity has CoreLocation's names`(accuracy: Double, proximity: Proximity) {
        #expect(Proximity(accuracy: accuracy) == proximity)
    }
}
