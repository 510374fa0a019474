import IBeacon
import RegionMonitoring
import Testing

/// The learned quality of the exit times.
@Suite struct EndedSilenceTests {
    private func home(_ sensitivity: Sensitivity = .balanced, after: Double? = nil) -> MonitoredRegion {
        MonitoredRegion(
            BeaconRegion(identifier: "home", constraint: .major(uuid, 100)), exitAfter: after.map { .seconds($0) },
            sensitivity: sensitivity)
    }

    /// Hears the beacon once a second, and again after `silence`.
    private func silences(_ region: MonitoredRegion, after silence: Double, rssi: Int8 = -60) -> [EndedSilence] {
        var monitor = listening(region)
        for second in 0..<300 { _ = monitor.sighted(beacon(rssi: -60), at: at(Double(second))) }
        _ = monitor.run(to: 299 + silence)
        return monitor.sighted(beacon(rssi: rssi), at: at(299 + silence)).silences
    }

    @Test func `a silence that no sensitivity would have taken for an exit is not reported`() {
        #expect(silences(home(), after: 7.5).isEmpty)
        #expect(silences(home(), after: 8).isEmpty)
    }

    @Test func `one that only a quick region would have taken for one is`() throws {
        let silence = try #require(silences(home(), after: 10).first)
        #expect(silence.length == .seconds(10))
        #expect(silence.exitTimes == .init(quick: .seconds(8), balanced: .seconds(14), patient: .seconds(24)))
        #expect(silence.leftFor == nil && !silence.wasFalseExit)
        #expect(Sensitivity.allCases.map { silence.isFalseExit(after: silence.exitTimes[$0]) } == [true, false, false])
    }

    @Test func `a false exit is reported as such`() throws {
        let silence = try #require(silences(home(), after: 17).first)
        #expect(silence.leftFor == .seconds(3) && silence.wasFalseExit)
        #expect(silence.signalBefore == -60 && silence.signalAfter == -60)
        #expect(Sensitivity.allCases.map { silence.isFalseExit(after: silence.exitTimes[$0]) } == [true, true, false])
        #expect(silence.isFalseExit(after: .seconds(16)) && !silence.isFalseExit(after: .seconds(17)))
    }

    @Test func `it is the region's own time that has left it`() throws {
        let patient = try #require(silences(home(.patient), after: 17).first)
        #expect(patient.leftFor == nil && !patient.wasFalseExit)
        let configured = try #require(silences(home(after: 9), after: 10).first)
        #expect(configured.leftFor == .seconds(1) && configured.wasFalseExit)
    }

    @Test func `a return that is weak, or after five minutes, ends an absence`() throws {
        let weak = try #require(silences(home(), after: 60, rssi: -85).first)
        #expect(weak.leftFor == .seconds(46) && !weak.isOfLikeStrength && !weak.wasFalseExit)
        let late = try #require(silences(home(), after: 317).first)
        #expect(late.leftFor == .seconds(303) && !late.wasFalseExit)
        #expect(late.isFalseExit(after: late.exitTimes.patient), "a patient region would have seen it back in time")
        #expect(silences(home(), after: 400).isEmpty, "an absence to everybody")
    }

    @Test func `a short time of one's own is judged by itself`() throws {
        let silence = try #require(silences(home(after: 5), after: 7).first)
        #expect(silence.leftFor == .seconds(2) && silence.wasFalseExit)
        #expect(!Sensitivity.allCases.contains { silence.isFalseExit(after: silence.exitTimes[$0]) })
        #expect(silences(home(after: 400), after: 350).isEmpty, "an absence to everybody, and no exit")
        let long = try #require(silences(home(after: 400), after: 420).first)
        #expect(long.leftFor == .seconds(20) && long.wasFalseExit)
    }

    @Test func `another beacon of the region ends its silence as well`() throws {
        var monitor = listening(home())
        for second in 0..<100 { _ = monitor.sighted(beacon(1, rssi: -60), at: at(Double(second))) }
        _ = monitor.run(to: 120)
        let silence = try #require(monitor.sighted(beacon(2, rssi: -80), at: at(120)).silences.first)
        #expect(silence.length == .seconds(21) && silence.leftFor == .seconds(7) && silence.wasFalseExit)
        #expect(silence.signalBefore == nil && silence.signalAfter == nil, "two beacons are not of like strength")
    }

    @Test func `while another beacon keeps the region it is not silence of the region`() {
        var monitor = listening(home())
        for second in 0..<100 { _ = monitor.sighted(beacon(1, rssi: -60), at: at(Double(second))) }
        for second in 100..<120 { _ = monitor.sighted(beacon(2, rssi: -60), at: at(Double(second))) }
        #expect(monitor.sighted(beacon(1, rssi: -60), at: at(120)).silences.isEmpty)
    }

    @Test func `a region that its signal has left was not left by silence`() {
        var monitor = listening(
            MonitoredRegion(
                BeaconRegion(identifier: "home", constraint: .major(uuid, 100)), enterRSSI: -70, exitRSSI: -80))
        for second in 0..<100 { _ = monitor.sighted(beacon(rssi: -60), at: at(Double(second))) }
        for second in 100..<110 { _ = monitor.sighted(beacon(rssi: -95), at: at(Double(second))) }
        #expect(monitor.regionSnapshots[0].state == .outside)
        #expect(monitor.sighted(beacon(rssi: -60), at: at(130)).silences.isEmpty)
    }

    @Test func `a beacon that is back too weakly to enter has not ended it, and then ends it once`() {
        var monitor = listening(
            MonitoredRegion(
                BeaconRegion(identifier: "home", constraint: .major(uuid, 100)), enterRSSI: -70, exitRSSI: -80))
        for second in 0..<100 { _ = monitor.sighted(beacon(rssi: -65), at: at(Double(second))) }
        _ = monitor.run(to: 120)
        #expect(monitor.regionSnapshots[0].state == .outside)
        var ended: [EndedSilence] = []
        for second in 120..<160 { ended += monitor.sighted(beacon(rssi: -74), at: at(Double(second))).silences }
        #expect(ended.isEmpty, "no beacon has come back")
        for second in 160..<170 { ended += monitor.sighted(beacon(rssi: -65), at: at(Double(second))).silences }
        #expect(ended.count == 1 && ended.first?.wasFalseExit == true)
    }

    @Test func `another beacon that is too weak to keep the region ends no silence`() {
        var monitor = listening(
            MonitoredRegion(
                BeaconRegion(identifier: "home", constraint: .major(uuid, 100)), exitRSSI: -80, exitAfter: .seconds(60))
        )
        for second in 0..<100 { _ = monitor.sighted(beacon(1, rssi: -60), at: at(Double(second))) }
        for second in 100..<120 {
            #expect(monitor.sighted(beacon(2, rssi: -95), at: at(Double(second))).silences.isEmpty)
        }
        #expect(monitor.sighted(beacon(1, rssi: -60), at: at(120)).silences.map(\.length) == [.seconds(21)])
    }

    @Test func `the time without an adapter is not silence`() {
        var monitor = listening(home())
        for second in 0..<100 { _ = monitor.sighted(beacon(rssi: -60), at: at(Double(second))) }
        _ = monitor.adapterLost(at: at(100))
        _ = monitor.adapterRecovered(at: at(200))
        #expect(monitor.sighted(beacon(rssi: -60), at: at(215)).silences.isEmpty)
    }
}
