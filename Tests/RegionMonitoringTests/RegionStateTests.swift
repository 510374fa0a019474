import IBeacon
import RegionMonitoring
import Testing

@Suite struct RegionStateTests {
    @Test func `a cold start with the beacon present gives CoreLocation's order of callbacks`() {
        var monitor = RegionMonitor([region(after: 8, ranging: .whileInside)], at: at(0))
        var labels = monitor.monitoringStarted(at: at(0)).labels
        labels += monitor.adapterRecovered(at: at(0)).labels
        labels += monitor.sighted(beacon(), at: at(0.5)).labels
        labels += monitor.run(to: 30).map(\.action.label)
        #expect(labels.prefix(5) == ["start", "unknown", "enter", "inside", "range 1"])
        #expect(labels.suffix(4) == ["range 0", "range 0", "exit", "outside"])
        #expect(!labels.dropFirst(5).dropLast(2).contains { !$0.hasPrefix("range") })
    }

    @Test func `an exit is decided by the clock, at the exit time after the last sighting`() throws {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(), at: at(1))
        #expect(monitor.run(to: 20).isEmpty)
        _ = monitor.sighted(beacon(), at: at(21.25))
        let log = monitor.run(to: 3600)
        #expect(log.map(\.action.label) == ["exit", "outside"])
        #expect(log.first?.time == 51.25)
        #expect(monitor.nextDeadline == nil, "nothing to wait for outside")
    }

    @Test func `without a beacon the state resolves to outside, without an exit`() {
        var monitor = listening(region(after: 30))
        let log = monitor.run(to: 100)
        #expect(log.map(\.action.label) == ["outside"])
        #expect(log.first?.time == 30)
    }

    @Test func `packets that waited go in before the timer`() {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(), at: at(1))
        // A stall of a minute: the sighting and the deadline come at once.
        #expect(monitor.sighted(beacon(), at: at(61)).labels.isEmpty)
        #expect(monitor.advanced(to: at(61)).isEmpty)
        #expect(monitor.regionSnapshots[0].state == .inside)
    }

    @Test func `a lost adapter makes the state unknown and causes no exit`() {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(), at: at(1))
        #expect(monitor.adapterLost(at: at(5)).labels == ["unknown"])
        #expect(monitor.regionSnapshots[0].lastKnown == .inside)
        #expect(monitor.nextDeadline == nil)
        #expect(monitor.run(to: 3600).isEmpty)
        #expect(monitor.sighted(beacon(), at: at(3601)).isEmpty, "the adapter is lost")

        _ = monitor.adapterRecovered(at: at(4000))
        #expect(monitor.sighted(beacon(), at: at(4001)).labels == ["inside"], "no second enter")
    }

    @Test func `a beacon that went while the adapter was lost leaves after the exit time from its return`() {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(), at: at(1))
        _ = monitor.adapterLost(at: at(5))
        _ = monitor.adapterRecovered(at: at(4000))
        let log = monitor.run(to: 5000)
        #expect(log.map(\.action.label) == ["exit", "outside"])
        #expect(log.first?.time == 4030)
    }

    @Test func `an adapter that is lost and found twice is reported once`() {
        var monitor = listening(region(ranging: .whileInside))
        _ = monitor.sighted(beacon(), at: at(1))
        #expect(monitor.adapterLost(at: at(2)).labels == ["ranging failed", "unknown"])
        #expect(monitor.adapterLost(at: at(3)).isEmpty)
        _ = monitor.adapterRecovered(at: at(4))
        _ = monitor.sighted(beacon(), at: at(5))
        #expect(monitor.adapterRecovered(at: at(30)).isEmpty)
        #expect(monitor.run(to: 34).filter { $0.action.label == "exit" }.isEmpty)
    }

    @Test func `time not listened is not silence`() {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(), at: at(0))
        monitor.listeningPaused(at: at(10))
        #expect(monitor.nextDeadline == nil)
        #expect(monitor.run(to: 100).isEmpty)
        monitor.listeningResumed(at: at(110))
        let log = monitor.run(to: 300)
        #expect(log.first?.time == 130, "ten seconds of silence before the pause, twenty after it")
    }

    @Test func `a sighting older than monitoring counts for nothing`() {
        var monitor = RegionMonitor([region()], at: at(100))
        _ = monitor.adapterRecovered(at: at(100))
        #expect(monitor.sighted(beacon(), at: at(99)).isEmpty)
        #expect(monitor.sighted(beacon(), at: at(100)).labels == ["enter", "inside"])
    }

    @Test func `a clock that runs backwards neither traps nor shortens the silence`() {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(), at: at(100))
        _ = monitor.sighted(beacon(), at: at(50))
        #expect(monitor.run(to: 129).isEmpty)
        #expect(monitor.run(to: 131).map(\.action.label) == ["exit", "outside"])
    }

    @Test func `clocks at the end of the world do not trap`() {
        var monitor = RegionMonitor([region(ranging: .always)], at: Instant(nanoseconds: .min))
        _ = monitor.adapterRecovered(at: Instant(nanoseconds: .min))
        let labels = [Int64.min, .max, 0, .min, -1, .max].flatMap { nanoseconds in
            monitor.sighted(beacon(), at: Instant(nanoseconds: nanoseconds)).labels
        }
        #expect(labels == ["enter", "inside"], "once")
        monitor.listeningPaused(at: Instant(nanoseconds: .min))
        monitor.listeningResumed(at: Instant(nanoseconds: .max))
        let exit = monitor.advanced(to: Instant(nanoseconds: .max)).labels.filter { !$0.hasPrefix("range") }
        #expect(exit.isEmpty || exit == ["exit", "outside"])
        #expect(monitor.adapterLost(at: Instant(nanoseconds: .min)).labels == ["ranging failed", "unknown"])
        #expect(monitor.nextDeadline == nil)
    }

    @Test func `notifyOnEntry and notifyOnExit suppress only those callbacks`() {
        var quiet = region()
        quiet.notifyOnEntry = false
        quiet.notifyOnExit = false
        var monitor = listening(quiet)
        #expect(monitor.sighted(beacon(), at: at(1)).labels == ["inside"])
        #expect(monitor.run(to: 60).map(\.action.label) == ["outside"])
    }

    @Test func `a requested state is the answer, for a region that is known`() {
        var monitor = listening(region())
        #expect(monitor.stateRequested(region: "home") == [.didDetermineState(region: "home", .unknown)])
        _ = monitor.sighted(beacon(), at: at(1))
        #expect(monitor.stateRequested(region: "home") == [.didDetermineState(region: "home", .inside)])
        #expect(monitor.stateRequested(region: "nowhere").isEmpty)
    }

    @Test func `a region of several beacons is left with the last of them`() {
        var monitor = listening(region(after: 30))
        _ = monitor.sighted(beacon(1), at: at(0))
        #expect(monitor.sighted(beacon(2), at: at(20)).isEmpty)
        #expect(monitor.run(to: 49.9).isEmpty)
        #expect(monitor.run(to: 50).map(\.action.label) == ["exit", "outside"])
    }

    @Test func `the beacon that takes over a region is the one heard last`() {
        var monitor = listening(region(exit: -80, after: 30))
        _ = monitor.sighted(beacon(1), at: at(0))
        _ = monitor.sighted(beacon(2), at: at(20))
        _ = monitor.sighted(beacon(3), at: at(22))
        #expect(monitor.sighted(beacon(3, rssi: -99), at: at(24)).isEmpty)
        #expect(monitor.sighted(beacon(3, rssi: -99), at: at(25)).isEmpty)
        #expect(monitor.regionSnapshots[0].beacon?.identity.minor == 2)
        #expect(monitor.run(to: 49.9).isEmpty, "the second was heard at 20 s")
        #expect(monitor.run(to: 50).map(\.action.label) == ["exit", "outside"])
    }

    @Test func `the enter action carries the beacon`() {
        var monitor = listening(region())
        let actions = monitor.sighted(beacon(7, rssi: -59), at: at(1))
        let expected = RangedBeacon(identity: beacon(7).identity, rssi: -59, accuracy: 1, timestamp: at(1))
        #expect(actions.first == .didEnterRegion(region: "home", expected))
    }
}
