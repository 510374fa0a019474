import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import ServiceLifecycle
import Testing
@testable import OkaeriServer

@testable import OkaeriClient
@testable import OkaeriEvents

/// Requests after which the decoder parses nothing more.
@Suite(.timeLimit(.minutes(5))) struct LastRequestTests {
    private static let upgrade = "connection: Upgrade\r\nupgrade: x\r\n"
    private static let size = 8 << 20

    private let folder: TemporaryFolder
    private let listeners = Listeners()

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        "CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n", "GET /v1/events HTTP/1.1\r\nhost: x\r\n\(upgrade)\r\n",
        "GET / HTTP/1.1\r\nhost: x\r\nproxy-connection: a, UPGRADE\r\nUPGRADE: x\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "POST / HTTP/1.1\r\nhost: x\r\n\(upgrade)content-length: 2\r\n\r\n{}",
    ])
    func `no byte behind a last request reaches the decoder`(request: String) throws {
        let (channel, counter) = (EmbeddedChannel(), Counter())
        let decoder = ByteToMessageHandler(HTTPRequestDecoder())
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([decoder, ConnectionWatch(Connections())])
        try pipeline.addHandler(counter, position: .before(decoder))
        // The decoder reports the version it does not support.
        _ = try? channel.writeInbound(ByteBuffer(string: request))
        let piece = ByteBuffer(repeating: 0x78, count: 4096)
        for _ in 0..<Self.size / 4096 { try channel.writeInbound(piece) }
        #expect(counter.bytes == request.utf8.count)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `requests without an upgrade follow each other`() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(HTTPRequestDecoder()), ConnectionWatch(Connections()),
        ])
        for _ in 0..<3 {
            try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\n\r\n"))
            guard case .head? = try channel.readInbound(as: HTTPServerRequestPart.self) else {
                Issue.record("the request was dropped")
                return
            }
            _ = try channel.readInbound(as: HTTPServerRequestPart.self)
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test(arguments: Kind.allCases, ["CONNECT x:443 HTTP/1.1", "GET /v1/health HTTP/1.1"])
    func `the connection closes after the answer to a last request`(kind: Kind, request: String) async throws {
        try await run(kind) { client in
            client.send("\(request)\r\nhost: localhost\r\n\(Self.upgrade)\r\n")
            try await sendMuch(client)
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.hasPrefix("HTTP/1.1 ") && client.received.contains("Connection: close\r\n"))
            #expect(client.received.split(separator: "HTTP/1.1").count == 1)
        }
    }

    /// Otherwise a client behind the same proxy could have its own bytes taken for another client's request.
    @Test(arguments: Kind.allCases, ["GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n", "?\r\n\r\n"])
    func `nothing behind a request whose content was refused is answered`(kind: Kind, next: String) async throws {
        try await run(kind) { client in
            client.send(
                "DELETE /v1/nodes/x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nhello\(next)\(next)")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.contains("Connection: close\r\n"))
            #expect(client.received.split(separator: "HTTP/1.1").count == 1)
        }
    }

    @Test func `an event stream goes on after an upgrade that is ignored`() async throws {
        let hub = EventHub(node: "pi")
        try await run(.socket, hub: hub) { client in
            client.send("GET \(Route.events) HTTP/1.1\r\nhost: x\r\n\(Self.upgrade)\r\n")
            try await sendMuch(client)
            try await eventually("the answer has arrived") { client.received.contains(": okaeri") }
            hub.happened(.didExitRegion(region: "after"), at: evening)
            try await eventually("the event has arrived") {
                try #require(!client.isClosedByPeer)
                return client.received.contains("didExitRegion")
            }
        }
    }

    /// Reads beside sending, so that the answer is here before the connection closes.
    private func sendMuch(_ client: RawClient) async throws {
        let piece = String(repeating: "x", count: 1 << 16)
        for _ in 0..<Self.size >> 16 where !client.isClosedByPeer { client.send(piece) }
    }

    enum Kind: CaseIterable { case socket, metrics, page }

    /// Runs a server while `body` uses a connection to it.
    private func run(
        _ kind: Kind, hub: EventHub = EventHub(), _ body: (RawClient) async throws -> Void
    ) async throws {
        let port = try freePort()
        let (server, connections) = try server(kind, port, hub)
        defer { #expect(connections.count == 0) }
        try await running({ try await server.run() }) { try await body(try await connected(kind, port)) }
    }

    private func connected(_ kind: Kind, _ port: UInt16) async throws -> RawClient {
        var connected: RawClient?
        try await eventually("the server listens") {
            let client = try kind == .socket ? RawClient("\(folder.path)/okaeri.sock") : RawClient(port: port)
            if (try? client.connect()) != nil { connected = client }
            return connected != nil
        }
        return try #require(connected)
    }

    private func server(_ kind: Kind, _ port: UInt16, _ hub: EventHub) throws -> (any Service, Connections) {
        let (endpoints, group) = (Backend(hub: hub).endpoints(), MultiThreadedEventLoopGroup.oneLoop)
        let limits = Connections.Limits(time: .minutes(10))
        let address = try #require(ListenAddress("127.0.0.1:\(port)"))
        let retry = BackOff(.milliseconds(1), limit: .seconds(1))
        switch kind {
        case .socket:
            let server = APIServer(
                endpoints, socket: "\(folder.path)/okaeri.sock", eventLoopGroup: group, limits: limits,
                logger: quiet)
            return (server, server.connections)
        case .metrics:
            let server = MetricsServer(
                endpoints, address: address, names: ["pi"], listeners: listeners, eventLoopGroup: group,
                limits: limits, retry: retry, logger: quiet)
            return (server, server.connections)
        case .page:
            let server = WebServer(
                endpoints, address: address, isOpen: false, names: ["pi"],
                logins: LoginStore(digest: { Array($0.prefix(32)) }),
                listeners: listeners, eventLoopGroup: group,
                limits: limits, logger: quiet)
            return (server, server.connections)
        }
    }

    /// Counts what reaches the decoder.
    private final class Counter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private(set) var bytes = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytes
            context.fireChannelRead(data)
        }
    }
}
