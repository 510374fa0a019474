package import Logging
package import NIOCore
package import OkaeriPlumbing
import ServiceLifecycle

/// `/metrics` and `/v1/health` over TCP, and nothing else: for Prometheus, which knows no Unix socket.
package struct MetricsServer: Service {
    /// The key of the configuration.
    private static let name = "metrics"

    private let router: EndpointRouter
    private let address: ListenAddress
    private let listeners: Listeners
    private let eventLoopGroup: any EventLoopGroup
    private let retry: BackOff
    let connections: Connections
    private let logger: Logger

    /// - Parameters:
    ///   - endpoints: Those of all listeners.
    ///   - address: The address of the listener.
    ///   - names: of this machine, by which it may be asked.
    ///   - listeners: Receives the state of the listener.
    package init(
        _ endpoints: [Endpoint], address: ListenAddress, names: [String], listeners: Listeners,
        eventLoopGroup: any EventLoopGroup, limits: Connections.Limits = .init(),
        retry: BackOff = BackOff(.seconds(5), limit: .seconds(60)), logger: Logger
    ) {
        router = EndpointRouter(endpoints, of: .metrics(HostCheck(names: names)))
        self.address = address
        self.listeners = listeners
        self.eventLoopGroup = eventLoopGroup
        self.retry = retry
        connections = Connections(limits: limits)
        self.logger = logger
    }

    var listener: HTTPListener {
        HTTPListener(router, connections: connections, eventLoopGroup: eventLoopGroup, logger: logger)
    }

    package func run() async throws {
        try await TCPAddress(
            name: Self.name, what: "the metrics are", address: address,
            warning: """
                the metrics on \(address) show when a person is at home, and every client that reaches that address can read them: \
                let your firewall accept only the machine that scrapes them, or listen on 127.0.0.1
                """, listeners: listeners, retry: retry, listener: listener, logger: logger
        ).run()
    }
}
