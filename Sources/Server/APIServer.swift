import API
import Events
import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
import ServiceLifecycle

/// HTTP over a Unix socket: what the command line and every other program asks.
package struct APIServer: Service {
    private let backend: any APIBackend
    private let socket: String
    private let eventLoopGroup: any EventLoopGroup
    private let heartbeat: Duration
    let connections: Connections
    private let logger: Logger

    /// An answer is one word.
    private static let largestBody = 1024

    /// At the end, for who has knocked already: swift-nio traps when the socket closes between its accepting a
    /// connection and our taking it (swift-nio, issue 2813).
    private static let lastCall = Duration.milliseconds(100)

    /// How long answers that are on their way may take then. Who does not read must not hold up the daemon's end.
    private static let lastWords = Duration.seconds(1)

    /// - Parameters:
    ///   - socket: the path where it listens; the caller holds the right to it.
    ///   - eventLoopGroup: whose threads it runs on.
    ///   - heartbeat: how long an event stream is silent at most.
    package init(
        backend: any APIBackend, socket: String, eventLoopGroup: any EventLoopGroup,
        heartbeat: Duration = EventStreamField.heartbeat, logger: Logger
    ) {
        self.init(
            backend: backend, socket: socket, eventLoopGroup: eventLoopGroup, heartbeat: heartbeat, limits: .init(),
            logger: logger)
    }

    init(
        backend: any APIBackend, socket: String, eventLoopGroup: any EventLoopGroup,
        heartbeat: Duration = EventStreamField.heartbeat, limits: Connections.Limits, logger: Logger
    ) {
        self.backend = backend
        self.socket = socket
        self.eventLoopGroup = eventLoopGroup
        self.heartbeat = heartbeat
        connections = Connections(limits: limits)
        self.logger = logger
    }

    package func run() async throws {
        defer { unlink(socket) }
        do {
            let place = try PrivateSocket(for: socket)
            defer { place.discard() }
            let server = ServiceGroupConfiguration.ServiceConfiguration(service: try server(at: place))
            var configuration = ServiceGroupConfiguration(services: [server], logger: logger)
            configuration.maximumGracefulShutdownDuration = Self.lastWords * 2
            let group = ServiceGroup(configuration: configuration)
            // Detached, so that it ends by us alone, and neither by cancellation nor with the daemon.
            let serving = Task.detached { try await group.run() }
            try await withTaskCancellationOrGracefulShutdownHandler {
                try await serving.value
            } onCancelOrGracefulShutdown: { [socket, connections] in
                // Nobody new finds the door.
                unlink(socket)
                Task.detached {
                    try? await Task.sleep(for: Self.lastCall)
                    await group.triggerGracefulShutdown()
                    try? await Task.sleep(for: Self.lastWords)
                    connections.close()
                }
            }
        } catch {
            // Without a socket nobody can ask, but the regions are watched all the same.
            logger.error("\(socket) cannot be served: \(error). Name a place that can be written with --socket")
            try await gracefulShutdown()
        }
    }

    /// Hummingbird's server and router without its `Application`, which wakes up once a second to keep a date: nobody
    /// here asks for one, and a quiet house should cost nothing.
    private func server(at place: PrivateSocket) throws -> any Service {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let responder = router.buildResponder()
        let limit = MaximumAvailableConnections(connections.limits.connections)
        return try HTTPServerBuilder.http1(
            configuration: .init(additionalChannelHandlers: [ConnectionWatch(connections)])
        ).buildServer(
            configuration: ServerConfiguration(
                address: .unixDomainSocket(path: place.path), availableConnectionsDelegate: limit),
            eventLoopGroup: eventLoopGroup, logger: quiet
        ) { [quiet, connections] request, writer, channel in
            connections.expect(channel)
            defer { connections.expect(channel) }
            let context = ConnectionContext(source: .init(channel: channel, logger: quiet))
            let response =
                (try? await responder.respond(to: request, context: context))
                ?? Self.failure(.internalServerError, "the request could not be answered")
            try await writer.write(response: response.head, body: response.body)
        } onServerRunning: { [socket, logger] _ in
            do throws(PrivateSocket.Failure) {
                // The owner and the group may ask; others have no business to know who is at home.
                try place.publish(mode: 0o660)
                logger.info("listening", metadata: ["socket": "\(socket)"])
            } catch {
                logger.error("\(socket) cannot be served: \(error). Name a place that can be written with --socket")
            }
        }
    }

    private var router: Router<ConnectionContext> {
        let router = Router(context: ConnectionContext.self)
        router.get(RouterPath(Route.status)) { [backend] request, _ in
            // How beacons are judged is most of the answer, and who only asks for the state has no need of it.
            let isBrief = request.uri.queryParameters[Substring(Route.judgements)] == "false"
            return Self.json(isBrief ? await backend.status.withoutJudgements : await backend.status)
        }
        router.get(RouterPath(Route.regions)) { [backend] _, _ in Self.json(await backend.regions) }
        router.get(RouterPath(Route.beacons)) { [backend] _, _ in Self.json(await backend.beacons) }
        router.get(RouterPath(Route.prompts)) { [backend] _, _ in Self.json(await backend.prompts) }
        router.get(RouterPath(Route.events)) { [backend, heartbeat, connections] request, context in
            EventStream(backend: backend, heartbeat: heartbeat, connections: connections)
                .response(to: request, context.channel)
        }
        router.post(RouterPath("\(Route.prompts)/:id")) { request, context in try await answer(request, context) }
        // The name in the query: Hummingbird undoes the percent encoding there, in a path it does not.
        router.delete(RouterPath(Route.never)) { [backend] request, _ in
            let ssid = try request.uri.queryParameters.require(Route.ssid)
            return await backend.clearNever(ssid: ssid)
                ? Self.json(await backend.prompts)
                : Self.failure(.notFound, "no prompt for “\(ssid)” was answered with never")
        }
        return router
    }

    private func answer(_ request: Request, _ context: ConnectionContext) async throws -> Response {
        let id = try context.parameters.require("id")
        let body = try? await request.body.collect(upTo: Self.largestBody)
        let asked = body.flatMap { try? JSONDecoder().decode(AnswerRequest.self, from: Data($0.readableBytesView)) }
        do throws(AnswerFailure) {
            try await backend.answer(prompt: id, asked?.answer ?? "")
            return Self.json(await backend.prompts)
        } catch {
            switch error {
            case .noAnswer(let words):
                let words = words.joined(separator: ", ")
                return Self.failure(.badRequest, "the body is not {\"answer\": …} with one of \(words)")
            case .noSuchPrompt(let sentence): return Self.failure(.notFound, sentence)
            case .closed(let sentence): return Self.failure(.conflict, sentence)
            }
        }
    }

    private static func failure(_ status: HTTPResponse.Status, _ sentence: String) -> Response {
        json(ErrorReport(error: sentence), status: status)
    }

    private static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return Response(status: .internalServerError) }
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: Array(data) + [0x0A])))
    }
}

/// What a route knows of a request beside itself: the connection it came by.
private struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
