import History
import IBeacon
import RegionMonitoring
import Testing

@testable import OkaeriDaemon

@Suite struct SignalMeterTests {
    private var meter = SignalMeter([monitored()])

    private mutating func hear(_ identity: BeaconIdentity, _ rssi: Int8?, at time: Int64) -> [SignalMinute] {
        meter.heard(BeaconSighting(identity: identity, measuredPower: -59, rssi: rssi), at: time)
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
        _ = meter.heard(BeaconSighting(identity: home, measuredPower: -59, rssi: -80), at: evening)
        let expected = PathLoss.accuracy(signal: -80, measuredPower: -65, exponent: 3)
        #expect(meter.drained().first?.signal?.accuracy == expected)
    }

    @Test mutating func `strangers count for nothing`() {
        #expect(hear(neighbour, -50, at: evening).isEmpty)
        #expect(meter.drained().isEmpty)
    }

    @Test mutating func `a clock that jumps makes other minutes`() {
        _ = hear(home, -70, at: evening)
        #expect(hear(home, -70, at: evening - nanoseconds(3600)).map(\.time) == [evening])
        #expect(hear(home, -70, at: -1).count == 1)
        #expect(meter.drained().map(\.time) == [-SignalMinute.length])
        for time in [Int64.min, .max] { _ = hear(home, -70, at: time) }
    }

    @Test mutating func `a signal that is not known is no signal`() {
        _ = hear(home, nil, at: evening)
        #expect(meter.drained() == [SignalMinute(time: evening, region: "home", heard: 1, signal: nil)])
    }
}
