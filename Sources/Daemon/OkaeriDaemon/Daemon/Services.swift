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
