import HCI
import Plumbing
import RegionMonitoring

/// The time of listening, and the part of it in which the scan windows were open: what the scan takes of the antenna.
struct AirTime: Sendable {
    /// The last interval and window.
    private(set) var timing: ScanTiming?

    private var since: Instant?
    private var total: Int64 = 0
    private var open: Int64 = 0

    mutating func listeningChanged(_ timing: ScanTiming?, at now: Instant) {
        count(to: now)
        since = timing == nil ? nil : now
        if let timing { self.timing = timing }
    }

    /// Returns the time since the start.
    func listened(at now: Instant) -> (total: Duration, open: Duration) {
        var counted = self
        counted.count(to: now)
        return (.nanoseconds(counted.total), .nanoseconds(counted.open))
    }

    private mutating func count(to now: Instant) {
        guard let since, let timing else { return }
        let length = max(0, now.nanoseconds.subtractingClamped(since.nanoseconds))
        total = total.addingClamped(length)
        // The clock of a capture may jump by any time; 2^63 as a Double does not fit.
        open = open.addingClamped(timing.share < 1 ? Int64(Double(length) * timing.share) : length)
        self.since = now
    }
}
