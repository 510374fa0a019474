import HCI
import NIOCore
import NIOPosix
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriClient
@testable import OkaeriEvents
@testable import OkaeriServer

/// The routes for monitoring systems, over TCP: two, and a listener for this machine's names alone.
@Suite(.timeLimit(.minutes(5))) struct MonitoringTests {
    private let book = LogBook()
    private let listeners = Listeners()

    private func server(
        _ port: UInt16, address: String = "127.0.0.1", bluetooth: BluetoothState = .poweredOn,
        limits: Connections.Limits = .init()
    ) throws
        -> MetricsServer
    {
        MetricsServer(
            Backend(hub: EventHub(), bluetooth: bluetooth).endpoints(),
            address: try #require(ListenAddress("\(address):\(port)")), names: ["pi"], listeners: listeners,
            eventLoopGroup: MultiThreadedEventLoopGroup.oneLoop,
            limits: limits,
            retry: BackOff(.milliseconds(1), limit: .seconds(1)),
            logger: book.logger)
    }

    /// Runs a server on a port of its own while `body` asks it.
    private func run(
        address: String = "127.0.0.1", bluetooth: BluetoothState = .poweredOn, limits: Connections.Limits = .init(),
        _ body: (UInt16) async throws -> Void
    ) async throws {
        let port = try freePort()
        let server = try server(port, address: address, bluetooth: bluetooth, limits: limits)
        defer { #expect(server.connections.count == 0) }
        try await running({ try await server.run() }) {
            try await eventually("the server listens") { listeners.reports.map { $0.first?.problem == nil } ?? false }
            try await body(port)
        }
    }

    /// Returns the whole answer.
    private func answer(_ port: UInt16, _ request: String) async throws -> String {
        let client = try RawClient(port: port)
        try client.connect()
        client.send(request + "connection: close\r\n\r\n")
        try await eventually("the server closes the connection") { client.isClosedByPeer }
        return client.received
    }

    @Test func `both routes, and nothing else`() async throws {
        try await run { port in
            let metrics = try await answer(port, "GET /metrics HTTP/1.1\r\nhost: localhost:\(port)\r\n")
            #expect(metrics.hasPrefix("HTTP/1.1 200"))
            #expect(metrics.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
            #expect(!metrics.contains("# EOF"))
            #expect(metrics.contains(#"okaeri_region_state{region="region 7",state="inside"} 1"#))
            // Two fields are a list of both.
            let newer = try await answer(
                port,
                "GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/plain;q=0.5\r\n"
                    + "accept: application/openmetrics-text; version=1.0.0\r\n")
            #expect(newer.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"))
            #expect(newer.hasSuffix("# EOF\n"))
            let head = try await answer(port, "HEAD /v1/health HTTP/1.1\r\nhost: pi\r\n")
            #expect(head.hasPrefix("HTTP/1.1 200") && head.hasSuffix("\r\n\r\n"))
            for route in [Route.status, Route.regions, Route.prompts, Route.events, "/", "/metrics/"] {
                let other = try await answer(port, "GET \(route) HTTP/1.1\r\nhost: localhost\r\n")
                let isThere = route == "/metrics/"
                #expect(other.hasPrefix("HTTP/1.1 \(isThere ? "200" : "404")"), "\(route)")
                #expect(isThere || other.contains("{\"error\":"))
            }
            let post = try await answer(port, "POST /metrics HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n")
            #expect(post.hasPrefix("HTTP/1.1 405") && post.contains("Allow: GET, HEAD\r\n"))
        }
    }

    @Test func `a page that leads its own name here reads nothing`() async throws {
        try await run { port in
            for host in ["host: evil.example\r\n", "host: evil.example:\(port)\r\n", ""] {
                let answer = try await answer(port, "GET /metrics HTTP/1.1\r\n\(host)")
                #expect(answer.hasPrefix("HTTP/1.1 421"))
                #expect(answer.contains("{\"error\":\"the request names another machine"))
                #expect(!answer.contains("okaeri_"))
            }
        }
    }

    @Test func `an unhealthy daemon gives the reason`() async throws {
        try await run(bluetooth: .poweredOff) { port in
            let answer = try await answer(port, "GET /v1/health HTTP/1.1\r\nhost: localhost\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 503"))
            #expect(
                answer.hasSuffix(
                    #"{"healthy":false,"problems":[{"part":"bluetooth","reason":"why | how"}],"warnings":[]}"# + "\n"))
        }
    }

    @Test func `a client that sends nothing makes room for others`() async throws {
        try await run(limits: .init(connections: 2, time: .milliseconds(500))) { port in
            let idle = try (0..<2).map { _ in
                let client = try RawClient(port: port)
                try client.connect()
                client.send("GET /met")
                return client
            }
            // The third waits until one of them is shown out, and on a slow machine may be shown out itself.
            let request = "GET /v1/health HTTP/1.1\r\nhost: localhost\r\n"
            try await eventually("the server has room") { try await answer(port, request).hasPrefix("HTTP/1.1 200") }
            for client in idle { try await eventually("the server closes the connection") { client.isClosedByPeer } }
        }
    }

    /// A client whose connection stays open after an answer.
    private func answered(_ port: UInt16, from host: UInt8 = 1) async throws -> RawClient {
        let client = try RawClient(port: port, from: host)
        try client.connect()
        try await ask(client)
        return client
    }

    private func ask(_ client: RawClient) async throws {
        let before = client.received.count
        client.send("GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        try await eventually("the answer has arrived") {
            try #require(!client.isClosedByPeer)
            return client.received.dropFirst(before).contains("\"healthy\"")
        }
    }

    @Test func `a connection too many displaces the one that was idle for longest`() async throws {
        try await run(limits: .init(connections: 4, perAddress: 4, time: .minutes(10))) { port in
            var clients: [RawClient] = []
            for _ in 0..<4 { clients.append(try await answered(port)) }
            // The first is busier than the second.
            try await ask(clients[0])
            let late = try await answered(port)
            try await eventually("the server closes the connection") { clients[1].isClosedByPeer }
            for client in [clients[0], clients[2], clients[3], late] { try await ask(client) }
        }
    }

    @Test func `the connections of one address displace each other, and those of no other`() async throws {
        try await run(limits: .init(connections: 6, perAddress: 2, time: .minutes(10))) { port in
            let owner = try await answered(port, from: 2)
            var attackers: [RawClient] = []
            for _ in 0..<20 { attackers.append(try await answered(port, from: 3)) }
            for client in attackers.dropLast(2) {
                try await eventually("the server closes the connection") { client.isClosedByPeer }
            }
            for client in [owner] + attackers.suffix(2) { try await ask(client) }
        }
    }

    @Test func `a host of IPv6 counts by its network, and by the interface where the network is the link`() throws {
        func address(_ text: String, interface: UInt8 = 0) throws -> ClientAddress? {
            guard case .v6(let address) = try SocketAddress(ipAddress: text, port: 1) else {
                return ClientAddress(try SocketAddress(ipAddress: text, port: 1))
            }
            var scoped = address.address
            // The first byte of sin6_scope_id, whose type swift-nio keeps for itself.
            withUnsafeMutableBytes(of: &scoped) { $0[24] = interface }
            return ClientAddress(SocketAddress(scoped))
        }
        #expect(try address("2001:db8::1") == address("2001:db8::ffff:0:0:2"))
        #expect(try address("2001:db8::1") != address("2001:db8:0:1::1"))
        #expect(try address("fe80::1", interface: 2) == address("fe80::ffff:2", interface: 2))
        #expect(try address("fe80::1", interface: 2) != address("fe80::1", interface: 3))
        #expect(try address("::ffff:192.0.2.1") == address("192.0.2.1"))
        #expect(try address("::ffff:192.0.2.1") != address("192.0.2.2"))
        #expect(ClientAddress(try SocketAddress(unixDomainSocketPath: "/x")) == nil)
    }

    @Test func `a port that is taken is reported once, and used when it is free`() async throws {
        let port = try LoopbackListener()
        let server = try server(port.port)
        let task = Task { try await server.run() }
        try await book.logged(
            "error: the metrics are not served on 127.0.0.1:\(port.port): another program has that port")
        try await eventually("the listener reports its problem") { listeners.reports?.first?.problem != nil }
        #expect(listeners.reports?.map(\.name) == ["metrics"])
        port.close()
        try await book.logged("notice: the metrics are served on 127.0.0.1:\(port.port)")
        #expect(listeners.reports?.map(\.problem) == [nil])
        #expect(
            try await answer(port.port, "GET /metrics HTTP/1.1\r\nhost: localhost\r\n").hasPrefix("HTTP/1.1 200"))
        task.cancel()
        _ = await task.result
        #expect(book.count("error: the metrics are not served") == 1)
    }

    @Test func `other machines have access only if it is configured, and that is logged`() async throws {
        try await run { _ in #expect(book.count("show when a person is at home") == 0) }
        try await run(address: "0.0.0.0") { port in
            try await book.logged("warning: the metrics on 0.0.0.0:\(port) show when a person is at home")
        }
    }

    @Test func `an address that this machine does not have is reported`() async throws {
        let server = try server(9464, address: "192.0.2.1")
        let task = Task { try await server.run() }
        try await book.logged(
            "the metrics are not served on 192.0.2.1:9464: this machine does not have that address now")
        task.cancel()
        _ = await task.result
    }
}
