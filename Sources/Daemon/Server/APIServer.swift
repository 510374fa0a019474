import Events
import Glibc
package import Logging
package import NIOCore
import ServiceLifecycle

/// HTTP over a Unix socket: what the command line and every other program asks.
package struct APIServer: Service {
    private let endpoints: Endpoints
    private let socket: String
    private let eventLoopGroup: any EventLoopGroup
    let connections: Connections
    private let logger: Logger

    /// - Parameters:
    ///   - socket: the path where it listens; the caller holds the right to it.
    ///   - eventLoopGroup: The threads that it runs on.
    ///   - page: answers what the page asks beside.
    ///   - logins: The logins and the addresses of the page; `nil`: there is no page.
    ///   - heartbeat: The longest silence of an event stream.
    package init(
        backend: any APIBackend, page: (any PageBackend)? = nil,
        logins: (store: LoginStore, addresses: @Sendable () -> [String])? = nil, socket: String,
        eventLoopGroup: any EventLoopGroup, heartbeat: Duration = EventStreamField.heartbeat, logger: Logger
    ) {
        let more =
            (page.map { PageEndpoints($0).all } ?? [])
            + (logins.map { LoginEndpoints($0.store, addresses: $0.addresses).all } ?? [])
        self.init(
            backend: backend, socket: socket, eventLoopGroup: eventLoopGroup, heartbeat: heartbeat, limits: .init(),
            more: more, logger: logger)
    }

    init(
        backend: any APIBackend, socket: String, eventLoopGroup: any EventLoopGroup,
        heartbeat: Duration = EventStreamField.heartbeat, limits: Connections.Limits, more: [Endpoint] = [],
        logger: Logger
    ) {
        self.socket = socket
        self.eventLoopGroup = eventLoopGroup
        connections = Connections(limits: limits)
        endpoints = Endpoints(Self.endpoints(backend, heartbeat: heartbeat, connections: connections) + more)
        self.logger = logger
    }

    /// All that is served here.
    static func endpoints(
        _ backend: any APIBackend, heartbeat: Duration, connections: Connections
    ) -> [Endpoint] {
        APIEndpoints(backend, heartbeat: heartbeat, connections: connections).all + MonitoringEndpoints(backend).all
    }

    var listener: HTTPListener {
        HTTPListener(connections: connections, eventLoopGroup: eventLoopGroup, logger: logger) { [endpoints] in
            await endpoints.response(to: $0, on: $1, logger: $2)
        }
    }

    package func run() async throws {
        defer { unlink(socket) }
        do {
            let place = try PrivateSocket(for: socket)
            defer { place.discard() }
            try await listener.run(at: SocketAddress(unixDomainSocketPath: place.path)) { [socket, logger] in
                do throws(PrivateSocket.Failure) {
                    // The owner and the group may send requests; other users must not see the states of regions.
                    try place.publish(mode: 0o660)
                    logger.info("listening", metadata: ["socket": "\(socket)"])
                } catch {
                    logger.error(
                        "\(socket) cannot be served: \(error); name a place that can be written with `--socket`")
                }
            } closing: { [socket] in
                // New clients do not find the socket.
                unlink(socket)
            }
        } catch {
            // Without a socket there are no requests, but the regions are watched all the same.
            logger.error("\(socket) cannot be served: \(error); name a place that can be written with `--socket`")
            try await gracefulShutdown()
        }
    }
}
