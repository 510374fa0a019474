import Glibc
package import Logging
package import NIOCore
import ServiceLifecycle

/// HTTP over a Unix socket: what the command line and every other program asks.
package struct APIServer: Service {
    private let router: EndpointRouter
    private let socket: String
    private let eventLoopGroup: any EventLoopGroup
    let connections: Connections
    private let logger: Logger

    /// - Parameters:
    ///   - endpoints: Those of all listeners.
    ///   - socket: the path where it listens; the caller holds the right to it.
    ///   - eventLoopGroup: The threads that it runs on.
    package init(
        _ endpoints: [Endpoint], socket: String, eventLoopGroup: any EventLoopGroup,
        limits: Connections.Limits = .init(), logger: Logger
    ) {
        router = EndpointRouter(endpoints, of: .socket)
        self.socket = socket
        self.eventLoopGroup = eventLoopGroup
        connections = Connections(limits: limits)
        self.logger = logger
    }

    var listener: HTTPListener {
        HTTPListener(router, connections: connections, eventLoopGroup: eventLoopGroup, logger: logger)
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
