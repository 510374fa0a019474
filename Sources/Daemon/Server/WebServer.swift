package import Logging
package import NIOCore
package import OkaeriPlumbing
import ServiceLifecycle

/// The page and the API over TCP, for browsers with a session.
package struct WebServer: Service {
    /// The key of the configuration.
    package static let name = "web"

    private let router: EndpointRouter
    private let address: ListenAddress
    private let hasProxy: Bool
    private let logins: LoginStore
    private let listeners: Listeners
    private let eventLoopGroup: any EventLoopGroup
    let connections: Connections
    private let logger: Logger

    /// Each page has a stream of events and asks beside it.
    private static let mostConnections = 512

    /// - Parameters:
    ///   - endpoints: Those of all listeners.
    ///   - address: The address of the listener.
    ///   - isOpen: Whether all users of this machine may read without a login.
    ///   - ingress: The address of Home Assistant's proxy, whose users are logged in.
    ///   - users: Those of the proxy's users with all rights, by identifier or name for the login.
    ///   - names: of this machine, and others by which the page may be asked for.
    ///   - listeners: Receives the state of the listener.
    package init(
        _ endpoints: [Endpoint], address: ListenAddress, isOpen: Bool, ingress: IPAddress? = nil, users: [String] = [],
        names: [String],
        logins: LoginStore, listeners: Listeners, eventLoopGroup: any EventLoopGroup,
        limits: Connections.Limits? = nil, logger: Logger
    ) {
        let gate = RequestGate(
            isOpen: isOpen && address.address.isLoopback, ingress: ingress.map { IngressProxy($0, users: users) })
        router = EndpointRouter(endpoints, of: .page(HostCheck(names: names), gate, logins))
        self.address = address
        hasProxy = ingress != nil
        self.logins = logins
        self.listeners = listeners
        self.eventLoopGroup = eventLoopGroup
        connections = Connections(limits: limits ?? .init(connections: Self.mostConnections)) { id in
            logins.devices.contains { $0.id == id }
        }
        self.logger = logger
    }

    var listener: HTTPListener {
        HTTPListener(
            router, connections: connections, eventLoopGroup: eventLoopGroup, logger: logger,
            decorate: SecurityHeaders.add)
    }

    package func run() async throws {
        // The proxy of Home Assistant is on the same machine.
        let isForProxy = hasProxy && !address.address.isUnspecified
        let warning = """
            the page on \(address) is reached by others, and what they read and write there is not encrypted: in a \
            network that is not all yours put a proxy with TLS before it, see /usr/share/doc/okaeri/page.md
            """
        let door = TCPAddress(
            name: Self.name, what: "the page is", address: address, warning: isForProxy ? nil : warning,
            listeners: listeners, retry: BackOff(.seconds(5), limit: .seconds(60)),
            listener: listener, logger: logger)
        let revocations = logins.revocations.values(backlog: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            // A client that still has a session sends its request again by itself.
            group.addTask { [connections] in for await _ in revocations { connections.sessionsRevoked() } }
            try await door.run()
        }
    }
}
