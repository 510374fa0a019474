package import Events
import ServiceLifecycle

/// Closes the hub when all that publishes has stopped, so that listeners end after the last event.
package struct HubService: Service {
    private let hub: EventHub

    package init(hub: EventHub) {
        self.hub = hub
    }

    package func run() async throws {
        defer { hub.close() }
        try await gracefulShutdown()
    }
}
