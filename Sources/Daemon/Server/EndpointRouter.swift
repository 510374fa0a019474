import OkaeriEvents
package import Hummingbird
package import Logging
package import NIOCore

/// The way of each request of a listener: the check of its host, the endpoint of its path and method, the check of the client by
/// the access of that endpoint, and the answer. Whatever comes, there is an answer, and one that is not a success has a sentence.
package struct EndpointRouter: Sendable {
    /// The kind of a listener, with its checks.
    package enum Listener: Sendable {
        /// The group has the right to the socket.
        case socket
        case metrics(HostCheck)
        case page(HostCheck, RequestGate, LoginStore)
    }

    private let listener: Listener
    private let responder: RouterResponder<Exchange>

    /// - Parameters:
    ///   - endpoints: Those of all listeners: the others are as if they did not exist here.
    package init(_ endpoints: [Endpoint], of listener: Listener) {
        self.listener = listener
        let router = Router(context: Exchange.self)
        if let hosts = listener.hosts { router.add(middleware: hosts) }
        router.add(middleware: UnknownPath(listener: listener))
        let served = endpoints.filter { listener.serves($0.access) }
        for (path, endpoints) in Dictionary(grouping: served, by: \.path) {
            let methods = PathMethods(endpoints: endpoints, listener: listener)
            router.get(RouterPath(path)) { _, exchange in try await methods.response(to: exchange) }
        }
        responder = router.buildResponder()
    }

    package func response(
        to request: Request, on channel: any Channel, of connections: Connections, logger: Logger
    ) async -> Response {
        let isFromProxy = listener.gate?.ingress?.isPeer(channel.remoteAddress?.ipAddress) ?? false
        let exchange = Exchange(
            request, on: channel, of: connections, isOpen: listener.gate?.isOpen ?? false,
            user: isFromProxy ? request.proxyUser : nil, logger: logger)
        // The router looks for the path alone, because a wrong method has another answer than a wrong path.
        var head = request.head
        head.method = .get
        do {
            var response = try await responder.respond(to: Request(head: head, body: request.body), context: exchange)
            if exchange.user != nil { SecurityHeaders.allowFrame(in: &response.headers) }
            return response
        } catch {
            return .failure(.internalServerError, request.language(RefusalPhrase.notAnswered))
        }
    }
}

extension EndpointRouter.Listener {
    fileprivate var hosts: HostCheck? {
        switch self {
        case .socket: nil
        case .metrics(let hosts), .page(let hosts, _, _): hosts
        }
    }

    fileprivate var gate: RequestGate? { if case .page(_, let gate, _) = self { gate } else { nil } }

    fileprivate func serves(_ access: Access) -> Bool {
        switch self {
        case .socket: [.socket, .readers, .monitoring].contains(access)
        case .metrics: access == .monitoring
        case .page: true
        }
    }

    /// Returns the session of the client, if it needs one for the access and the method of its request.
    ///
    /// - Parameters:
    ///   - rights: The rights that the endpoint demands of a session.
    ///   - isAnswered: Whether the request reaches an endpoint. Without one it changes nothing, whatever its method is, and is
    ///   checked as a request that reads.
    fileprivate func session(
        of exchange: Exchange, for access: Access, needing rights: SessionRights = .look, isAnswered: Bool
    ) throws(WebRefusal) -> Logins.Session? {
        guard case .page(_, let gate, let logins) = self else { return nil }
        var request = WebRequest(exchange.request)
        if !isAnswered { request.method = "GET" }
        if let user = exchange.user {
            request.proxySession = logins.session(of: user, rights: gate.ingress?.rights(of: user) ?? .look)
        }
        var found = request.proxySession
        defer {
            exchange.connections.identified(exchange.channel, hasLogin: found != nil, user: exchange.user?.id)
        }
        return try gate.session(of: request, for: access, needing: rights) { cookie in
            found = logins.pass(for: cookie)
            return found
        }
    }
}

/// The endpoints of a path. No answer of them is reached but by the check of the client.
private struct PathMethods: Sendable {
    let endpoints: [Endpoint]
    let listener: EndpointRouter.Listener

    func response(to exchange: Exchange) async throws -> Response {
        var exchange = exchange
        let request = exchange.request
        let endpoint =
            endpoints.first { $0.method == request.method }
            ?? (request.method == .head ? endpoints.first { $0.method == .get } : nil)
        // The answer to a wrong method is for each client that may use one of the right ones.
        let access = endpoint?.access ?? endpoints.map(\.access).max() ?? .session
        exchange.session = try listener.session(
            of: exchange, for: access, needing: endpoint?.rights ?? .look, isAnswered: endpoint != nil)
        guard let endpoint else {
            throw PageFailure(
                .methodNotAllowed, request: .method, allowed, request.uri.path, headers: [.allow: allowed])
        }
        // Content that is not read would fill buffers for as long as an event stream lasts.
        if endpoint.method != .post, !(await exchange.discardContent(upTo: 0)) {
            throw PageFailure(.badRequest, request: .content, "\(request.method)")
        }
        let answer = try await endpoint.answer(exchange)
        let response = try await Compression.applied(to: answer, for: request, in: exchange.connections.memory)
        let isPacked = answer.headers[.contentEncoding] != response.headers[.contentEncoding]
        // What was packed here is in memory, also if the answer is a part of the program.
        let held = endpoint.isAccounted && !isPacked ? response : try exchange.connections.memory.holding(response)
        guard let session = exchange.session, !session.isOfProxy else { return held }
        return exchange.connections.holding(held, for: session.device.id, on: exchange.channel)
    }

    private var allowed: String {
        endpoints.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }.joined(separator: ", ")
    }
}

/// Refuses what has no endpoint: a path of the API on the page as the readers' endpoints refuse. Another path is unknown to each client: the
/// files are public.
private struct UnknownPath: RouterMiddleware {
    let listener: EndpointRouter.Listener

    func handle(
        _ request: Request, context exchange: Exchange, next: (Request, Exchange) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, exchange)
        } catch let error as HTTPError where error.status == .notFound {
            if Self.isOfAPI(request.uri.path) {
                _ = try listener.session(of: exchange, for: .readers, isAnswered: false)
            }
            throw PageFailure(.notFound, request: .path)
        }
    }

    /// Whether the first component of the path is that of the API, as the router reads it: without empty components, and with its percent
    /// encoding.
    private static func isOfAPI(_ path: String) -> Bool {
        path.split(separator: "/", maxSplits: 1).first == "v1"
    }
}
