import IBeacon
import RegionMonitoring
import Testing

@Suite struct BoundsTests {
    private func stranger(_ number: Int) -> BeaconSighting {
        let identity = BeaconIdentity(uuid: BeaconUUID(high: UInt64(number), low: 0), major: 0, minor: 0)
        return BeaconSighting(identity: identity, measuredPower: -59, rssi: -70)
    }

    @Test func `a flood of strangers is bounded and the own beacon keeps its place`() {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(), at: at(0))
        for number in 0..<100_000 {
            #expect(monitor.sighted(stranger(number), at: at(1 + Double(number) / 1e5)).isEmpty)
        }
        let known = monitor.beaconSnapshots(since: at(0))
        #expect(known.count == RegionMonitor.beaconCapacity + 1)
        #expect(known.contains { $0.identity == beacon().identity })
        #expect(monitor.sighted(beacon(), at: at(2)).isEmpty, "still inside, no second enter")
    }

    @Test func `the beacons of a crowd are listed in parts, each once and by identity`() {
        var monitor = listening(region(after: 30))
        for minor in (0..<500).reversed() { _ = monitor.sighted(beacon(UInt16(minor)), at: at(1)) }
        for number in 0..<1000 { _ = monitor.sighted(stranger(number * 7919 % 1000), at: at(2)) }
        for limit in [1, 64, 5000] {
            var listed: [BeaconIdentity] = []
            while true {
                let part = monitor.beaconSnapshots(since: at(1), after: listed.last, limit: limit, masks: [:]).map(
                    \.identity)
                guard !part.isEmpty else { break }
                #expect(part.count <= limit)
                listed += part
            }
            #expect(listed == monitor.beaconSnapshots(since: at(1)).map(\.identity).sorted())
        }
        #expect(monitor.beaconSnapshots(since: at(1.5), after: nil, limit: 5000, masks: [:]).count == 1000)
        #expect(monitor.beaconCount(since: at(1)) == (500, 1000))
        #expect(monitor.beaconCount(since: at(1.5)) == (0, 1000))
    }

    @Test func `the strangers of a day leave no trace`() {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(), at: at(0))
        for number in 0..<3000 { _ = monitor.sighted(stranger(number), at: at(1 + Double(number) * 30)) }
        let known = monitor.beaconSnapshots(since: at(0))
        #expect(known.count < 50, "those of the last five minutes, and a few more")
        #expect(known.contains { $0.identity == stranger(2999).identity })
        #expect(known.contains { $0.identity == beacon().identity }, "a region's own is kept")
    }

    @Test func `an arrival in the middle of a flood is not missed`() {
        var monitor = listening(region())
        for number in 0..<50_000 { _ = monitor.sighted(stranger(number), at: at(0.1)) }
        #expect(monitor.sighted(beacon(), at: at(0.2)).labels == ["enter", "inside"])
    }

    @Test func `forged beacons of the own UUID displace no real one`() {
        var monitor = listening(region("owner", .uuid(uuid)), region("key", .minor(uuid, 100, 100)))
        _ = monitor.sighted(beacon(100), at: at(0))
        for number in 0..<20_000 {
            let identity = BeaconIdentity(
                uuid: uuid, major: 200, minor: UInt16(number))
            _ = monitor.sighted(BeaconSighting(identity: identity, measuredPower: -59, rssi: -60), at: at(1))
        }
        #expect(monitor.beaconSnapshots(since: at(0)).count == RegionMonitor.beaconCapacity + 2)
        #expect(monitor.regionSnapshots[1].beacon?.identity.minor == 100)
        #expect(monitor.sighted(beacon(100), at: at(20)).isEmpty)
    }

    @Test func `when all places hold a region a new one still finds room`() {
        let many = (0..<3000).map { region("\($0)", .minor(uuid, 100, UInt16($0))) }
        var monitor = RegionMonitor(many, at: at(0))
        _ = monitor.adapterRecovered(at: at(0))
        for minor in 0..<3000 {
            #expect(monitor.sighted(beacon(UInt16(minor)), at: at(1)).labels == ["enter", "inside"])
        }
        #expect(monitor.regionSnapshots.filter { $0.state == .inside }.count == 3000)
        #expect(monitor.run(to: 31).filter { $0.action.label == "exit" }.count == 3000)
    }
}
