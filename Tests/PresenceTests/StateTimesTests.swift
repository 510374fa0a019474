import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriPresence
import RegionMonitoring
import Testing

/// The time since which a region has its state.
@Suite struct StateTimesTests {
    /// The wall clock is so many seconds ahead of the instants.
    private struct Clock: WallClock {
        var ahead = 0.0
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds + Int64(ahead * 1e9) }
        var now: Int64 { 0 }
    }

    private func at(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

    private func started(ahead: Double = 0, _ prepare: (PresenceDriver) -> Void = { _ in }) -> PresenceDriver {
        let driver = PresenceDriver(regions: [monitored(5)], clock: Clock(ahead: ahead)) { _, _ in }
        prepare(driver)
        driver.scannerWillStart(at: at(0))
        turnOn(driver, at: 0)
        return driver
    }

    private func turnOn(_ driver: PresenceDriver, at seconds: Double) {
        driver.scannerDidUpdate(AdapterUpdate(state: .poweredOn, adapter: "hci0", reason: ""), at: at(seconds))
        driver.scannerDidChangeListening(.continuous, at: at(seconds))
    }

    private func receive(_ driver: PresenceDriver, at seconds: Double) {
        _ = driver.scannerDidReceive(event().span.bytes, at: at(seconds))
        _ = driver.scannerDidFinishTurn(at: at(seconds))
    }

    private func since(_ driver: PresenceDriver, _ identifier: String = "home") -> Double? {
        driver.snapshot(at: Instant(nanoseconds: 0)).changes[identifier].map { Double($0) / 1e9 }
    }

    /// The memory of a driver that entered the region at 1 s, through the form in which it is stored.
    private var stored: PresenceMemory {
        let driver = started()
        receive(driver, at: 1)
        return PresenceMemory(driver.memory(at: Instant(nanoseconds: at(2))), since: driver.knownSince)
    }

    private func restored(ahead: Double, isStale: Bool = false) -> PresenceDriver {
        let stored = stored
        return started(ahead: ahead) { $0.restore(stored.monitorMemory(isStale: isStale), since: stored.since) }
    }

    @Test func `a state that is the same after a failure of the adapter continues from its first time`() {
        let driver = started()
        receive(driver, at: 1)
        #expect(since(driver) == 1)
        driver.scannerDidChangeListening(nil, at: at(10))
        driver.scannerDidUpdate(AdapterUpdate(state: .poweredOff, adapter: "hci0", reason: ""), at: at(10))
        #expect(since(driver) == 10, "it is unknown since then")
        turnOn(driver, at: 20)
        receive(driver, at: 21)
        #expect(since(driver) == 1)
        _ = driver.scannerDidFinishTurn(at: at(40))
        #expect(since(driver) == 40, "it is outside since then")
    }

    @Test func `a state that is the same after a restart continues from its first time`() {
        let driver = restored(ahead: 100)
        #expect(driver.knownSince == ["home": at(1)])
        receive(driver, at: 3)
        #expect(since(driver) == 1)
    }

    @Test func `another state after a restart begins then`() {
        let driver = restored(ahead: 100)
        _ = driver.scannerDidFinishTurn(at: at(60))
        #expect(since(driver) == 160)
        receive(driver, at: 70)
        #expect(since(driver) == 170)
    }

    @Test func `a stale state, and one of a clock that was set back since, begin anew`() {
        let stale = restored(ahead: 100, isStale: true)
        receive(stale, at: 3)
        #expect(since(stale) == 103)
        let early = restored(ahead: -100)
        receive(early, at: 3)
        #expect(since(early) == -97)
    }

    @Test func `a renamed region keeps the time, and a region of another beacon under its name does not`() {
        let driver = started()
        receive(driver, at: 1)
        driver.updateRegions(at: Instant(nanoseconds: at(2))) { $0 = [monitored(5, identifier: "keys")] }
        receive(driver, at: 3)
        #expect(since(driver, "keys") == 1)
        #expect(since(driver) == nil)
        let other = MonitoredRegion(
            BeaconRegion(identifier: "keys", constraint: .minor(neighbour.uuid, 1, 1)), exitAfter: .seconds(5))
        driver.updateRegions(at: Instant(nanoseconds: at(4))) { $0 = [other] }
        _ = driver.scannerDidReceive(event(neighbour).span.bytes, at: at(5))
        #expect(since(driver, "keys") == 5)
    }
}
