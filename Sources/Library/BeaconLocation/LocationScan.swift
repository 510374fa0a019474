import HCI
import OkaeriBluetooth
import OkaeriPresence
import RegionMonitoring
import Synchronization

/// The receiver of a manager's scan: passes all to the driver of the watched regions, and to the locators of the requests that run.
final class LocationScan: ScannerDelegate {
    private struct State: Sendable {
        var locators: [Locator] = []
        /// The present state of the scan, for a locator that begins in the middle of it.
        var update: AdapterUpdate?
        var timing: ScanTiming?
    }

    private let driver: PresenceDriver
    private let state = Mutex(State())

    init(_ driver: PresenceDriver) {
        self.driver = driver
    }

    var isIdle: Bool { state.withLock(\.locators.isEmpty) }

    /// Adds a locator, which receives what follows. The scanner must read the deadline again.
    func add(_ locator: Locator, at time: Int64) {
        // Under the lock, so that it misses no change.
        state.withLock { state in
            locator.scannerWillStart(at: time)
            if let update = state.update { locator.scannerDidUpdate(update, at: time) }
            if let timing = state.timing { locator.scannerDidChangeListening(timing, at: time) }
            state.locators.append(locator)
        }
    }

    func remove(_ locator: Locator) {
        state.withLock { $0.locators.removeAll { $0 === locator } }
    }

    /// Handles that a scan begins. What an earlier one has reported is not its state: it may have ended without a report.
    func scannerWillStart(at time: Int64) {
        driver.scannerWillStart(at: time)
        state.withLock { ($0.update, $0.timing) = (nil, nil) }
    }

    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        for locator in locators { _ = locator.scannerDidReceive(event, at: time) }
        return driver.scannerDidReceive(event, at: time)
    }

    func scannerDidReceive<Failure>(_ events: (_ each: Each) throws(Failure) -> Void) throws(Failure) {
        let locators = locators
        guard !locators.isEmpty else { return try driver.scannerDidReceive(events) }
        try events { event, time in
            _ = scannerDidReceive(event, at: time)
            return nextDeadline
        }
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        driver.scannerDidUpdate(update, at: time)
        state.withLock { state in
            state.update = update
            for locator in state.locators { locator.scannerDidUpdate(update, at: time) }
        }
    }

    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {
        driver.scannerDidChangeListening(timing, at: time)
        state.withLock { state in
            state.timing = timing
            for locator in state.locators { locator.scannerDidChangeListening(timing, at: time) }
        }
    }

    func scannerDidChoose(_ mode: ScanMode, at time: Int64) { driver.scannerDidChoose(mode, at: time) }

    /// A request has little time.
    var wantsContinuousScan: Bool { driver.wantsContinuousScan || !isIdle }

    func scannerDidStall(from: Int64, until: Int64) {
        driver.scannerDidStall(from: from, until: until)
        for locator in locators { locator.scannerDidStall(from: from, until: until) }
    }

    func scannerDidHearController(at time: Int64) {
        driver.scannerDidHearController(at: time)
        for locator in locators { locator.scannerDidHearController(at: time) }
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        let deadlines = [driver.scannerDidFinishTurn(at: time)] + locators.map { $0.scannerDidFinishTurn(at: time) }
        return deadlines.compactMap(\.self).min()
    }

    var nextDeadline: Int64? { ([driver.nextDeadline] + locators.map(\.nextDeadline)).compactMap(\.self).min() }

    var silenceLimit: Duration? { driver.silenceLimit }

    func scannerDidDrop(total: UInt64) { driver.scannerDidDrop(total: total) }

    private var locators: [Locator] { state.withLock(\.locators) }
}
