import IBeacon
import RegionMonitoring
import Testing

/// Regions with several signs.
@Suite struct SignTests {
    private func sign(_ minor: UInt16, enter: Int? = nil, exit: Int? = nil, after: Double? = nil) -> RegionSign {
        RegionSign(
            .beacon(.minor(uuid, 100, minor)), enterRSSI: enter, exitRSSI: exit, exitAfter: after.map { .seconds($0) })
    }

    private func anna(
        _ first: RegionSign, _ others: RegionSign..., ranging: MonitoredRegion.Ranging = .off
    ) -> MonitoredRegion {
        MonitoredRegion(identifier: "anna", first, or: others, ranging: ranging)
    }

    /// Keys that are left after 10 s, and a watch that is left after 60 s.
    private var keysOrWatch: MonitoredRegion { anna(sign(1, after: 10), sign(2, after: 60)) }

    @Test func `any sign enters, and another one changes nothing`() {
        var monitor = listening(keysOrWatch)
        #expect(monitor.sighted(beacon(2), at: at(1)).labels == ["enter", "inside"])
        #expect(monitor.sighted(beacon(1), at: at(2)).isEmpty)
        #expect(monitor.regionSnapshots[0].signs.map(\.state) == [.inside, .inside])
    }

    @Test func `the region is left at the later exit time of its signs`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(1), at: at(1))
        _ = monitor.sighted(beacon(2), at: at(2))
        let log = monitor.run(to: 200)
        #expect(log.map(\.action.label) == ["exit", "outside"])
        #expect(log.first?.time == 62)
    }

    @Test func `a silent sign does not leave a region that another one keeps inside`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(1), at: at(1))
        for second in stride(from: 2.0, to: 100, by: 5) {
            #expect(monitor.run(to: second).isEmpty)
            #expect(monitor.sighted(beacon(2), at: at(second)).isEmpty)
        }
        #expect(monitor.regionSnapshots[0].signs.map(\.state) == [.outside, .inside])
        #expect(monitor.regionSnapshots[0].state == .inside)
        #expect(monitor.regionSnapshots[0].beacon?.identity == beacon(2).identity)
        #expect(monitor.regionSnapshots[0].exitTime == .seconds(60))
    }

    @Test func `a region is unknown, and not left, while one sign is outside and another one unknown`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(1), at: at(1))
        let log = monitor.run(to: 30)
        #expect(log.map(\.action.label) == ["unknown"])
        #expect(log.first?.time == 11)
        let later = monitor.run(to: 100)
        #expect(later.map(\.action.label) == ["exit", "outside"], "the last known state was inside")
        #expect(later.first?.time == 60)
    }

    @Test func `a region without any sighting is outside when the last sign is`() {
        var monitor = listening(keysOrWatch)
        let log = monitor.run(to: 100)
        #expect(log.map(\.action.label) == ["outside"])
        #expect(log.first?.time == 60)
    }

    @Test func `the thresholds of one sign do not apply to another one`() {
        var monitor = listening(anna(sign(1, enter: -60, exit: -70), sign(2)))
        #expect(monitor.sighted(beacon(1, rssi: -80), at: at(1)).isEmpty)
        #expect(monitor.sighted(beacon(2, rssi: -80), at: at(2)).labels == ["enter", "inside"])
    }

    @Test func `a lost adapter makes the region unknown once`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(1), at: at(1))
        _ = monitor.sighted(beacon(2), at: at(2))
        #expect(monitor.adapterLost(at: at(3)).labels == ["unknown"])
        _ = monitor.adapterRecovered(at: at(4))
        #expect(monitor.sighted(beacon(1), at: at(5)).labels == ["inside"], "it was inside before")
    }

    @Test func `the state of each sign survives a restart`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(2), at: at(1))
        let memory = monitor.memory(at: at(2))
        #expect(memory.regions[0].lastKnown == .inside)
        #expect(memory.regions[0].signs.map(\.lastKnown) == [.unknown, .inside])
        var next = RegionMonitor([keysOrWatch], at: at(0))
        next.restored(memory)
        _ = next.adapterRecovered(at: at(0))
        #expect(next.sighted(beacon(2), at: at(1)).labels == ["inside"], "no second enter")
        var gone = RegionMonitor([keysOrWatch], at: at(0))
        gone.restored(memory)
        _ = gone.adapterRecovered(at: at(0))
        let log = gone.run(to: 100)
        #expect(log.map(\.action.label) == ["exit", "outside"])
        #expect(log.first?.time == 60)
    }

    @Test func `a region that gets another sign keeps its state`() {
        var monitor = listening(anna(sign(1, after: 10)))
        _ = monitor.sighted(beacon(1), at: at(1))
        #expect(monitor.regionsReplaced(with: [keysOrWatch], at: at(2)).isEmpty)
        #expect(monitor.regionSnapshots[0].state == .inside)
        #expect(monitor.sighted(beacon(2), at: at(3)).isEmpty)
        #expect(monitor.regionsReplaced(with: [anna(sign(2, after: 60))], at: at(4)).isEmpty)
        #expect(monitor.run(to: 100).map(\.action.label) == ["exit", "outside"])
    }

    @Test func `a region that loses the sign that kept it inside is left`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(1), at: at(1))
        for second in stride(from: 5.0, to: 70, by: 5) {
            _ = monitor.run(to: second)
            _ = monitor.sighted(beacon(1), at: at(second))
        }
        #expect(monitor.regionsReplaced(with: [anna(sign(2, after: 60))], at: at(70)).labels == ["exit", "outside"])
    }

    @Test func `a region with no common sign starts anew`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(1), at: at(1))
        #expect(monitor.regionsReplaced(with: [anna(sign(7))], at: at(2)).labels == ["start", "unknown"])
    }

    @Test func `a beacon of two signs is ranged once and belongs to the region once`() {
        let group = RegionSign(.beacon(.major(uuid, 100)))
        var monitor = listening(anna(sign(1), group, ranging: .whileInside), region("home", .minor(uuid, 100, 1)))
        _ = monitor.sighted(beacon(1), at: at(1))
        #expect(monitor.regions(of: beacon(1).identity).sorted() == [0, 1])
        #expect(monitor.run(to: 2.5).map(\.action.label) == ["range 1"])
        #expect(monitor.beaconSnapshots(since: at(0))[0].regions.sorted() == ["anna", "home"])
    }

    @Test func `a silence that another sign outlasts is not a false exit`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(1), at: at(1))
        var actions: [RegionMonitor.Action] = []
        for second in stride(from: 2.0, to: 40, by: 2) {
            actions += monitor.run(to: second).map(\.action)
            actions += monitor.sighted(beacon(2), at: at(second))
        }
        actions += monitor.sighted(beacon(1), at: at(40))
        #expect(actions.silences.isEmpty)
    }

    @Test func `a silence of all signs that caused an exit is a false exit`() {
        var monitor = listening(keysOrWatch)
        for second in 1...60 { _ = monitor.sighted(beacon(UInt16(1 + second % 2)), at: at(Double(second))) }
        #expect(monitor.run(to: 130).map(\.action.label) == ["exit", "outside"])
        let silences = monitor.sighted(beacon(1), at: at(140)).silences
        #expect(silences.map(\.leftFor) == [.seconds(21)])
    }

    @Test func `judgements name the sign, and go by its exit time`() {
        var monitor = listening(keysOrWatch)
        _ = monitor.sighted(beacon(1), at: at(1))
        _ = monitor.sighted(beacon(2), at: at(2))
        let judgements = monitor.judgements(at: at(3), limit: 8)[0]
        #expect(judgements.map(\.sign) == [0, 1])
        #expect(judgements.map(\.exit.time) == [.seconds(10), .seconds(60)])
        #expect(judgements.map(\.keepsInside) == [true, true])
    }

    @Test func `a region has at most eight signs`() {
        let others = (2...20).map { sign($0) }
        #expect(MonitoredRegion(identifier: "anna", sign(1), or: others).signs.count == RegionSign.limit)
    }
}
