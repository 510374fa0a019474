public import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriPlumbing
package import RegionMonitoring
import Synchronization

/// Determines the state of regions from the advertisements received from now on: earlier ones do not count.
///
/// It has its answer as soon as every region is inside, otherwise after the time limit: only a scan for all of the time
/// proves that a region is outside.
package final class Locator: ScannerDelegate {
    fileprivate struct State: Sendable {
        /// The adapter's last failure, which may explain an unknown state.
        var failure: AdapterUpdate?
        var began = Instant(nanoseconds: 0)
        var end: Instant?
        /// The start of the present scan, and the scan time before it.
        var listeningSince: Instant?
        var listened = Duration.zero
        var answer: LocateAnswer?
    }

    /// Whether the driver has published an event since the last check.
    private final class News: Sendable {
        let isNew = Atomic(false)
    }

    private let limit: Duration
    private let updated: @Sendable (AdapterUpdate, Instant) -> Void
    private let finished: @Sendable () -> Void
    private let driver: PresenceDriver
    private let news: News
    private let state = Mutex(State())

    /// - Parameters:
    ///   - quietPeriod: The length of a silence from which on it counts only after an answer of the controller.
    ///   - finished: is called when the answer is known.
    package init(
        _ regions: [MonitoredRegion], within limit: Duration, quietPeriod: Duration?,
        updated: @escaping @Sendable (AdapterUpdate, Instant) -> Void, finished: @escaping @Sendable () -> Void
    ) {
        self.limit = limit
        self.updated = updated
        self.finished = finished
        let news = News()
        self.news = news
        driver = PresenceDriver(regions: regions, clock: SystemClock(), quietPeriod: quietPeriod) { _, _ in
            news.isNew.store(true, ordering: .relaxed)
        }
    }

    /// The answer, or the state known at an instant before it.
    package func answer(at now: Instant) -> LocateAnswer {
        state.withLock { $0.answer ?? answer($0, at: now) }
    }

    package func scannerWillStart(at time: Int64) {
        driver.scannerWillStart(at: time)
        news.isNew.store(false, ordering: .relaxed)
        state.withLock { state in
            state.began = Instant(nanoseconds: time)
            state.end = state.began.advanced(by: limit)
        }
    }

    package func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        let isInTime = state.withLock { state in
            guard state.answer == nil, let end = state.end else { return false }
            return Instant(nanoseconds: time) <= end
        }
        // The answer is known, and the source is about to stop.
        guard isInTime else { return true }
        let isWellFormed = driver.scannerDidReceive(event, at: time)
        if news.isNew.exchange(false, ordering: .relaxed) { conclude(at: Instant(nanoseconds: time)) }
        return isWellFormed
    }

    package func scannerDidFinishTurn(at time: Int64) -> Int64? {
        conclude(at: Instant(nanoseconds: time))
        return nextDeadline
    }

    package var nextDeadline: Int64? { state.withLock { $0.answer == nil ? $0.end : nil }?.nanoseconds }

    /// The process did not receive in that time, so it does not count as scanned.
    package func scannerDidStall(from: Int64, until: Int64) {
        driver.scannerDidStall(from: from, until: until)
        state.withLock { state in
            guard let since = state.listeningSince else { return }
            let stall = max(since, Instant(nanoseconds: from)).duration(to: Instant(nanoseconds: until))
            state.listeningSince = since.advanced(by: max(.zero, stall))
        }
    }

    package func scannerDidHearController(at time: Int64) {
        driver.scannerDidHearController(at: time)
    }

    package func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        driver.scannerDidUpdate(update, at: time)
        if update.state != .poweredOn { state.withLock { $0.failure = update } }
        updated(update, Instant(nanoseconds: time))
    }

    package func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {
        driver.scannerDidChangeListening(timing, at: time)
        let now = Instant(nanoseconds: time)
        state.withLock { state in
            if timing != nil {
                state.listeningSince = state.listeningSince ?? now
            } else {
                state.listened = state.listened(at: now)
                state.listeningSince = nil
            }
        }
    }

    /// Answers, if the answer is known by now.
    private func conclude(at now: Instant) {
        let isFirst = state.withLock { state in
            guard state.answer == nil, let end = state.end else { return false }
            guard now >= end || driver.regionSnapshots.allSatisfy({ $0.state == .inside }) else { return false }
            let time = min(now, end)
            // A beacon that was received first and then no longer is gone, if the radio works.
            _ = driver.scannerDidFinishTurn(at: time.nanoseconds)
            state.answer = answer(state, at: time)
            return true
        }
        if isFirst { finished() }
    }

    private func answer(_ state: State, at now: Instant) -> LocateAnswer {
        let heard = driver.beacons(since: state.began)
        let listened = state.listened(at: now)
        let doubt = doubt(state, listened: listened, at: now)
        let places = driver.regionSnapshots.map { snapshot in
            let identifier = snapshot.region.identifier
            if snapshot.state == .inside {
                return LocateAnswer.Place(region: identifier, state: .inside, beacon: snapshot.beacon)
            }
            if let doubt { return LocateAnswer.Place(region: identifier, state: .unknown, reason: .unknown(doubt)) }
            let strongest = heard.filter { $0.regions.contains(identifier) }
                .max { $0.signal ?? -.infinity < $1.signal ?? -.infinity }
            return LocateAnswer.Place(
                region: identifier, state: .outside, beacon: strongest,
                reason: strongest == nil ? .notHeard : .tooWeak)
        }
        return LocateAnswer(places: places, time: now, listened: listened, bluetooth: driver.bluetooth)
    }

    /// Returns the reason why a silence proves nothing, or `nil` if it proves the absence.
    private func doubt(_ state: State, listened: Duration, at now: Instant) -> LocationObstacle? {
        let bluetooth = driver.bluetooth
        if bluetooth.state != .poweredOn { return .bluetooth(bluetooth) }
        guard listened + LocateAnswer.tolerance >= limit else {
            return .notListened(listened, of: limit, because: state.failure)
        }
        return driver.isCertain(at: now) ? nil : .noAnswer(adapter: bluetooth.adapter)
    }
}

extension Locator.State {
    fileprivate func listened(at now: Instant) -> Duration {
        listened + (listeningSince.map { max(.zero, $0.duration(to: now)) } ?? .zero)
    }
}

/// The reason why a silence proves nothing.
public enum LocationObstacle: Hashable, Sendable {
    /// Bluetooth does not work at the end.
    case bluetooth(AdapterUpdate)

    /// The adapter scanned only for this part of the time, after this failure if there was one.
    case notListened(Duration, of: Duration, because: AdapterUpdate?)

    /// The adapter does not answer, and may receive nothing.
    case noAnswer(adapter: String?)
}

extension LocationObstacle: CustomStringConvertible {
    /// The reason, and the remedy if there is one.
    public var description: String {
        switch self {
        case .bluetooth(let update): update.reason
        case .notListened(let listened, let limit, let failure):
            "only \(listened.seconds(digits: 1).plain) s of \(limit.seconds(digits: 1).plain) s were scanned"
                + (failure.map { ": \($0.reason)" } ?? "")
        case .noAnswer(let adapter):
            "\(adapter ?? "the adapter") does not answer, and may receive nothing; run "
                + "\(Remedy.machine("hciconfig \(adapter ?? "hci0") reset")), or unplug it"
        }
    }
}

/// The place of this machine: the result of a ``Locator``.
package struct LocateAnswer: Sendable, Equatable {
    /// A region, and whether this machine is there.
    package struct Place: Sendable, Equatable {
        package var region: String

        package var state: RegionState

        /// The beacon that proves it: the one that keeps the region inside, or the strongest of those too weak for
        /// that.
        package var beacon: RegionMonitor.BeaconSnapshot?

        /// The reason why it is not inside, or unknown.
        package var reason: Reason?
    }

    /// The reason why this machine is not in a region, or why that is unknown.
    package enum Reason: Sendable, Equatable {
        /// Outside: no beacon of it was received.
        case notHeard
        /// Outside: a beacon is received, but is too weak to be inside.
        case tooWeak
        /// Unknown, for this reason.
        case unknown(LocationObstacle)
    }

    /// The requested regions, in their order.
    package var places: [Place]

    /// The time of the answer, on the clock of the source.
    package var time: Instant

    /// The time in which the scan ran.
    package var listened: Duration

    /// The state of the adapter at the end.
    package var bluetooth: AdapterUpdate

    /// The part of the time that may be missing for "outside": a scan takes a moment to start, or to start again.
    package static let tolerance = Duration.seconds(1)

    /// The shortest time to listen: many beacons advertise only once a second, and the scan window is half of the
    /// time, because the Wi-Fi may share the antenna.
    package static let shortest = Duration.seconds(2)

    /// 0 inside, 1 outside, 2 unknown. Of several regions: inside if any is, else unknown if any is.
    package var exitStatus: Int32 {
        let states = places.map(\.state)
        if states.contains(.inside) { return 0 }
        return states.contains(.outside) && !states.contains(.unknown) ? 1 : 2
    }
}
