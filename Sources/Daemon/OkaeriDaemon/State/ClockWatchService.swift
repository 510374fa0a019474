package import Events
package import Logging
import Plumbing
import ServiceLifecycle

/// Reports once that the clock was set, with the first event by the new time. A quiet house is not woken for it.
package struct ClockWatchService: Service {
    private let events: AsyncStream<Event>
    private let wasSet: @Sendable () -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - events: all that happens from now on.
    ///   - wasSet: is called when the clock was.
    package init(events: AsyncStream<Event>, wasSet: @escaping @Sendable () -> Void, logger: Logger) {
        self.events = events
        self.wasSet = wasSet
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = ClockWatch(wall: KernelClock.realtime, uptime: KernelClock.boottime)
            for await _ in events {
                guard let step = watch.looked(wall: KernelClock.realtime, uptime: KernelClock.boottime) else {
                    continue
                }
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
