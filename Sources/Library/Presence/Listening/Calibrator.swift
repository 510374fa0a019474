package import HCI
package import IBeacon
import OkaeriBluetooth
package import RegionMonitoring
import Synchronization

package final class Calibrator: ScannerDelegate {
    private struct State: Sendable {
        var calibration = Calibration()
        var assembler = ExtendedReportAssembler()
        /// The end of listening, and the next time at which the progress is published.
        var end: Instant?
        var nextProgress: Instant?
    }

    private static let interval = Duration.seconds(1)

    private let constraint: BeaconConstraint
    private let duration: Duration
    private let updated: @Sendable (AdapterUpdate) -> Void
    private let progress: @Sendable (_ left: Duration, _ readings: Int) -> Void
    private let finished: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - duration: The time to listen, from the adapter's first scan.
    ///   - progress: is given once a second how long it still takes, and how many readings there are.
    ///   - finished: is called once when the time is up.
    package init(
        _ constraint: BeaconConstraint, duration: Duration, updated: @escaping @Sendable (AdapterUpdate) -> Void,
        progress: @escaping @Sendable (Duration, Int) -> Void, finished: @escaping @Sendable () -> Void
    ) {
        self.constraint = constraint
        self.duration = duration
        self.updated = updated
        self.progress = progress
        self.finished = finished
    }

    /// The measurement.
    package var calibration: Calibration { state.withLock(\.calibration) }

    package var nextDeadline: Int64? { state.withLock(\.nextProgress)?.nanoseconds }

    package func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        let now = Instant(nanoseconds: time)
        return state.withLock { state in
            guard var reports = LEAdvertisingReports(event: event) else { return false }
            var isWellFormed = false
            // Of a truncated event, the reports before the cut count.
            while let report = try? reports.next() {
                isWellFormed = true
                guard let end = state.end, now <= end else { return true }
                let rssi = report.rssi
                for frame in state.assembler.frames(in: report) {
                    guard let identity = constraint.normalized(frame.identity) else { continue }
                    state.calibration.sighted(
                        BeaconSighting(identity: identity, measuredPower: frame.measuredPower, rssi: rssi))
                }
            }
            return isWellFormed
        }
    }

    package func scannerDidFinishTurn(at time: Int64) -> Int64? {
        let now = Instant(nanoseconds: time)
        let (left, readings) = state.withLock { state -> (Duration?, Int) in
            guard let end = state.end, let due = state.nextProgress, due <= now else { return (nil, 0) }
            state.nextProgress = now < end ? min(end, now.advanced(by: Self.interval)) : nil
            return (max(.zero, now.duration(to: end)), state.calibration.count)
        }
        if let left {
            progress(left, readings)
            if left == .zero { finished() }
        }
        return nextDeadline
    }

    package func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {
        let now = Instant(nanoseconds: time)
        state.withLock { state in
            guard timing != nil, state.end == nil else { return }
            state.end = now.advanced(by: duration)
            state.nextProgress = now
        }
    }

    package func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) { updated(update) }
}
