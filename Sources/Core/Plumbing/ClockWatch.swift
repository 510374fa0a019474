/// Notices that the wall clock was set: by the network, a while after the machine's start, or by a person.
package struct ClockWatch: Sendable {
    /// A leap second is not logged.
    private static let tolerance = Duration.seconds(2)

    /// The difference between the two clocks.
    private var offset: Int64

    package init(at now: Moment) {
        offset = now.wall &- now.instant
    }

    /// Returns how far the clock was set forward since the last look, negative for back; nil where it was left alone.
    package mutating func looked(at now: Moment) -> Duration? {
        let step = Duration.nanoseconds((now.wall &- now.instant).subtractingReportingOverflow(offset).partialValue)
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return nil }
        offset = now.wall &- now.instant
        return step
    }
}
