package import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
import ServiceLifecycle

/// HTTP/1.1 at an address, until the daemon stops.
///
/// Hummingbird's server and router without its `Application`, which wakes up once a second to keep a date: no client
/// needs one, and a quiet house should cost nothing.
package struct HTTPListener: Sendable {
    private let router: EndpointRouter
    private let connections: Connections
    private let eventLoopGroup: any EventLoopGroup
    private let logger: Logger
    private let decorate: @Sendable (inout HTTPFields) -> Void

    /// - Parameters:
    ///   - router: answers a sound request.
    ///   - decorate: adds the fields that every answer of this listener has.
    package init(
        _ router: EndpointRouter, connections: Connections, eventLoopGroup: any EventLoopGroup, logger: Logger,
        decorate: @escaping @Sendable (inout HTTPFields) -> Void = { _ in }
    ) {
        self.router = router
        self.connections = connections
        self.eventLoopGroup = eventLoopGroup
        self.logger = logger
        self.decorate = decorate
    }

    /// Serves until the task is cancelled, or the daemon stops.
    ///
    /// - Parameters:
    ///   - opened: Called when clients can connect.
    ///   - closing: Called when shutdown begins, so that the caller can unlink the socket.
    /// - Throws: An error if it cannot listen there, or the socket fails later.
    package func run(
        at address: SocketAddress, opened: @escaping @Sendable () -> Void, closing: @escaping @Sendable () -> Void
    ) async throws {
        let socket = ListeningSocket(connections, on: eventLoopGroup.next(), opened: opened, closing: closing)
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await socket.serve(connection, at: address, logger: quiet)
        } onCancelOrGracefulShutdown: {
            socket.stop()
        }
    }

    /// The pipeline of each connection, from its bytes to the answers.
    var connection: HTTP1Channel {
        HTTP1Channel(
            responder: { [self, quiet] request, writer, channel in
                // What follows the last answer is read and dropped (RFC 9112, 9.6).
                guard !connections.isLingering(channel) else { return }
                connections.expect(channel)
                let (response, isLast) = await response(to: request, channel, quiet)
                defer { isLast ? connections.linger(channel) : connections.expect(channel) }
                try await writer.write(response: response.head, body: PieceWriter.split(response.body))
            }, configuration: .init(additionalChannelHandlers: [ConnectionWatch(connections)]))
    }

    private var quiet: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }

    /// - Returns: the answer, and whether the connection ends with it: content that was not read may never end.
    private func response(
        to request: Request, _ channel: any Channel, _ logger: Logger
    ) async -> (response: Response, isLast: Bool) {
        var response =
            if request.namesTwoHosts {
                Response.failure(
                    .badRequest, "the request names two hosts; send one Host field, and the target as a path")
            } else {
                await router.response(to: request, on: channel, of: connections, logger: logger)
            }
        decorate(&response.headers)
        // The router removes the content of what it answers; a refusal has one (RFC 9110, 9.3.2).
        if request.method == .head { response = response.createHeadResponse() }
        let wasRead = request.method == .post && response.status.kind == .successful
        let isLast = request.isLast || request.announcesContent && !wasRead
        if isLast { response.headers[.connection] = "close" }
        return (response, isLast)
    }
}

extension Request {
    /// Whether the request names more than one host (RFC 9112, 3.2): the codec leaves the second Host among the fields.
    fileprivate var namesTwoHosts: Bool { HTTPField.Name("Host").map { headers[$0] != nil } ?? true }

    /// Whether the connection can carry no further request, as ``LastRequest`` decides.
    fileprivate var isLast: Bool { method == .connect || headers[.upgrade] != nil }
}
