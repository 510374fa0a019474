import Events
import Logging
import Plumbing
import ServiceLifecycle

/// Reports once that the clock was set, with the first event by the new time. A quiet house is not woken for it.
struct ClockWatchService: Service {
    /// The events from now on.
    let events: AsyncStream<Event>
    /// Called when the clock was set.
    let wasSet: @Sendable () -> Void
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ClockWatch(at: .now)
            for await _ in events {
                guard let step = watch.looked(at: .now) else { continue }
                let direction = step > .zero ? "forward by \(step.roughly)" : "back by \((.zero - step).roughly)"
                logger.notice(
                    "the clock was set \(direction): events have the new time from now on, and the states of regions do not depend on it"
                )
                wasSet()
            }
        }
        try await gracefulShutdown()
    }
}
