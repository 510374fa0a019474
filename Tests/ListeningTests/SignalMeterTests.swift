import HCI
import IBeacon
import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriEvents
@testable import OkaeriListening

@Suite struct SignalMeterTests {
    private var meter = SignalMeter([monitored()])

    private mutating func hear(_ identity: BeaconIdentity, _ rssi: Int8?, at time: Int64) -> [SignalMinute] {
        meter.heard(BeaconSighting(identity: identity, measuredPower: -59, rssi: rssi), in: [0], at: time)
    }

    @Test mutating func `a minute is handed over when the next one is heard of`() {
        for (second, rssi) in [(0, -70), (1, -80), (59, nil)] as [(Double, Int8?)] {
            #expect(hear(home, rssi, at: evening + nanoseconds(second)).isEmpty)
        }
        let minute = hear(home, -60, at: evening + nanoseconds(60)).first
        #expect(minute?.time == evening)
        #expect(minute?.heard == 3)
        #expect(minute?.signal?.count == 2)
        #expect(minute?.signal.map { [$0.mean, Double($0.lowest), Double($0.highest)] } == [-75, -80, -70])
        #expect(minute?.signal?.accuracy == PathLoss.accuracy(signal: -75, measuredPower: -59))
        #expect(meter.drained().map(\.heard) == [1])
        #expect(meter.drained().isEmpty)
    }

    @Test func `a region that is calibrated has distances by that`() {
        var region = monitored()
        (region.measuredPower, region.pathLossExponent) = (-65, 3)
        var meter = SignalMeter([region])
        _ = meter.heard(BeaconSighting(identity: home, measuredPower: -59, rssi: -80), in: [0], at: evening)
        let expected = PathLoss.accuracy(signal: -80, measuredPower: -65, exponent: 3)
        #expect(meter.drained().first?.signal?.accuracy == expected)
    }

    @Test func `an implausible measured power gives no distance, and a calibrated region keeps its own`() {
        var region = monitored()
        for (own, expected) in [(nil, -1), (-110, PathLoss.accuracy(signal: -80, measuredPower: -110))]
            as [(Int8?, Double)]
        {
            region.measuredPower = own
            var meter = SignalMeter([region])
            _ = meter.heard(BeaconSighting(identity: home, measuredPower: -127, rssi: -80), in: [0], at: evening)
            #expect(meter.drained().first?.signal?.accuracy == expected)
        }
    }

    @Test func `each region's beacons are summed up apart`() {
        let regions = [monitored(), monitored(identifier: "office")]
        var meter = SignalMeter(regions)
        for (position, count) in [(0, 2), (1, 1)] {
            for _ in 0..<count {
                _ = meter.heard(
                    BeaconSighting(identity: home, measuredPower: -59, rssi: -80), in: [position], at: evening)
            }
        }
        #expect(meter.drained().map { "\($0.region) \($0.heard)" } == ["home 2", "office 1"])
    }

    @Test func `the driver assigns a beacon to its region, and foreign beacons do not count`() {
        let heard = Mutex<[String]>([])
        let everybody = MonitoredRegion(BeaconRegion(identifier: "owner", constraint: .uuid(home.uuid)))
        let driver = PresenceDriver(
            regions: [monitored(), everybody], clock: SystemClock(),
            handler: { sighting, regions, now in
                heard.withLock { $0.append("\(sighting.identity.minor) \(regions) \(now.nanoseconds)") }
            }, publish: { _, _ in })
        let sibling = BeaconIdentity(uuid: home.uuid, major: 100, minor: 7)
        driver.scannerWillStart(at: 0)
        // The scan does not run yet.
        _ = driver.scannerDidReceive(event().span.bytes, at: 1)
        driver.scannerDidChangeListening(.continuous, at: 2)
        for (time, beacon) in [(3, neighbour), (4, home), (5, sibling), (6, home)] {
            _ = driver.scannerDidReceive(event(beacon).span.bytes, at: Int64(time))
        }
        driver.updateRegions(at: Instant(nanoseconds: 7)) { $0.removeFirst() }
        _ = driver.scannerDidReceive(event().span.bytes, at: 8)
        #expect(heard.withLock { $0 } == ["100 [0, 1] 4", "7 [1] 5", "100 [0, 1] 6", "100 [0] 8"])
    }

    @Test mutating func `a clock that jumps makes other minutes`() {
        _ = hear(home, -70, at: evening)
        #expect(hear(home, -70, at: evening - nanoseconds(3600)).map(\.time) == [evening])
        #expect(hear(home, -70, at: -1).count == 1)
        #expect(meter.drained().map(\.time) == [-SignalMinute.length])
        for time in [Int64.min, .max] { _ = hear(home, -70, at: time) }
    }

    @Test mutating func `a signal that is not known is not a signal`() {
        _ = hear(home, nil, at: evening)
        #expect(meter.drained() == [SignalMinute(time: evening, region: "home", heard: 1, signal: nil)])
    }
}
