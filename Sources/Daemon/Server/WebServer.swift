import Events
import FoundationEssentials
import HTTPTypes
import Hummingbird
package import Logging
package import NIOCore
package import Plumbing
import ServiceLifecycle

/// The page and the API over TCP, for browsers with a session.
package struct WebServer: Service {
    /// The key of the configuration.
    package static let name = "web"

    private let endpoints: Endpoints
    private let address: ListenAddress
    private let hosts: HostCheck
    private let gate: RequestGate
    private let logins: LoginStore
    private let answers: AnswerEndpoint
    private let listeners: Listeners
    private let eventLoopGroup: any EventLoopGroup
    private let retry: BackOff
    let connections: Connections
    private let logger: Logger

    /// Each page has a stream of events and asks beside it.
    private static let mostConnections = 512

    /// The delay of the answer to a wrong link, so that guessing costs the client connections.
    private static let wrongLinkDelay = TimeAmount.seconds(1)

    /// A link's token and a browser's name.
    private static let largestBody = 1024

    /// - Parameters:
    ///   - address: The address of the listener.
    ///   - isOpen: Whether all users of this machine may read without a login.
    ///   - names: of this machine, and others by which the page may be asked for.
    ///   - answers: The links that answer prompts.
    ///   - addresses: Returns the addresses of the page for other devices.
    ///   - listeners: Receives the state of the listener.
    package init(
        backend: any APIBackend, page: any PageBackend, address: ListenAddress, isOpen: Bool, names: [String],
        logins: LoginStore, answers: AnswerLinks, addresses: @escaping @Sendable () -> [String] = { [] },
        listeners: Listeners, eventLoopGroup: any EventLoopGroup, logger: Logger
    ) {
        self.init(
            backend: backend, page: page, address: address, isOpen: isOpen, names: names, logins: logins,
            answers: answers, addresses: addresses, listeners: listeners, eventLoopGroup: eventLoopGroup,
            limits: .init(connections: Self.mostConnections), logger: logger)
    }

    init(
        backend: any APIBackend, page: any PageBackend, address: ListenAddress, isOpen: Bool, names: [String],
        logins: LoginStore, answers: AnswerLinks, addresses: @escaping @Sendable () -> [String] = { [] },
        listeners: Listeners, eventLoopGroup: any EventLoopGroup, limits: Connections.Limits, logger: Logger
    ) {
        connections = Connections(limits: limits)
        endpoints = Endpoints(
            APIServer.endpoints(backend, heartbeat: EventStreamField.heartbeat, connections: connections)
                + PageEndpoints(page).all + PageEndpoints(page).confidential
                + LoginEndpoints(logins, addresses: addresses).all)
        self.address = address
        hosts = HostCheck(names: names)
        gate = RequestGate(isOpen: isOpen && address.address.isLoopback)
        self.logins = logins
        self.answers = AnswerEndpoint(backend: backend, links: answers)
        self.listeners = listeners
        self.eventLoopGroup = eventLoopGroup
        retry = BackOff(.seconds(5), limit: .seconds(60))
        self.logger = logger
    }

    var listener: HTTPListener {
        HTTPListener(
            connections: connections, eventLoopGroup: eventLoopGroup, logger: logger, decorate: SecurityHeaders.add
        ) { [self] request, channel, logger in await answer(request, channel, logger) }
    }

    package func run() async throws {
        let door = TCPAddress(
            name: Self.name, what: "the page is", address: address,
            warning: """
                the page on \(address) is reached by others, and what they read and write there is not encrypted: in a \
                network that is not all yours put a proxy with TLS before it, see /usr/share/doc/okaeri/page.md
                """, listeners: listeners, retry: retry, listener: listener, logger: logger)
        let revocations = logins.revocations.values(backlog: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            // A client that still has a session sends its request again by itself.
            group.addTask { [connections] in for await _ in revocations { connections.endListening() } }
            try await door.run()
        }
    }

    private func answer(_ request: Request, _ channel: any Channel, _ logger: Logger) async -> Response {
        let webRequest = WebRequest(request)
        var device: String?
        let verdict = gate.verdict(on: webRequest, permitsHost: hosts.permits(request.head.authority)) { cookie in
            let pass = logins.pass(for: cookie)
            device = device ?? pass?.device.name
            return pass
        }
        connections.identified(channel, hasLogin: device != nil)
        switch verdict {
        case .file: return PageFile.response(to: request)
        case .answer:
            let response = await endpoints.response(to: request, on: channel, logger: logger)
            if let device, webRequest.path == WebRoute.links, response.status == .ok {
                self.logger.notice("a link for another browser was made on the page", metadata: ["by": "\(device)"])
            }
            return response
        case .login: return await login(request, on: channel, isSecure: webRequest.isSecure)
        case .prompt(let token): return await answers.response(to: request, token: token, on: channel)
        case .session(let pass): return .session(pass, isOpen: gate.isOpen, isSecure: webRequest.isSecure)
        case .logout(let pass):
            guard await request.discardContent(upTo: Self.largestBody) else {
                return .failure(.badRequest, "a logout takes no content; send the request without a body")
            }
            _ = logins.revoke(pass.device.id)
            return .loggedOut(isOpen: gate.isOpen)
        case .refused(let refusal):
            var headers: HTTPFields = [:]
            if case .method(let allowed) = refusal { headers[.allow] = allowed }
            return .failure(HTTPResponse.Status(code: refusal.status), refusal.sentence, headers: headers)
        }
    }

    private func login(_ request: Request, on channel: any Channel, isSecure: Bool) async -> Response {
        struct Login: Decodable {
            var token: String
            var name: String?
        }
        let body = try? await request.body.collect(upTo: Self.largestBody)
        guard let login = body.flatMap({ try? JSONDecoder().decode(Login.self, from: Data($0.readableBytesView)) })
        else { return .failure(.badRequest, "the body is malformed; send {\"token\": …, \"name\": …}") }
        guard let pass = logins.redeem(login.token, name: login.name ?? "") else {
            try? await channel.eventLoop.scheduleTask(in: Self.wrongLinkDelay) {}.futureResult.get()
            return .failure(
                .unauthorized,
                "the link is not valid: it was used before, is older than ten minutes, or is none; `okaeri web link` on the machine prints a new one"
            )
        }
        logger.notice("a browser was let in to the page", metadata: ["name": "\(pass.device.name)"])
        return .session(pass, isOpen: gate.isOpen, isSecure: isSecure)
    }
}
