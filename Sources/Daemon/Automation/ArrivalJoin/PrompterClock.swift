package import OkaeriPlumbing
import RegionMonitoring

/// The clock of the prompts: the machine's, or a capture's own.
package struct PrompterClock: Sendable {
    /// A capture's clock stands still where the capture has ended, and moves with its packets.
    private static let (shortest, longest) = (Duration.milliseconds(10), Duration.seconds(1))

    /// Returns the present time.
    let moment: @Sendable () -> Moment

    /// The factor by which the capture's clock is faster than the machine's; `nil` for the machine's clock.
    let speed: Double?

    /// - Parameters:
    ///   - speed: The factor by which a capture's clock is faster than the machine's; `nil` for the machine's clock.
    ///   - moment: Returns the present time.
    package init(speed: Double? = nil, moment: @escaping @Sendable () -> Moment) {
        (self.speed, self.moment) = (speed, moment)
    }

    var instant: Instant { Instant(nanoseconds: moment().instant) }

    /// Returns the machine's time to wait until an instant, or until it is time to look at a capture's clock again.
    func delay(until deadline: Instant) -> Duration {
        let left = max(.zero, instant.duration(to: deadline))
        guard let speed else { return left }
        return min(max(left / speed, Self.shortest), Self.longest)
    }
}
