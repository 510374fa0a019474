package import RegionMonitoring

/// Converts a capture's time stamps into a clock that never runs backwards.
///
/// The stamps come from the wall clock, which may have been set during the recording. A step back must not stop the
/// monitor until the old time is reached again: the clock continues from its last value.
package struct CaptureTimeline: Sendable {
    /// The seconds from 1970 to 2000: a program that takes btsnoop's constant for 1970's writes stamps 30 years late.
    private static let thirtyYears: Int64 = 946_684_800

    /// The lead of a capture's clock over ours from which on its stamps are wrong.
    private static let tolerance: Int64 = 86_400

    package private(set) var isThirtyYearsLate = false

    /// The present lead of the clock over the stamps, in nanoseconds.
    package private(set) var ahead: Int64 = 0
    private var latest: Int64?

    package init() {}

    /// The instant of the packet with this stamp.
    ///
    /// - Parameter today: The present, in nanoseconds since the Unix epoch: the first stamp cannot be later.
    package mutating func instant(ofStamp stamp: Int64, today: Int64) -> Instant {
        if latest == nil {
            let future = stamp / 1_000_000_000 - today / 1_000_000_000
            isThirtyYearsLate = future > Self.tolerance && future <= Self.thirtyYears
        }
        let stamp = isThirtyYearsLate ? stamp &- Self.thirtyYears * 1_000_000_000 : stamp
        var time = stamp.addingReportingOverflow(ahead).partialValue
        if let latest, time < latest {
            ahead &+= latest &- time
            time = latest
        }
        latest = time
        return Instant(nanoseconds: time)
    }
}
