import Bluetooth
import HCI
import IBeacon
import RegionMonitoring
import Synchronization

/// Listens to one region's beacons for a while, to calibrate them.
final class Calibrator: PacketReceiver {
    private struct State: Sendable {
        var calibration = Calibration()
        var assembler = ExtendedReportAssembler()
        /// When listening ends, and when its progress is next told.
        var end: Instant?
        var nextTelling: Instant?

        /// The iBeacon in a report, with what earlier reports held of the same advertisement.
        mutating func frame(in report: LEAdvertisingReport) -> IBeaconFrame? {
            guard let data = assembler.data(report) else { return nil }
            return IBeaconFrame(advertisingData: data)
        }
    }

    /// How often the progress is told.
    private static let interval = Duration.seconds(1)

    private let constraint: BeaconConstraint
    private let duration: Duration
    private let tell: @Sendable (AdapterUpdate) -> Void
    private let progress: @Sendable (_ left: Duration, _ readings: Int) -> Void
    private let finished: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - duration: how long to listen, from when the adapter first does.
    ///   - tell: is given what becomes of the adapter.
    ///   - progress: is told once a second how long it still takes, and how many readings there are.
    ///   - finished: is called once when the time is up.
    init(
        _ constraint: BeaconConstraint, duration: Duration, tell: @escaping @Sendable (AdapterUpdate) -> Void,
        progress: @escaping @Sendable (Duration, Int) -> Void, finished: @escaping @Sendable () -> Void
    ) {
        self.constraint = constraint
        self.duration = duration
        self.tell = tell
        self.progress = progress
        self.finished = finished
    }

    /// What was measured.
    var calibration: Calibration { state.withLock(\.calibration) }

    private var nextDeadline: Instant? { state.withLock(\.nextTelling) }

    func begin(at now: Instant) {}

    @discardableResult
    func received(event: RawSpan, at now: Instant) -> Instant? {
        state.withLock { state in
            guard let end = state.end, now <= end, var reports = LEAdvertisingReports(event: event) else {
                return state.nextTelling
            }
            // Of an event that is cut, what stood before the cut counts.
            while let report = try? reports.next() {
                let rssi = report.rssi
                guard let frame = state.frame(in: report), constraint.matches(frame.identity) else { continue }
                state.calibration.sighted(
                    BeaconSighting(identity: frame.identity, measuredPower: frame.measuredPower, rssi: rssi))
            }
            return state.nextTelling
        }
    }

    func turnFinished(at now: Instant) -> Instant? {
        let (left, readings) = state.withLock { state -> (Duration?, Int) in
            guard let end = state.end, let telling = state.nextTelling, telling <= now else { return (nil, 0) }
            state.nextTelling = now < end ? min(end, now.advanced(by: Self.interval)) : nil
            return (max(.zero, now.duration(to: end)), state.calibration.count)
        }
        if let left {
            progress(left, readings)
            if left == .zero { finished() }
        }
        return nextDeadline
    }

    func listeningChanged(_ isListening: Bool, at now: Instant) {
        state.withLock { state in
            guard isListening, state.end == nil else { return }
            state.end = now.advanced(by: duration)
            state.nextTelling = now
        }
    }

    func adapterUpdated(_ update: AdapterUpdate, at now: Instant) { tell(update) }

    func controllerHeard(at now: Instant) {}

    func dropped(total: UInt64) {}
}
