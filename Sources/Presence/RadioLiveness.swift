package import RegionMonitoring

/// Whether the radio can be believed when it hears nothing: a dead controller sounds like an empty house.
///
/// A scanner asks its controller whether it lives after a silence of the quiet period, and then less and less often, each
/// time after twice as long. So in a living radio's silence the last answer is never older than two thirds of that silence.
package struct RadioLiveness: Sendable {
    @usableFromInline package let quietPeriod: Duration?

    /// When the silence began, and when the controller was last known to live.
    @usableFromInline var lastReport = Instant(nanoseconds: 0)
    @usableFromInline var lastAnswer = Instant(nanoseconds: 0)

    /// - Parameter quietPeriod: how long a silence may be before it takes an answer to believe it; nil: always believed.
    package init(quietPeriod: Duration?) {
        self.quietPeriod = quietPeriod
    }

    /// The radio was heard, or began to listen.
    @inlinable package mutating func reportReceived(at now: Instant) {
        lastReport = now
        lastAnswer = now
    }

    /// The controller answered.
    package mutating func controllerHeard(at now: Instant) {
        lastAnswer = now
    }

    /// Whether what was not heard was not there.
    package func isCertain(at now: Instant) -> Bool {
        guard let quietPeriod else { return true }
        let silence = lastReport.duration(to: now)
        return lastAnswer.duration(to: now) <= max(quietPeriod, silence * 2 / 3)
    }

    /// How long a silence may be for these regions: well below the shortest time after which one of them is left.
    package static func quietPeriod(for regions: [MonitoredRegion]) -> Duration {
        min(.seconds(10), regions.map { ($0.exitAfter ?? $0.sensitivity.shortestExitAfter) / 2 }.min() ?? .seconds(10))
    }
}
