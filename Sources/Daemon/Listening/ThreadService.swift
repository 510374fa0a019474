import Plumbing
import ServiceLifecycle

/// Gives a blocking loop a thread of its own, and stops it when the daemon stops.
package struct ThreadService: Service {
    package let loop: @Sendable () throws -> Void
    package let stop: @Sendable () -> Void

    /// Whether the service is done when the loop is; otherwise only the daemon's end ends it.
    package let endsWithLoop: Bool

    /// - Parameters:
    ///   - endsWithLoop: whether the service is done when the loop is.
    ///   - loop: The function that blocks.
    ///   - stop: ends it, from any thread.
    package init(
        loop: @escaping @Sendable () throws -> Void, stop: @escaping @Sendable () -> Void, endsWithLoop: Bool = false
    ) {
        self.loop = loop
        self.stop = stop
        self.endsWithLoop = endsWithLoop
    }

    package func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await BlockingThread.run({ BlockingThread.StartError(code: $0) }, loop)
        } onCancelOrGracefulShutdown: {
            stop()
        }
        if !endsWithLoop { try await gracefulShutdown() }
    }
}
