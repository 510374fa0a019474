import Logging
import NIOPosix
public import ServiceLifecycle
import UnixSignals
import WiFi

/// Gives a blocking loop a thread of its own, and stops it when the daemon stops.
public struct ThreadService: Service {
    let loop: @Sendable () throws -> Void
    let stop: @Sendable () -> Void

    /// Whether the service is done when the loop is; otherwise only the daemon's end ends it.
    let endsWithLoop: Bool

    /// - Parameters:
    ///   - endsWithLoop: whether the service is done when the loop is.
    ///   - loop: what blocks.
    ///   - stop: ends it, from any thread.
    public init(
        loop: @escaping @Sendable () throws -> Void, stop: @escaping @Sendable () -> Void, endsWithLoop: Bool = false
    ) {
        self.loop = loop
        self.stop = stop
        self.endsWithLoop = endsWithLoop
    }

    public func run() async throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await withTaskCancellationOrGracefulShutdownHandler {
                    try await pool.runIfActive(loop)
                } onCancelOrGracefulShutdown: {
                    stop()
                })
        } catch {
            result = .failure(error)
        }
        try await pool.shutdownGracefully()
        try result.get()
        if !endsWithLoop { try await gracefulShutdown() }
    }
}

/// Closes the hub when all that publishes has stopped, so that listeners end after the last event.
struct HubService: Service {
    let hub: EventHub

    func run() async throws {
        defer { hub.close() }
        try await gracefulShutdown()
    }
}

/// Leaves the antenna to the Wi-Fi while a connection is being made: a Pi has one for both.
struct AntennaService: Service {
    let wifi: any WiFiService
    let source: any PresenceSource

    /// An activation takes seconds. One that never ends must not keep us deaf.
    private static let patience = Duration.seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var limit: Task<Void, Never>?
            var isActivating = false
            for await state in wifi.states() where state.activating != isActivating {
                isActivating = state.activating
                limit?.cancel()
                source.hold(isActivating)
                guard isActivating else { continue }
                limit = Task {
                    guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
                    source.hold(false)
                }
            }
            limit?.cancel()
        }
    }
}

/// Reads the configuration again on SIGHUP.
struct ReloadService: Service {
    let reload: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { await reload() }
        }
    }
}
