import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriTestSupport
@testable import OkaeriPresence
import RegionMonitoring
import Synchronization
import Testing

@Suite struct PresenceDriverTests {
    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    private final class Exits: Sendable {
        let count = Mutex(0)
    }

    private let decided = Exits()

    private func at(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

    private func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: at(seconds)) }

    /// A driver that listens from 0 s on, to an adapter whose controller is asked after `quietPeriod`.
    private func driver(exitAfter: Double?, quietPeriod: Duration?) -> PresenceDriver {
        var region = monitored()
        region.exitAfter = exitAfter.map { .seconds($0) }
        let driver = PresenceDriver(
            regions: [region], clock: Clock(), quietPeriod: quietPeriod,
            publish: { [decided] event, _ in
                if case .action(.didExitRegion, _) = event { decided.count.withLock { $0 += 1 } }
            })
        driver.scannerWillStart(at: at(0))
        driver.scannerDidUpdate(AdapterUpdate(state: .poweredOn, adapter: "hci0", reason: ""), at: at(0))
        driver.scannerDidChangeListening(.continuous, at: at(0))
        return driver
    }

    private var exits: Int { decided.count.withLock(\.self) }

    @Test func `a radio that fell silent causes no exit before it has proved that it works`() {
        let driver = driver(exitAfter: 5, quietPeriod: .seconds(2.5))
        _ = driver.scannerDidReceive(event().span.bytes, at: at(1))
        // Dead from here on: the exit is due, and not decided.
        #expect(driver.scannerDidFinishTurn(at: at(6)) == nil)
        #expect(driver.scannerDidFinishTurn(at: at(7)) == nil)
        #expect(exits == 0)
        driver.scannerDidUpdate(AdapterUpdate(state: .resetting, adapter: "hci0", reason: ""), at: at(7.5))
        _ = driver.scannerDidFinishTurn(at: at(60))
        #expect(exits == 0)
    }

    /// The attic reports of each of these seconds, in which it received nothing, or the beacon.
    private func report(_ seconds: ClosedRange<Int>, _ driver: PresenceDriver, isReceived: Bool = false) {
        for second in seconds.map(Double.init) {
            let beacon = Reception.Sender.beacon(home, measuredPower: -59)
            let receptions = isReceived ? [Reception(beacon, rssi: -60, at: instant(second - 0.5))] : []
            driver.received(
                RadioReport(
                    from: instant(second - 1), until: instant(second), share: 1, others: 0, receptions: receptions),
                byRadioNamed: "attic", at: instant(second))
        }
    }

    @Test func `reports of another radio end no presence while the own radio may be mute`() {
        let driver = driver(exitAfter: 5, quietPeriod: .seconds(2.5))
        _ = driver.scannerDidReceive(event().span.bytes, at: at(1))
        report(2...30, driver)
        #expect(exits == 0)
        for second in 31...40 {
            driver.scannerDidHearController(at: at(Double(second)))
            _ = driver.scannerDidFinishTurn(at: at(Double(second)))
        }
        #expect(exits == 1)
    }

    @Test func `a report wakes the source only for what comes before its next turn`() {
        let driver = driver(exitAfter: 30, quietPeriod: nil)
        func report(_ second: Int, rssi: Int8? = nil) -> Bool {
            let beacon = Reception.Sender.beacon(home, measuredPower: -59)
            return driver.received(
                RadioReport(
                    from: instant(Double(second - 1)), until: instant(Double(second)), share: 1, others: 0,
                    receptions: rssi.map { [Reception(beacon, rssi: $0, at: instant(Double(second)))] } ?? []),
                byRadioNamed: "attic", at: instant(Double(second)))
        }
        #expect(report(1, rssi: -60), "its next turn is not known")
        let turn = driver.scannerDidFinishTurn(at: at(1.1))
        #expect(turn != nil && turn == driver.nextDeadline)
        for second in 2...20 { #expect(!report(second, rssi: -60)) }
        #expect(driver.scannerDidFinishTurn(at: turn ?? 0) ?? 0 > turn ?? 0)
        #expect(driver.regionSnapshots.map(\.state) == [.inside])
    }

    @Test func `a hub whose adapter is off decides by rare reports, with a turn after each`() {
        let driver = driver(exitAfter: 6, quietPeriod: .seconds(2.5))
        report(1...5, driver, isReceived: true)
        #expect(driver.regionSnapshots.map(\.state) == [.inside])
        driver.scannerDidChangeListening(nil, at: at(5.5))
        driver.scannerDidUpdate(AdapterUpdate(state: .unsupported, adapter: nil, reason: ""), at: at(5.5))
        for second in stride(from: 10, through: 40, by: 5) {
            driver.received(
                RadioReport(
                    from: instant(Double(second - 5)), until: instant(Double(second)), share: 1, others: 0,
                    receptions: []),
                byRadioNamed: "attic", at: instant(Double(second)))
            _ = driver.scannerDidFinishTurn(at: at(Double(second) + 0.1))
        }
        #expect(exits == 1)
    }

    @Test func `a hub that did not run while a beacon came to another radio enters once`() {
        let driver = driver(exitAfter: 4, quietPeriod: .seconds(2.5))
        for second in 1...10 {
            report(second...second, driver)
            driver.scannerDidHearController(at: at(Double(second)))
            _ = driver.scannerDidFinishTurn(at: at(Double(second)))
        }
        // Until second 20 nothing runs; the attic receives the beacon from second 12 on. Its reports come at once.
        for second in 11...20 {
            let beacon = Reception.Sender.beacon(home, measuredPower: -59)
            let receptions = second < 12 ? [] : [Reception(beacon, rssi: -60, at: instant(Double(second) - 0.5))]
            driver.received(
                RadioReport(
                    from: instant(Double(second - 1)), until: instant(Double(second)), share: 1, others: 0,
                    receptions: receptions),
                byRadioNamed: "attic", at: instant(20))
            #expect(exits == 0, "second \(second)")
        }
        driver.scannerDidHearController(at: at(20.1))
        _ = driver.scannerDidFinishTurn(at: at(20.1))
        #expect(exits == 0 && driver.regionSnapshots.map(\.state) == [.inside])
    }

    @Test func `a hub that did not run exits neither by its own silence nor by that of its radios`() {
        let driver = driver(exitAfter: 5, quietPeriod: .seconds(2.5))
        for second in 1...10 {
            _ = driver.scannerDidReceive(event().span.bytes, at: at(Double(second) - 0.2))
            report(second...second, driver, isReceived: true)
            driver.scannerDidHearController(at: at(Double(second)))
            _ = driver.scannerDidFinishTurn(at: at(Double(second)))
        }
        // Until second 70 nothing runs. The thread of the broker is first: the reports of the attic are overdue.
        driver.radioLost(named: "attic", at: instant(70))
        #expect(exits == 0)
        driver.scannerDidStall(from: at(14), until: at(70.1))
        // The beacon is received by the attic alone.
        driver.scannerDidHearController(at: at(70.1))
        _ = driver.scannerDidFinishTurn(at: at(70.1))
        #expect(exits == 0)
        report(71...80, driver, isReceived: true)
        driver.scannerDidHearController(at: at(80))
        _ = driver.scannerDidFinishTurn(at: at(80))
        #expect(exits == 0 && driver.regionSnapshots.map(\.state) == [.inside])
        report(81...90, driver)
        driver.scannerDidHearController(at: at(90))
        _ = driver.scannerDidFinishTurn(at: at(90))
        #expect(exits == 1)
    }

    @Test func `a hub without an adapter decides by the reports of its radios`() {
        let driver = driver(exitAfter: 5, quietPeriod: .seconds(2.5))
        driver.scannerDidUpdate(AdapterUpdate(state: .unsupported, adapter: nil, reason: ""), at: at(0.5))
        report(1...20, driver, isReceived: true)
        #expect(driver.regionSnapshots.map(\.state) == [.inside])
        driver.radioLost(named: "attic", at: instant(21))
        #expect(driver.regionSnapshots.map(\.state) == [.unknown])
        #expect(driver.regionSnapshots.map(\.waiting) == [["attic"]])
        report(60...61, driver)
        #expect(driver.regionSnapshots.map(\.state) == [.unknown] && exits == 0)
        report(62...70, driver)
        #expect(driver.regionSnapshots.map(\.state) == [.outside] && exits == 1)
    }

    @Test func `pauses of the scan are timed, and its beginnings counted`() {
        let driver = driver(exitAfter: 5, quietPeriod: nil)
        #expect(driver.snapshot(at: instant(1)).pausedSince == nil)
        #expect(driver.snapshot(at: instant(1)).scans == 1)
        driver.scannerDidChangeListening(nil, at: at(2))
        #expect(driver.snapshot(at: instant(3)).pausedSince == instant(2))
        driver.scannerDidChangeListening(.continuous, at: at(4))
        #expect(driver.snapshot(at: instant(5)).pausedSince == nil)
        #expect(driver.snapshot(at: instant(5)).scans == 2)
    }

    @Test func `a start with another timing is not counted, and the time in the scan windows is`() {
        let driver = driver(exitAfter: 5, quietPeriod: nil)
        driver.scannerDidChoose(ScanMode(timing: .shared, reason: .wifiInUse), at: at(9))
        driver.scannerDidChangeListening(nil, at: at(10))
        driver.scannerDidChangeListening(.shared, at: at(11))
        let snapshot = driver.snapshot(at: instant(31))
        #expect(snapshot.scans == 1)
        #expect(snapshot.mode == ScanMode(timing: .shared, reason: .wifiInUse))
        #expect(snapshot.listening == .shared)
        #expect(snapshot.listened == (.seconds(30), .seconds(20)))
    }

    @Test func `a controller that never answers pauses from the start`() {
        let driver = PresenceDriver(regions: [], clock: Clock(), publish: { _, _ in })
        #expect(driver.snapshot(at: instant(0)).pausedSince == nil)
        driver.scannerWillStart(at: at(7))
        #expect(driver.snapshot(at: instant(9)).pausedSince == instant(7))
    }

    @Test func `an answer of the controller is enough for the silence to count`() {
        let driver = driver(exitAfter: 5, quietPeriod: .seconds(2.5))
        _ = driver.scannerDidReceive(event().span.bytes, at: at(1))
        driver.scannerDidHearController(at: at(3.5))
        _ = driver.scannerDidFinishTurn(at: at(6))
        #expect(exits == 1, "at its time, not later")
    }

    @Test func `an exit that had to wait is decided with the answer`() {
        let driver = driver(exitAfter: 5, quietPeriod: .seconds(2.5))
        _ = driver.scannerDidReceive(event().span.bytes, at: at(1))
        #expect(driver.scannerDidFinishTurn(at: at(6)) == nil)
        driver.scannerDidHearController(at: at(8))
        _ = driver.scannerDidFinishTurn(at: at(8))
        #expect(exits == 1)
    }

    @Test func `while the scan is stolen or a Wi-Fi is joined nothing is silent, and nothing is learned`() {
        let driver = driver(exitAfter: nil, quietPeriod: nil)
        for second in 0...300 { _ = driver.scannerDidReceive(event().span.bytes, at: at(Double(second))) }
        let time = driver.snapshot(at: instant(300)).regions[0].exitTime / .seconds(1)
        #expect(time < 15)
        driver.scannerDidChangeListening(nil, at: at(301))
        for second in stride(from: 301.0, to: 3600, by: 10) { _ = driver.scannerDidFinishTurn(at: at(second)) }
        #expect(driver.snapshot(at: instant(3600)).judgements[0][0].silence == .seconds(1))
        driver.scannerDidChangeListening(.continuous, at: at(3600))
        _ = driver.scannerDidFinishTurn(at: at(3600 + time - 1.1))
        #expect(exits == 0)
        #expect(driver.snapshot(at: instant(3600)).regions[0].exitTime == .seconds(time))
        _ = driver.scannerDidFinishTurn(at: at(3600 + time - 0.9))
        #expect(exits == 1)
    }

    @Test func `other beacons prove that the radio works`() {
        let driver = driver(exitAfter: 5, quietPeriod: .seconds(2.5))
        _ = driver.scannerDidReceive(event().span.bytes, at: at(1))
        for second in 2...6 { _ = driver.scannerDidReceive(event(neighbour).span.bytes, at: at(Double(second))) }
        _ = driver.scannerDidFinishTurn(at: at(6))
        #expect(exits == 1)
    }

    @Test func `a region of the same beacons under another name is the same one, if there is only one`() throws {
        let uuid = try #require(BeaconUUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
        func region(_ name: String, _ major: UInt16) -> MonitoredRegion {
            MonitoredRegion(BeaconRegion(identifier: name, constraint: .major(uuid, major)))
        }
        let before = [region("home", 1), region("keys", 7), region("a", 8), region("b", 8)]
        let after = [region("home", 2), region("bag", 7), region("c", 8)]
        #expect(PresenceDriver.formerNames(before, after) == ["bag": "keys"])
    }
}
