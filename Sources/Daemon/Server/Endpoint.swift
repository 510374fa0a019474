import Events
package import HTTPTypes
package import Hummingbird
package import Logging
package import NIOCore

/// A method, a path and a handler: the element of every listener.
package struct Endpoint: Sendable {
    package typealias Answer = @Sendable (Request, ConnectionContext) async throws -> Response

    package let method: HTTPRequest.Method
    /// With a colon before what stands for anything: `/v1/prompts/:id`.
    package let path: String
    package var answer: Answer

    package init(_ method: HTTPRequest.Method, _ path: String, _ answer: @escaping Answer) {
        self.method = method
        self.path = path
        self.answer = answer
    }
}

/// The context of a request: its connection.
package struct ConnectionContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// Finds the endpoint of a request. Whatever comes, there is an answer, and one that is no success has a sentence.
package struct Endpoints: Sendable {
    private let responder: RouterResponder<ConnectionContext>
    /// Answers what is asked of a path by a method that it does not take.
    private let refusals: RouterResponder<ConnectionContext>

    package init(_ endpoints: [Endpoint]) {
        let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                // Content that is not read would fill buffers for as long as an event stream lasts.
                if endpoint.method != .post, !(await request.discardContent(upTo: 0)) {
                    return Response.failure(
                        .badRequest, "\(request.method) takes no content here; send the request without a body")
                }
                return try await endpoint.answer(request, context)
            }
        }
        responder = router.buildResponder()
        let refusing = Router(context: ConnectionContext.self)
        for (path, group) in Dictionary(grouping: endpoints, by: \.path) {
            let methods = group.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
            let allowed = methods.joined(separator: ", ")
            refusing.get(RouterPath(path)) { request, _ in
                Response.failure(
                    .methodNotAllowed, "only \(allowed) is allowed for \(request.uri.path)", headers: [.allow: allowed])
            }
        }
        refusals = refusing.buildResponder()
    }

    package func response(to request: Request, on channel: any Channel, logger: Logger) async -> Response {
        let context = ConnectionContext(source: .init(channel: channel, logger: logger))
        do {
            let response = try await responder.respond(to: request, context: context)
            // The router's own, which has no reason.
            guard response.status == .notFound, response.headers[.contentType] == nil else { return response }
            var head = request.head
            head.method = .get
            let refusal = try await refusals.respond(to: Request(head: head, body: request.body), context: context)
            if refusal.status != .notFound { return refusal }
            return .failure(
                .notFound, "there is nothing at this path; /usr/share/doc/okaeri/api.md lists what there is")
        } catch {
            return .failure(.internalServerError, "the request could not be answered; look at `journalctl -u okaeri`")
        }
    }
}
