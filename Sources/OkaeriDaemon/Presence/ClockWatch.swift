import Logging
import ServiceLifecycle

/// Notices that somebody set the wall clock: the network, a while after the machine's start, or a person.
struct ClockWatch: Sendable {
    /// A leap second is not worth a word.
    private static let tolerance = Duration.seconds(2)

    /// What the wall clock is ahead of the machine's start.
    private var offset: Int64

    /// - Parameters:
    ///   - wall: nanoseconds since the Unix epoch.
    ///   - uptime: nanoseconds since the machine's start, on a clock that nobody sets.
    init(wall: Int64, uptime: Int64) {
        offset = wall &- uptime
    }

    /// Returns how far the clock was set forward since the last look, negative for back; nil where it was left alone.
    mutating func looked(wall: Int64, uptime: Int64) -> Duration? {
        let step = Duration.nanoseconds((wall &- uptime).subtractingReportingOverflow(offset).partialValue)
        guard step > Self.tolerance || step < .zero - Self.tolerance else { return nil }
        offset = wall &- uptime
        return step
    }
}

/// Says once that the clock was set, with the first event that is told by the new time. A quiet house is not woken for it.
struct ClockWatchService: Service {
    let events: AsyncStream<Event>
    /// Is told as well.
    let wasSet: @Sendable () -> Void
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ClockWatch(wall: SystemClock().now, uptime: SystemClock.sinceBoot)
            for await _ in events {
                guard let step = watch.looked(wall: SystemClock().now, uptime: SystemClock.sinceBoot) else { continue }
                let direction = step > .zero ? "forward by \(step.roughly)" : "back by \((.zero - step).roughly)"
                logger.notice(
                    "the clock was set \(direction): from here on events bear the new time. Who is inside is not judged by it"
                )
                wasSet()
            }
        }
        try await gracefulShutdown()
    }
}
