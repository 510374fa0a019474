public import HCI
public import IBeacon
import OkaeriPlumbing
public import RegionMonitoring

/// One advertisement that a radio of the house received.
///
/// Public, because an inlinable function makes it: see ``PresencePipeline``.
public struct Reception: Sendable, Equatable {
    public enum Sender: Sendable, Equatable {
        case beacon(BeaconIdentity, measuredPower: Int8?)
        /// No beacon, maybe a phone of a region, whose address changes.
        case device(BluetoothAddress, BluetoothAddressType)
    }

    public var sender: Sender
    /// In dBm; `nil` if the controller did not measure.
    public var rssi: Int8?
    public var time: Instant

    public init(_ sender: Sender, rssi: Int8?, at time: Instant) {
        (self.sender, self.rssi, self.time) = (sender, rssi, time)
    }
}

/// The receptions of a radio in a span of time, and the part of it in which the radio listened.
package struct RadioReport: Sendable, Equatable {
    package var from: Instant
    package var until: Instant
    /// The part of that time in which the radio listened, from 0 to 1.
    package var share: Double
    /// The number of other devices that it received.
    package var others: Int
    /// In the order of time.
    package var receptions: [Reception]
    /// The battery levels of beacons that it received.
    package var batteries: [BeaconBattery]
    /// The time between two reports of a beacon that it receives all the time; zero if it reports each reception.
    package var interval: Duration

    package init(
        from: Instant, until: Instant, share: Double, others: Int, receptions: [Reception],
        batteries: [BeaconBattery] = [], interval: Duration = .zero
    ) {
        (self.from, self.until, self.share) = (from, until, share)
        (self.others, self.receptions, self.batteries) = (others, receptions, batteries)
        self.interval = interval
    }
}

/// The number of reports in each of the last seconds: whether they ended at once or became fewer before.
///
/// A receiver that becomes deaf misses all reports from one moment on. If a person carries devices out of range, the
/// reports become fewer for some seconds first.
///
/// The seconds are those in a scan window. With half of the air a house of few devices would otherwise have too few
/// reports to decide.
struct ReportRate: Sendable {
    private static let second: Int64 = 1_000_000_000

    /// The seconds that are kept, and those of them that show the usual rate.
    private static let kept = 64
    private static let usual: Int64 = 30

    /// The spans that are compared with the usual rate: the shortest one in which enough reports are expected.
    private static let spans: [Int64] = [2, 4, 8, 16]
    private static let enough = 8.0

    /// The counts of the seconds before the present one, by the second modulo their number.
    private var counts = [Int](repeating: 0, count: kept)
    private var present = Int64.min
    private var count = 0

    /// The part of the time in a scan window; 0 while the scan is off.
    private var share = 1.0
    /// The time in a scan window until the last change of the share.
    private var listened: Int64 = 0
    private var since: Int64?

    mutating func received(at now: Instant) {
        if since == nil { since = now.nanoseconds }
        let second = listened(at: now) / Self.second
        if second == present {
            count &+= 1
        } else {
            advance(to: second)
            count = 1
        }
    }

    /// Handles that the receiver is in a scan window for this part of the time from now on; 0: the scan is off.
    mutating func shareChanged(to share: Double, at now: Instant) {
        (listened, since) = (listened(at: now), now.nanoseconds)
        self.share = share
    }

    @inline(__always)
    private func listened(at now: Instant) -> Int64 {
        let elapsed = max(0, now.nanoseconds.subtractingClamped(since ?? now.nanoseconds))
        // 2^63 as a Double does not fit.
        return listened.addingClamped(share < 1 ? Int64(Double(elapsed) * share) : elapsed)
    }

    private mutating func advance(to second: Int64) {
        defer { present = second }
        guard present != .min, second > present else { return }
        counts[Self.slot(present)] = count
        // Not more than all of them.
        let first = max(present + 1, second - Int64(Self.kept))
        for passed in first..<max(first, second) { counts[Self.slot(passed)] = 0 }
    }

    /// Whether the reports ended at once, at their usual number; `false` if there were too few to decide.
    var endedAtOnce: Bool {
        guard present != .min else { return false }
        for span in Self.spans {
            let usual = Double(sum(span..<span + Self.usual)) / Double(Self.usual)
            // On average half of the present second had passed at the last report.
            let expected = usual * (Double(span) - 0.5)
            if expected >= Self.enough { return Double(sum(0..<span)) >= expected / 2 }
        }
        return false
    }

    /// The number of reports in these seconds, counted back from the one of the last report.
    private func sum(_ ages: Range<Int64>) -> Int {
        ages.reduce(0) { $0 + ($1 == 0 ? count : counts[Self.slot(present - $1)]) }
    }

    private static func slot(_ second: Int64) -> Int {
        let rest = Int(second % Int64(kept))
        return rest < 0 ? rest + kept : rest
    }
}
