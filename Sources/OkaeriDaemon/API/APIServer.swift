import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import WiFi

/// HTTP over a Unix socket: what the command line and every other program asks.
struct APIServer: Service {
    /// What a request can be answered from.
    protocol Backend: Sendable {
        var status: StatusReport { get async }
        var regions: [RegionReport] { get async }
        var beacons: [BeaconReport] { get async }
        var prompts: PromptsReport { get async }
        func events() -> AsyncStream<Event>
        func answered(_ id: String, _ answer: PromptAnswer) async throws(PromptAnswerError)
        func neverCleared(ssid: String) async -> Bool
    }

    let backend: any Backend
    let socket: String
    let logger: Logger

    /// An answer is one word.
    private static let largestBody = 1024

    /// At the end, for who has knocked already: swift-nio traps when the socket closes between its accepting a
    /// connection and our taking it (swift-nio, issue 2813).
    private static let lastCall = Duration.milliseconds(100)

    func run() async throws {
        defer { unlink(socket) }
        do {
            let group = ServiceGroup(configuration: .init(services: [.init(service: try server)], logger: logger))
            // Detached, so that it ends by us alone, and neither by cancellation nor with the daemon.
            let serving = Task.detached { try await group.run() }
            try await withTaskCancellationOrGracefulShutdownHandler {
                try await serving.value
            } onCancelOrGracefulShutdown: { [socket] in
                // Nobody new finds the door.
                unlink(socket)
                Task.detached {
                    try? await Task.sleep(for: Self.lastCall)
                    await group.triggerGracefulShutdown()
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
    private var server: any Service {
        get throws {
            var quiet = logger
            quiet.logLevel = max(logger.logLevel, .warning)
            let responder = router.buildResponder()
            return try HTTPServerBuilder.http1().buildServer(
                configuration: ServerConfiguration(address: .unixDomainSocket(path: socket)),
                eventLoopGroup: .oneLoop, logger: quiet
            ) { [quiet] request, writer, channel in
                let context = BasicRequestContext(source: .init(channel: channel, logger: quiet))
                let response =
                    (try? await responder.respond(to: request, context: context))
                    ?? Self.failure(.internalServerError, "the request could not be answered")
                try await writer.write(response: response.head, body: response.body)
            } onServerRunning: { [socket, logger] _ in
                // The owner and the group may ask; others have no business to know who is at home.
                if chmod(socket, 0o660) != 0 { logger.warning("the mode of \(socket) cannot be set") }
                logger.info("listening", metadata: ["socket": "\(socket)"])
            }
        }
    }

    private var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("v1/status") { [backend] request, _ in
            // How beacons are judged is most of the answer, and who only asks for the state has no need of it.
            let isBrief = request.uri.queryParameters["beacons"] == "false"
            return json(isBrief ? await backend.status.withoutJudgements : await backend.status)
        }
        router.get("v1/regions") { [backend] _, _ in json(await backend.regions) }
        router.get("v1/beacons") { [backend] _, _ in json(await backend.beacons) }
        router.get("v1/prompts") { [backend] _, _ in json(await backend.prompts) }
        router.get("v1/events") { [backend] _, _ in eventStream(backend.events()) }
        router.post("v1/prompts/:id") { request, context in try await answer(request, context) }
        // The name in the query: Hummingbird undoes the percent encoding there, in a path it does not.
        router.delete("v1/never") { request, _ in
            let ssid = try request.uri.queryParameters.require("ssid")
            return await backend.neverCleared(ssid: ssid)
                ? json(await backend.prompts)
                : Self.failure(.notFound, "no prompt for “\(ssid)” was answered with never")
        }
        return router
    }

    private func answer(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let id = try context.parameters.require("id")
        let words = PromptAnswer.allCases.map(\.rawValue).joined(separator: ", ")
        guard let body = try? await request.body.collect(upTo: Self.largestBody),
            let asked = try? JSONDecoder().decode(AnswerRequest.self, from: Data(body.readableBytesView)),
            let answer = PromptAnswer(rawValue: asked.answer)
        else { return Self.failure(.badRequest, "the body is not {\"answer\": …} with one of \(words)") }
        do throws(PromptAnswerError) {
            try await backend.answered(id, answer)
            return json(await backend.prompts)
        } catch {
            switch error {
            case .noSuchPrompt: return Self.failure(.notFound, error.description)
            case .closed: return Self.failure(.conflict, error.description)
            }
        }
    }

    /// Server-sent events: one for each event, its name in `event`, its JSON object in `data`.
    private func eventStream(_ events: AsyncStream<Event>) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // The answer begins at once, so that a listener knows it listens before anything happens.
                try await writer.write(ByteBuffer(string: ": okaeri\n\n"))
                for await event in events.cancelOnGracefulShutdown() {
                    try await writer.write(ByteBuffer(string: "event: \(event.kind.name)\ndata: \(event.json)\n\n"))
                }
                try await writer.finish(nil)
            })
    }

    private func json(_ value: some Encodable) -> Response {
        Self.json(value, status: .ok)
    }

    private static func failure(_ status: HTTPResponse.Status, _ sentence: String) -> Response {
        json(ErrorReport(error: sentence), status: status)
    }

    private static func json(_ value: some Encodable, status: HTTPResponse.Status) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return Response(status: .internalServerError) }
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: Array(data) + [0x0A])))
    }
}
