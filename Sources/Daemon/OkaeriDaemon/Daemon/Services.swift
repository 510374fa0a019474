import ServiceLifecycle
import UnixSignals

/// Reads the configuration again on SIGHUP.
struct ReloadService: Service {
    let reload: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { await reload() }
        }
    }
}

/// Services that start and stop at the same time.
struct ConcurrentServices: Service {
    let services: [any Service]

    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for service in services { group.addTask { try await service.run() } }
        }
    }
}
