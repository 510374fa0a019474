/// Notices that the wall clock was set: by the network, a while after the machine's start, or by a person.
package struct ClockWatch: Sendable {
    /// A leap second is not logged.
    private static let tolerance = Duration.seconds(2)

    /// The difference between the wall clock and the time since the machine's start.
    private var offset: Int64

    /// - Parameters:
    ///   - wall: nanoseconds since the Unix epoch.
    ///   - uptime: Nanoseconds since the machine's start, on a clock that is never set.
    package init(wall: Int64, uptime: Int64) {
        offset = wall &- uptime
    }

    /// Returns how far the clock was set forward since the last look, negative for back; nil where it was left alone.
    package mutating func looked(wall: Int64, uptime: Int64) -> Duration? {
        let step = Duration.nanoseconds((wall &- uptime).subtractingReportingOverflow(offset).partialValue)
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return nil }
        offset = wall &- uptime
        return step
    }
}
