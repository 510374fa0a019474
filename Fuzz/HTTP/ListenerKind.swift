import Logging
import NIOCore
import NIOEmbedded
import OkaeriEvents
import OkaeriPlumbing

@testable import OkaeriServer

/// The listeners of a daemon.
enum ListenerKind: Int, CaseIterable {
    case socket, page, openPage, metrics

    /// The cookie of the logged-in browser in each request.
    static let cookie = String(repeating: "c", count: 64)
    /// And with each change.
    static let token = BrowserSession.text(digest(Array("request \(cookie)".utf8)))

    private static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    /// All 64 bits of FNV-1a, four times: of two texts that are nearly the same none is taken for the other.
    private static let digest: Logins.Digest = { bytes in
        let hash = bytes.fnv1a
        return (0..<32).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0 % 8))) }
    }

    private static func logins() -> LoginStore {
        let store = LoginStore(digest: digest, now: { Moment(instant: 1_000_000_000, wall: 1_795_000_000_000_000_000) })
        let device = BrowserSession(
            id: "abcdef", name: "a phone", since: 1_795_000_000, seen: 1_795_000_000,
            digest: BrowserSession.text(digest(Array(cookie.utf8))))
        store.restore(LoginsMemory([device]), from: PersistedPast(age: nil, isStale: false))
        return store
    }

    private static let group = EmbeddedEventLoop()
    private static func endpoints(_ logins: LoginStore) -> [Endpoint] {
        Household.endpoints(
            LoginEndpoints(logins, addresses: { ["http://127.0.0.1:8080/"] }, logger: logger),
            AnswerLinks(digest: digest))
    }
    private static let socketServer = APIServer(
        endpoints(logins()), socket: "/", eventLoopGroup: group, logger: logger)
    private static func webServer(isOpen: Bool) -> WebServer {
        let logins = logins()
        return WebServer(
            endpoints(logins), address: loopback, isOpen: isOpen, names: ["pi"], logins: logins,
            listeners: Listeners(), eventLoopGroup: group, logger: logger)
    }
    private static let closedServer = webServer(isOpen: false)
    private static let openServer = webServer(isOpen: true)
    private static let metricsServer = MetricsServer(
        endpoints(logins()), address: loopback, names: ["pi"], listeners: Listeners(), eventLoopGroup: group,
        logger: logger)

    private static let loopback: ListenAddress = {
        guard let address = ListenAddress("127.0.0.1:8080") else { fatalError("no address") }
        return address
    }()

    var listener: HTTPListener {
        switch self {
        case .socket: Self.socketServer.listener
        case .page: Self.closedServer.listener
        case .openPage: Self.openServer.listener
        case .metrics: Self.metricsServer.listener
        }
    }

    var connections: Connections {
        switch self {
        case .socket: Self.socketServer.connections
        case .page: Self.closedServer.connections
        case .openPage: Self.openServer.connections
        case .metrics: Self.metricsServer.connections
        }
    }

    /// The address of the client; `nil` for the socket, whose clients have no addresses.
    var client: SocketAddress? {
        self == .socket ? nil : try? SocketAddress(ipAddress: "127.0.0.1", port: 40_000)
    }
}
