package import OkaeriEvents
import OkaeriPlumbing
import ServiceLifecycle
import Synchronization

/// Passes each event to an output that may block, such as a pipe that is not read, on a thread of its own.
///
/// It has no queue: it reads the events that the hub keeps, whose number is limited. If the output is slower than the events,
/// the oldest are missing from it, ranging before others.
package struct EventOutput: Service {
    /// The time for which the end of the program waits for the output.
    private static let gracePeriod = Duration.seconds(1)

    /// The minimum time between two reports of missing events.
    private static let reportInterval = Duration.seconds(60)

    private let hub: EventHub
    private let gracePeriod: Duration
    private let write: @Sendable (Event) -> Bool
    private let reportMissing: @Sendable (UInt64) -> Void

    /// - Parameters:
    ///   - gracePeriod: The time for which the end of the program waits for the output.
    ///   - reportMissing: receives the number of events that are missing from the output since the last report. It is
    ///     called on the thread of the output, and at the end while that may still be blocked.
    ///   - write: writes an event, and returns whether the output takes more.
    package init(
        hub: EventHub, gracePeriod: Duration = gracePeriod, reportMissing: @escaping @Sendable (UInt64) -> Void,
        write: @escaping @Sendable (Event) -> Bool
    ) {
        self.hub = hub
        self.gracePeriod = gracePeriod
        self.reportMissing = reportMissing
        self.write = write
    }

    package func run() async throws {
        let (occasions, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let published = hub.notify(continuation, with: ())
        // What happened before this service was started is written first.
        let position = Position(after: (hub.next(after: 0)?.sequence ?? published + 1) - 1)
        let (end, ended) = AsyncStream.makeStream(of: Void.self)
        try BlockingThread.start {
            writeAll(position)
            ended.finish()
        }
        for await _ in occasions { position.changed.signal() }
        position.isOver.store(true, ordering: .releasing)
        position.changed.signal()
        let isBlocked = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in end {}
                return false
            }
            group.addTask { [gracePeriod] in
                await gracePeriod.elapsed()
                return true
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if isBlocked { reportMissing(hub.sequence - position.last.load(ordering: .relaxed)) }
        // The events end before this service is asked to.
        try await gracefulShutdown()
    }

    /// The thread of the output.
    private func writeAll(_ position: Position) {
        var missing: UInt64 = 0
        var nextReport = ContinuousClock.now
        while true {
            let isOver = position.isOver.load(ordering: .acquiring)
            var last = position.last.load(ordering: .relaxed)
            while let event = hub.next(after: last) {
                missing += event.sequence - last - 1
                guard write(event) else { return }
                last = event.sequence
                position.last.store(last, ordering: .relaxed)
            }
            if missing > 0, isOver || ContinuousClock.now >= nextReport {
                reportMissing(missing)
                missing = 0
                nextReport = .now + Self.reportInterval
            }
            if isOver { return }
            position.changed.wait(until: missing > 0 ? nextReport : nil)
        }
    }

    /// The position of the output's thread.
    private final class Position: Sendable {
        /// Signalled when there are more events, and at their end.
        let changed = BinarySemaphore()
        /// Whether no more events come.
        let isOver = Atomic(false)
        /// The number of the last event that was written, or of the one before the first.
        let last: Atomic<UInt64>

        init(after last: UInt64) {
            self.last = Atomic(last)
        }
    }
}
