import Events
import HTTPTypes
import Hummingbird
package import Logging
package import NIOCore
package import Plumbing
import ServiceLifecycle

/// `/metrics` and `/v1/health` over TCP, and nothing else: for Prometheus, which knows no Unix socket.
package struct MetricsServer: Service {
    /// The key of the configuration.
    private static let name = "metrics"

    private let endpoints: Endpoints
    private let address: ListenAddress
    private let hosts: HostCheck
    private let listeners: Listeners
    private let eventLoopGroup: any EventLoopGroup
    private let retry: BackOff
    let connections: Connections
    private let logger: Logger

    /// - Parameters:
    ///   - address: The address of the listener.
    ///   - names: of this machine, by which it may be asked.
    ///   - listeners: Receives the state of the listener.
    package init(
        backend: any APIBackend, address: ListenAddress, names: [String], listeners: Listeners,
        eventLoopGroup: any EventLoopGroup, logger: Logger
    ) {
        self.init(
            backend: backend, address: address, names: names, listeners: listeners, eventLoopGroup: eventLoopGroup,
            limits: .init(), retry: BackOff(.seconds(5), limit: .seconds(60)), logger: logger)
    }

    init(
        backend: any APIBackend, address: ListenAddress, names: [String], listeners: Listeners,
        eventLoopGroup: any EventLoopGroup, limits: Connections.Limits, retry: BackOff, logger: Logger
    ) {
        endpoints = Endpoints(MonitoringEndpoints(backend).all)
        self.address = address
        hosts = HostCheck(names: names)
        self.listeners = listeners
        self.eventLoopGroup = eventLoopGroup
        self.retry = retry
        connections = Connections(limits: limits)
        self.logger = logger
    }

    var listener: HTTPListener {
        HTTPListener(connections: connections, eventLoopGroup: eventLoopGroup, logger: logger) {
            [endpoints, hosts] request, channel, logger in
            guard hosts.permits(request.head.authority) else {
                return .failure(.misdirectedRequest, HostCheck.refusal)
            }
            return await endpoints.response(to: request, on: channel, logger: logger)
        }
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
