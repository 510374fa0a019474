import IBeacon
import Testing

@testable import RegionMonitoring

private func started(_ signs: [RegionSign], knowing memory: RegionMonitor.Memory = .init()) -> RegionMonitor {
    let region = MonitoredRegion(identifier: "anna", signs[0], or: Array(signs.dropFirst()))
    var monitor = RegionMonitor([region], at: at(0))
    monitor.restored(memory)
    _ = monitor.monitoringStarted(at: at(0))
    _ = monitor.adapterRecovered(at: at(0))
    return monitor
}

struct PhoneTests {
    private static let file = "/etc/okaeri/anna.irk"
    private let phone = RegionSign(.phone(file: file))
    private let uuid = BeaconUUID(high: 1, low: 2)

    private func state(_ monitor: RegionMonitor) -> RegionState { monitor.regionSnapshots[0].state }

    @Test func `a phone enters its region and leaves it after ten minutes of silence`() throws {
        var monitor = started([phone])
        #expect(monitor.phoneFiles == [Self.file])
        let actions = monitor.phoneSighted(0, rssi: -60, at: at(5))
        let beacon = RangedBeacon(identity: BeaconIdentity(phone: Self.file), rssi: -60, accuracy: -1, timestamp: at(5))
        #expect(actions == [.didEnterRegion(region: "anna", beacon), .didDetermineState(region: "anna", .inside)])
        #expect(monitor.advanced(to: at(604)).isEmpty)
        #expect(
            monitor.advanced(to: at(605)) == [
                .didExitRegion(region: "anna"), .didDetermineState(region: "anna", .outside),
            ])
    }

    @Test(arguments: Sensitivity.allCases)
    func `a phone that is always received has an exit time of ten minutes`(sensitivity: Sensitivity) {
        var monitor = started([RegionSign(.phone(file: Self.file), sensitivity: sensitivity)])
        for second in 1...5000 { _ = monitor.phoneSighted(0, rssi: -60, at: at(Double(second))) }
        #expect(monitor.regionSnapshots[0].exitTime == .seconds(600))
        #expect(monitor.judgements(at: at(5000), limit: 8)[0][0].exit.bound == .shortest)
    }

    @Test func `a phone that is often silent for half an hour has a longer exit time, of an hour at most`() {
        var monitor = started([phone])
        var time = 1.0
        for round in 1...60 {
            for _ in 1...300 {
                time += 2
                _ = monitor.phoneSighted(0, rssi: -60, at: at(time))
            }
            time += round.isMultiple(of: 2) ? 1000 : 1800
            _ = monitor.advanced(to: at(time))
        }
        let exitTime = monitor.regionSnapshots[0].exitTime
        #expect(exitTime > .seconds(1500) && exitTime <= .seconds(3600), "\(exitTime)")
    }

    @Test func `a configured exit time may be shorter than ten minutes`() {
        var monitor = started([RegionSign(.phone(file: Self.file), exitAfter: .seconds(90))])
        _ = monitor.phoneSighted(0, rssi: nil, at: at(1))
        #expect(monitor.advanced(to: at(90)).isEmpty && state(monitor) == .inside)
        #expect(!monitor.advanced(to: at(91)).isEmpty && state(monitor) == .outside)
    }

    @Test func `what was learned of a phone outlives a restart`() {
        var earlier = started([phone])
        var time = 1.0
        for _ in 1...40 {
            for _ in 1...100 {
                time += 2
                _ = earlier.phoneSighted(0, rssi: -60, at: at(time))
            }
            time += 1500
        }
        _ = earlier.phoneSighted(0, rssi: -60, at: at(time))
        let memory = earlier.memory(at: at(time))
        #expect(memory.beacons.map(\.identity) == [BeaconIdentity(phone: Self.file)])
        var later = started([phone], knowing: memory)
        #expect(later.phoneSighted(0, rssi: -60, at: at(1)) == [.didDetermineState(region: "anna", .inside)])
        #expect(later.regionSnapshots[0].exitTime == earlier.regionSnapshots[0].exitTime)
        #expect(later.regionSnapshots[0].exitTime > .seconds(600))
        #expect(later.memory(at: at(2)).beacons.count == 1)
        var forged = started([phone], knowing: memory)
        let beacon = BeaconSighting(identity: BeaconIdentity(phone: Self.file), measuredPower: -59, rssi: -40)
        _ = forged.sighted(beacon, at: at(1))
        #expect(forged.memory(at: at(2)).beacons == memory.beacons, "an invented beacon has displaced it")
    }

    @Test func `a phone is waited for after a restart as long as was learned`() {
        let memory = RegionMonitor.Memory(regions: [
            .init(
                identifier: "anna", lastKnown: .inside,
                signs: [.init(identity: phone.identity, lastKnown: .inside, learnedExitTime: .seconds(2000))])
        ])
        var monitor = started([phone], knowing: memory)
        #expect(monitor.advanced(to: at(1999)).isEmpty)
        #expect(monitor.advanced(to: at(2000)).contains(.didExitRegion(region: "anna")))
    }

    @Test func `a region with a beacon and a phone is inside while one of them is`() {
        let beacon = RegionSign(.beacon(.uuid(uuid)), exitAfter: .seconds(30))
        var monitor = started([beacon, phone])
        let sighting = BeaconSighting(
            identity: BeaconIdentity(uuid: uuid, major: 1, minor: 1), measuredPower: -59, rssi: -60)
        _ = monitor.sighted(sighting, at: at(1))
        #expect(monitor.phoneSighted(0, rssi: -60, at: at(2)).isEmpty)
        #expect(monitor.advanced(to: at(500)).isEmpty && state(monitor) == .inside)
        #expect(monitor.advanced(to: at(602)).contains(.didExitRegion(region: "anna")))
    }

    @Test func `an advertisement with the numbers of a phone is not a reception of the phone`() {
        var monitor = started([phone])
        let forged = BeaconSighting(identity: BeaconIdentity(phone: Self.file), measuredPower: -59, rssi: -40)
        #expect(monitor.sighted(forged, at: at(1)).isEmpty)
        #expect(state(monitor) == .unknown)
        _ = monitor.phoneSighted(0, rssi: -60, at: at(2))
        #expect(monitor.sighted(forged, at: at(500)).isEmpty)
        #expect(monitor.advanced(to: at(602)).contains(.didExitRegion(region: "anna")))
    }

    @Test func `a phone is not listed among the beacons in range`() {
        var monitor = started([phone])
        _ = monitor.phoneSighted(0, rssi: -60, at: at(1))
        #expect(monitor.beaconSnapshots(since: at(0)).isEmpty)
        #expect(monitor.beaconSnapshots(since: at(0), after: nil, limit: 8, masks: [:]).isEmpty)
        #expect(monitor.beaconCount(since: at(0)) == (0, 0))
        #expect(monitor.judgements(at: at(1), limit: 8)[0].count == 1)
    }

    @Test func `a flood of beacons does not displace a phone that keeps its region inside`() {
        var monitor = started([phone])
        _ = monitor.phoneSighted(0, rssi: -60, at: at(1))
        for number in 0..<10_000 {
            let identity = BeaconIdentity(uuid: uuid, major: UInt16(number), minor: 0)
            _ = monitor.sighted(.init(identity: identity, measuredPower: -59, rssi: -60), at: at(2))
        }
        #expect(monitor.phoneSighted(0, rssi: -60, at: at(3)).isEmpty)
        #expect(monitor.regionSnapshots[0].beacon?.count == 2)
    }

    @Test func `a phone keeps its state when the regions are replaced`() {
        var monitor = started([phone])
        _ = monitor.phoneSighted(0, rssi: -60, at: at(1))
        let other = RegionSign(.phone(file: "/etc/okaeri/ben.irk"))
        let regions = [
            MonitoredRegion(identifier: "ben", other), MonitoredRegion(identifier: "anna", phone),
        ]
        let actions = monitor.regionsReplaced(with: regions, at: at(2))
        #expect(monitor.phoneFiles == ["/etc/okaeri/ben.irk", Self.file])
        #expect(!actions.contains(.didDetermineState(region: "anna", .unknown)))
        #expect(monitor.phoneSighted(0, rssi: -60, at: at(3)).count == 2)
        #expect(monitor.phoneSighted(1, rssi: -60, at: at(3)).isEmpty)
        #expect(monitor.regionSnapshots.map(\.state) == [.inside, .inside])
        #expect(monitor.regionSnapshots[1].beacon?.count == 2)
    }
}
