import Bluetooth
import HCI
import IBeacon
import RegionMonitoring
import Synchronization
import Testing

@testable import BeaconLocation

/// What the core makes of what a scanner tells it, without a scanner.
@Suite struct LocationCoreTests {
    private let bench = CoreBench()
    private let home = BeaconRegion(identifier: "home", constraint: .uuid(CoreBench.beacon.uuid))

    private func seen(_ rssi: Int) -> RangedBeacon {
        let accuracy = PathLoss.accuracy(signal: Double(rssi), measuredPower: -59)
        return RangedBeacon(identity: CoreBench.beacon, rssi: rssi, accuracy: accuracy)
    }

    @Test func someoneComesAndGoes() {
        bench.core.startMonitoring(MonitoredRegion(home, exitAfter: .seconds(5)))
        #expect(bench.told() == [.didStartMonitoring(home), .didDetermineState(.unknown, home)])
        bench.listen()
        #expect(bench.told() == [.bluetoothStateDidUpdate(.well)])
        bench.pass(1)
        bench.hear(-59)
        #expect(bench.told() == [.didEnterRegion(home, seen(-59)), .didDetermineState(.inside, home)])
        bench.pass(5)
        #expect(bench.told() == [.didExitRegion(home), .didDetermineState(.outside, home)])
    }

    @Test func aControllerThatSaysNothingSendsNobodyAway() {
        bench.core.startMonitoring(MonitoredRegion(home, exitAfter: .seconds(5)))
        bench.listen()
        bench.hear(-59)
        _ = bench.told()
        bench.pass(60, isAnswering: false)
        #expect(bench.told() == [])
    }

    @Test func switchedOffTheStateIsUnknownAndNobodyLeaves() {
        bench.core.startMonitoring(MonitoredRegion(home))
        bench.listen()
        bench.hear(-59)
        _ = bench.told()
        bench.lose(.off)
        #expect(bench.told() == [.bluetoothStateDidUpdate(.off), .didDetermineState(.unknown, home)])
        bench.pass(600)
        bench.listen()
        bench.hear(-59)
        #expect(bench.told() == [.bluetoothStateDidUpdate(.well), .didDetermineState(.inside, home)])
    }

    @Test func withoutAnAdapterMonitoringFailsWithTheReason() {
        bench.core.startMonitoring(MonitoredRegion(home))
        _ = bench.told()
        bench.lose(.absent)
        #expect(
            bench.told() == [.bluetoothStateDidUpdate(.absent), .monitoringDidFail(home, reason: "there is none")])
        let office = BeaconRegion(identifier: "office", constraint: home.constraint)
        bench.core.startMonitoring(MonitoredRegion(office))
        #expect(bench.told().last == .monitoringDidFail(office, reason: "there is none"))
        bench.core.startRanging(home.constraint)
        #expect(bench.told() == [.rangingDidFail(home.constraint, reason: "there is none")])
    }

    @Test func rangingTellsOfTheBeaconsOnceASecondAndOfNothingElse() {
        bench.core.startRanging(home.constraint)
        bench.listen()
        #expect(bench.told() == [.bluetoothStateDidUpdate(.well)])
        bench.hear(-59)
        bench.pass(1)
        #expect(bench.told() == [.didRange([seen(-59)], home.constraint)])
        bench.core.stopRanging(home.constraint)
        bench.pass(5)
        #expect(bench.told() == [])
        #expect(bench.core.isIdle)
    }

    @Test func rangingAndMonitoringOfTheSameBeaconsAreApart() {
        bench.core.startMonitoring(MonitoredRegion(home, ranging: .always))
        bench.core.startRanging(home.constraint)
        bench.listen()
        _ = bench.told()
        bench.hear(-59)
        bench.pass(1)
        #expect(
            bench.told() == [
                .didEnterRegion(home, seen(-59)), .didDetermineState(.inside, home),
                .didRange([seen(-59)], home.constraint),
            ])
        bench.lose(.off)
        #expect(
            bench.told() == [
                .bluetoothStateDidUpdate(.off), .didDetermineState(.unknown, home),
                .rangingDidFail(home.constraint, reason: "it is off"),
            ])
    }

    @Test func aStateIsToldOnRequest() {
        bench.core.startMonitoring(MonitoredRegion(home))
        bench.listen()
        bench.hear(-59)
        _ = bench.told()
        bench.core.requestState("home")
        #expect(bench.told() == [.didDetermineState(.inside, home)])
        bench.core.requestState("office")
        #expect(bench.told() == [])
    }

    @Test func aRegionTakesThePlaceOfItsNamesake() {
        bench.core.startMonitoring(MonitoredRegion(home))
        let other = BeaconRegion(identifier: "home", constraint: .major(CoreBench.beacon.uuid, 7))
        bench.core.startMonitoring(MonitoredRegion(other))
        #expect(bench.core.monitoredRegions.map(\.region) == [other])
        bench.listen()
        _ = bench.told()
        bench.hear(-59)
        #expect(bench.told() == [])
    }

    @Test func whoIsNotWatchedAnyMoreIsNotTold() {
        bench.core.startMonitoring(MonitoredRegion(home))
        bench.listen()
        #expect(!bench.core.isIdle)
        bench.core.stopMonitoring("home")
        _ = bench.told()
        bench.hear(-59)
        #expect(bench.told() == [])
        #expect(bench.core.isIdle)
    }

    @Test func whatWasHeardBeforeARegionWasWatchedCountsForNothing() {
        bench.core.startRanging(home.constraint)
        bench.listen()
        bench.hear(-59)
        bench.pass(10)
        bench.core.startMonitoring(MonitoredRegion(home))
        bench.core.requestState("home")
        #expect(bench.told().last == .didDetermineState(.unknown, home))
    }

    @Test func rubbishTellsNothing() {
        bench.core.startMonitoring(MonitoredRegion(home))
        bench.listen()
        _ = bench.told()
        let packet = bench.packet(-59)
        for length in 0..<packet.count {
            let cut = Array(packet.prefix(length))
            bench.core.scannerDidReceive(cut.span.bytes, at: bench.now)
        }
        #expect(bench.told() == [])
    }
}
