import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

@Suite struct SignalTests {
    @Test func `enterRSSI and exitRSSI decide with hysteresis`() {
        var monitor = listening(region(enter: -70, exit: -80))
        var labels: [String] = []
        // A slow walk in and out again, one sighting every two seconds.
        for (step, rssi) in [-90, -85, -75, -71, -65, -65, -65, -75, -78, -75, -85, -95, -95, -75].enumerated() {
            labels += monitor.sighted(beacon(rssi: Int8(rssi)), at: at(Double(step) * 2)).labels.map { "\(rssi) \($0)" }
        }
        #expect(
            labels == ["-65 enter", "-65 inside", "-95 exit", "-95 outside"])
    }

    @Test func `a single deep fade does not end it`() {
        var monitor = listening(region(enter: -70, exit: -80))
        for step in 0..<20 { _ = monitor.sighted(beacon(rssi: -65), at: at(Double(step) * 0.1)) }
        #expect(monitor.sighted(beacon(rssi: -99), at: at(2)).isEmpty)
        #expect(monitor.regionSnapshots[0].state == .inside)
    }

    @Test(arguments: [0.1, 0.3, 1])
    func `ten decibels of multipath do not make it flap, and leaving the room is an exit`(interval: Double) throws {
        var generator = SeededGenerator(seed: 7)
        var monitor = listening(region(enter: -70, exit: -80))
        var now = 0.0
        func walk(_ level: Int, until end: Double) -> [(label: String, after: Double)] {
            let began = now
            var log: [(String, Double)] = []
            while now < end {
                now += interval
                let rssi = Int8(level + Int.random(in: -10...10, using: &generator))
                log += monitor.sighted(beacon(rssi: rssi), at: at(now)).labels.map { ($0, now - began) }
            }
            return log
        }
        for visit in 0..<10 {
            let began = Double(visit) * 240
            let enter = walk(-62, until: began + 120)
            #expect(enter.map(\.label) == ["enter", "inside"], "\(enter)")
            let exit = walk(-88, until: began + 240)
            #expect(exit.map(\.label) == ["exit", "outside"], "\(exit)")
            #expect(max(enter[0].after, exit[0].after) <= 4 + interval, "\(enter) \(exit)")
        }
    }

    @Test func `the filter works over time, not over sample counts`() {
        // The same second of signal, ten and a hundred times a second, from the same start.
        let signals = [10, 100].map { rate -> Double in
            var monitor = listening(region())
            _ = monitor.sighted(beacon(rssi: -50), at: at(0))
            for step in 1...rate { _ = monitor.sighted(beacon(rssi: -80), at: at(Double(step) / Double(rate))) }
            return monitor.beaconSnapshots(since: at(0))[0].signal ?? 0
        }
        #expect(abs(signals[0] - signals[1]) < 1.5, "\(signals)")
    }

    @Test func `weak sightings do not prolong the stay`() {
        var monitor = listening(region(enter: -70, exit: -80, after: 30))
        _ = monitor.sighted(beacon(1, rssi: -60), at: at(0))
        for step in 1..<29 { _ = monitor.sighted(beacon(2, rssi: -95), at: at(Double(step))) }
        #expect(monitor.run(to: 31).map(\.action.label) == ["exit", "outside"])
    }

    @Test func `when the beacon that kept the region grows weak another takes over`() {
        var monitor = listening(region(enter: -70, exit: -80, after: 30))
        _ = monitor.sighted(beacon(1, rssi: -60), at: at(0))
        _ = monitor.sighted(beacon(2, rssi: -60), at: at(1))
        _ = monitor.sighted(beacon(1, rssi: -60), at: at(2))
        #expect(monitor.sighted(beacon(1, rssi: -127), at: at(60)).labels == ["exit", "outside"], "2 is long silent")

        _ = monitor.sighted(beacon(1, rssi: -60), at: at(100))
        _ = monitor.sighted(beacon(2, rssi: -60), at: at(101))
        _ = monitor.sighted(beacon(1, rssi: -60), at: at(102))
        #expect(monitor.sighted(beacon(1, rssi: -127), at: at(122)).isEmpty, "2 was heard 21 s ago")
        #expect(monitor.regionSnapshots[0].beacon?.identity.minor == 2)
        #expect(monitor.run(to: 140).map(\.time) == [131, 131])
    }

    @Test func `an RSSI that is not available proves presence and gives no distance`() {
        var monitor = listening(region("any"), region("near", enter: -70, exit: -80))
        #expect(monitor.sighted(beacon(rssi: nil), at: at(1)).map(\.label) == ["enter", "inside"])
        #expect(monitor.regionSnapshots.map(\.state) == [.inside, .unknown])
        _ = monitor.sighted(beacon(rssi: -60), at: at(2))
        #expect(monitor.regionSnapshots.map(\.state) == [.inside, .inside])
        _ = monitor.sighted(beacon(rssi: nil), at: at(31))
        #expect(monitor.run(to: 60).isEmpty)
        #expect(monitor.run(to: 61).map(\.action.label) == ["exit", "outside", "exit", "outside"])
    }

    @Test func `one threshold alone is enough`() {
        var monitor = listening(region("enter", enter: -70), region("exit", exit: -80))
        _ = monitor.sighted(beacon(rssi: -90), at: at(0))
        #expect(monitor.regionSnapshots.map(\.state) == [.unknown, .unknown])
        _ = monitor.sighted(beacon(rssi: -75), at: at(20))
        #expect(monitor.regionSnapshots.map(\.state) == [.unknown, .inside])
        _ = monitor.sighted(beacon(rssi: -60), at: at(25))
        _ = monitor.sighted(beacon(rssi: -95), at: at(40))
        #expect(monitor.regionSnapshots.map(\.state) == [.inside, .outside])
    }
}
