import ServiceLifecycle

/// Passes changes on.
package struct ChangesService: Service {
    private let changes: AsyncStream<Void>
    private let changed: @Sendable () -> Void

    package init(changes: AsyncStream<Void>, changed: @escaping @Sendable () -> Void) {
        self.changes = changes
        self.changed = changed
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { for await _ in changes { changed() } }
        try await gracefulShutdown()
    }
}
