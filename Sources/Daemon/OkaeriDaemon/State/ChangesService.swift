import ServiceLifecycle

/// Passes changes on.
struct ChangesService: Service {
    let changes: AsyncStream<Void>
    let changed: @Sendable () -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { for await _ in changes { changed() } }
        try await gracefulShutdown()
    }
}
