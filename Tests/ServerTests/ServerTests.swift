import Glibc
import NIOCore
import NIOPosix
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import Testing

@testable import OkaeriClient
@testable import OkaeriEvents
import IBeacon
import RegionMonitoring
@testable import OkaeriServer

/// The server against clients that mean no good, or know no better.
@Suite(.timeLimit(.minutes(5))) struct ServerTests {
    private let folder: TemporaryFolder
    private let hub = EventHub(node: "pi")

    init() throws { folder = try TemporaryFolder() }

    private var socket: String { "\(folder.path)/okaeri.sock" }
    private var client: APIClient { APIClient(socket: socket, timeLimit: 120) }

    private func server(
        connections: Int = 64, seconds: Double = 30, heartbeat: Duration = .seconds(15), drain: TimeAmount = .seconds(1)
    ) -> APIServer {
        APIServer(
            Backend(hub: hub).endpoints(heartbeat: heartbeat), socket: socket,
            eventLoopGroup: MultiThreadedEventLoopGroup.oneLoop,
            limits: .init(connections: connections, time: .milliseconds(Int64(seconds * 1000)), drain: drain),
            logger: quiet)
    }

    /// Runs a server while `body` asks it, and returns when it has ended.
    private func run(_ server: APIServer, _ body: () async throws -> Void) async throws {
        try await running({ try await server.run() }) {
            try await eventually("the server answers") { (try? await client.text(Route.prompts)) != nil }
            try await body()
        }
    }

    @Test func `a client that does not read does not delay the stop`() async throws {
        let (server, deaf) = (server(), try RawClient(socket))
        try await run(server) {
            try deaf.connect()
            deaf.send(String(repeating: "GET \(Route.status) HTTP/1.1\r\nhost: x\r\n\r\n", count: 230))
            // It is served: the kernel's buffer is full of answers.
            try await eventually("ten thousand bytes wait") { deaf.waiting >= 10_000 }
        }
        #expect(server.connections.count == 0)
    }

    /// swift-nio would trap if an accepted connection were not served (swift-nio, issue 2637).
    @Test func `a server stops while clients connect`() async throws {
        for _ in 0..<10 {
            let server = server()
            let clients = try (0..<50).map { _ in try RawClient(socket) }
            try await run(server) {
                for client in clients {
                    try? client.connect()
                    client.send("GET \(Route.prompts) HTTP/1.1\r\nhost: x\r\n\r\n")
                }
            }
            #expect(server.connections.count == 0)
            for client in clients { try await eventually("the server closes the connection") { client.isClosedByPeer } }
        }
    }

    @Test func `an event stream ends in an orderly way when the server stops`() async throws {
        let client = try RawClient(socket)
        // However slow the machine is.
        try await run(server(drain: .minutes(1))) {
            try client.connect()
            client.send("GET \(Route.events) HTTP/1.1\r\nhost: x\r\n\r\n")
            try await eventually("the answer has arrived") { client.received.contains("okaeri") }
        }
        #expect(client.received.hasSuffix("\r\n0\r\n\r\n"))
    }

    @Test func `a client that hangs up ends its event stream at once, without an event`() async throws {
        let server = server()
        try await run(server) {
            for _ in 0..<20 {
                let client = try RawClient(socket)
                try client.connect()
                client.send("GET \(Route.events) HTTP/1.1\r\nhost: x\r\n\r\n")
                try await eventually("the answer has arrived") { client.received.contains("okaeri") }
                client.close()
            }
            try await eventually("the connections have ended") { server.connections.count == 0 && hub.listeners == 0 }
        }
    }

    @Test func `a client that connects and sends nothing, or a byte at a time, makes room for others`() async throws {
        let server = server(connections: 3, seconds: 0.5)
        try await run(server) {
            try await eventually("the connections have ended") { server.connections.count == 0 }
            let idle = try (0..<3).map { _ in
                let client = try RawClient(socket)
                try client.connect()
                return client
            }
            idle[0].send("GET /v1/sta")
            idle[1].send("POST \(Route.prompts)/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
            // The fourth waits until one of them is shown out, and on a slow machine may be shown out itself.
            try await eventually("the server has room") {
                (try? await client.text(Route.prompts))?.contains("waiting") == true
            }
            for client in idle { try await eventually("the server closes the connection") { client.isClosedByPeer } }
        }
    }

    @Test func `what is too long is refused, and the next one is answered`() async throws {
        try await run(server()) {
            for request in [
                "POST \(Route.prompts)/1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 5000\r\n\r\n"
                    + String(repeating: "x", count: 5000),
                "GET \(Route.prompts) HTTP/1.1\r\nhost: x\r\nlong: \(String(repeating: "y", count: 200_000))\r\n\r\n",
                "GET \(Route.prompts)/\(String(repeating: "z", count: 200_000)) HTTP/1.1\r\nhost: x\r\n\r\n",
                "\u{0}\u{1}\u{2}\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
            ] {
                let client = try RawClient(socket)
                try client.connect()
                client.send(request)
                try await eventually("the server refuses the request") {
                    client.received.contains("HTTP/1.1 4") || client.isClosedByPeer
                }
                #expect(!client.received.contains("200 OK"))
            }
            let answer = try await client.text(Route.prompts)
            #expect(answer.contains("waiting"))
        }
    }

    @Test(arguments: [
        "GET /v1/events", "GET /v1/status", "HEAD /v1/status", "DELETE /v1/never?ssid=x", "OPTIONS *", "POST /nothing",
    ])
    func `content that has no meaning ends the connection, and holds up nothing`(request: String) async throws {
        let server = server()
        try await run(server) {
            let client = try RawClient(socket)
            try client.connect()
            let chunk = "400\r\n\(String(repeating: "x", count: 1024))\r\n"
            client.send("\(request) HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
            client.send(String(repeating: chunk, count: 40))
            // It goes on sending, and nothing that it sends is a request.
            try await eventually("the server closes the connection") {
                client.offer("1\r\nx\r\n")
                return client.isClosedByPeer
            }
            #expect(client.received.hasPrefix("HTTP/1.1 40") && client.received.contains("Connection: close\r\n"))
            #expect(client.received.split(separator: "HTTP/1.1").count == 1)
        }
        #expect(server.connections.count == 0)
    }

    @Test(arguments: [
        ("TRACE", "/v1/prompts/1", "405"), ("DELETE", "/v1/prompts/1", "405"), ("GET", "/v1/prompts/1", "405"),
        ("GET", "/nothing", "404"), ("GET", "/v1/prompts", "400"), ("DELETE", "/v1/nodes/attic", "400"),
    ])
    func `content is looked at where the path takes the method`(
        method: String, path: String, status: String
    ) async throws {
        try await run(server()) {
            let client = try RawClient(socket)
            try client.connect()
            client.send("\(method) \(path) HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test func `content without an end does not keep the server from stopping`() async throws {
        let server = server()
        let requests = ["GET \(Route.events)", "POST \(Route.prompts)/1", "POST /nothing"]
        let clients = try requests.map { ($0, try RawClient(socket)) }
        try await run(server) {
            for (request, client) in clients {
                try client.connect()
                client.send("\(request) HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
                client.send(String(repeating: "1\r\nx\r\n", count: 500))
            }
            for (request, client) in clients where !request.contains("prompts") {
                try await eventually("the answer has arrived") { client.received.contains("HTTP/1.1 ") }
            }
        }
        #expect(server.connections.count == 0)
    }

    @Test(arguments: [
        ("GET /v1/prompts", "host: x\r\nHOST: x\r\n"), ("GET /v1/prompts", "host: x\r\nhost: y\r\n"),
        ("GET http://y/v1/prompts", "host: x\r\n"), ("GET http://x@y/v1/prompts", "host: x\r\n"),
        ("GET http://x:80/v1/prompts", "host: x\r\n"), ("GET http:///v1/prompts", "host: x\r\n"),
        ("GET http:/v1/prompts", "host: x\r\n"), ("CONNECT y:443", "host: x\r\n"),
    ])
    func `a request that names two hosts is refused`(request: String, fields: String) async throws {
        try await run(server()) {
            let client = try RawClient(socket)
            try client.connect()
            client.send("\(request) HTTP/1.1\r\n\(fields)connection: close\r\n\r\n")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test(arguments: [("http://x/v1/prompts", "host: X\r\n"), ("HTTP://x:81/v1/prompts?a=b", "host: x:81\r\n")])
    func `a target in absolute form is answered by the host it names`(target: String, field: String) async throws {
        try await run(server()) {
            let client = try RawClient(socket)
            try client.connect()
            client.send("GET \(target) HTTP/1.1\r\n\(field)connection: close\r\n\r\n")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.hasPrefix("HTTP/1.1 200 ") && client.received.contains("\"waiting\":[]"))
        }
    }

    @Test(arguments: [
        ("PATCH /v1/prompts/1", 405, "Allow: POST\r\n"), ("GET /v1/prompts/1", 405, "Allow: POST\r\n"),
        ("QUERY /v1/status", 405, "Allow: GET, HEAD\r\n"), ("POST /metrics", 405, "Allow: GET, HEAD\r\n"),
        ("GET /v1/never?ssid=x", 405, "Allow: DELETE\r\n"), ("DELETE /v1/never", 400, "/v1/never?ssid=SSID"),
        ("GET /v1/thresholds?signals=x", 400, "numbers in dBm"),
        ("DELETE /v1/never?ssid=x", 404, "“x”"), ("GET /", 404, "api.md lists"), ("POST /v2", 404, "api.md lists"),
        ("POST /v1/prompts", 405, "Allow: GET, HEAD\r\n"), ("GET /v1/prompts/1/2", 404, "api.md lists"),
    ])
    func `what is not there is refused with a sentence`(request: String, status: Int, words: String) async throws {
        try await run(server()) {
            let client = try RawClient(socket)
            try client.connect()
            client.send("\(request) HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.hasPrefix("HTTP/1.1 \(status) "))
            #expect(client.received.contains(words) && client.received.contains("{\"error\":\""))
        }
    }

    @Test(arguments: [("?signals=-60,-61", "\"enterRSSI\":-68"), ("", "\"enterRSSI\":-70")])
    func `thresholds are proposed for the signals of the query`(query: String, words: String) async throws {
        try await run(server()) {
            let client = try RawClient(socket)
            try client.connect()
            client.send("GET \(Route.thresholds)\(query) HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.hasPrefix("HTTP/1.1 200 ") && client.received.contains(words))
        }
    }

    @Test func `another answer than join, later or never is refused`() async throws {
        try await run(server()) {
            let client = try RawClient(socket)
            try client.connect()
            let body = #"{"answer":"perhaps"}"#
            client.send("POST \(Route.prompts)/1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n")
            client.send("content-length: \(body.utf8.count)\r\n\r\n\(body)")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.hasPrefix("HTTP/1.1 400 ") && client.received.contains("one of join, later, never"))
        }
    }

    /// A client takes the content for the next answer.
    @Test(arguments: ["/nothing", "/v1/prompts/1", "/v1/never?ssid=x", Route.prompts])
    func `an answer to HEAD has no content`(path: String) async throws {
        try await run(server()) {
            let client = try RawClient(socket)
            try client.connect()
            client.send("HEAD \(path) HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            #expect(client.received.hasPrefix("HTTP/1.1 ") && client.received.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `a client that has sent all and still reads is answered`() async throws {
        try await run(server()) {
            let client = try RawClient(socket)
            try client.connect()
            client.send("GET \(Route.prompts) HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            client.endSending()
            try await eventually("the answer has arrived") { client.received.contains("\"waiting\":[]") }
        }
    }

    @Test func `the socket has its mode before it has its name, and nothing is left beside it`() async throws {
        try await run(server()) {
            var status = stat()
            #expect(stat(socket, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o660)
            let names = try folder.names
            #expect(names == ["okaeri.sock"])
        }
        let names = try folder.names
        #expect(names.isEmpty)
    }

    @Test func `a listener that comes back goes on where it was, and hears that events were lost`() async throws {
        try await run(server(heartbeat: .milliseconds(20))) {
            for number in 0..<(2 * EventHub.backlog + 10) {
                hub.happened(.didExitRegion(region: "\(number)"), at: evening)
            }
            let latest = hub.sequence
            let client = try RawClient(socket)
            try client.connect()
            client.send("GET \(Route.events) HTTP/1.1\r\nhost: x\r\nLast-Event-ID: \(latest - 2)\r\n\r\n")
            try await eventually("the answer has arrived") { client.received.contains("id: \(latest)\n") }
            #expect(client.received.contains("id: \(latest - 1)\nevent: didExitRegion\ndata: {"))
            #expect(!client.received.contains("event: lost"))
            try await eventually("the answer has arrived") { client.received.contains(": \n") }

            let late = try RawClient(socket)
            try late.connect()
            late.send("GET \(Route.events) HTTP/1.1\r\nhost: x\r\nLast-Event-ID: 1\r\n\r\n")
            try await eventually("the answer has arrived") { late.received.contains("id: \(latest)\n") }
            #expect(late.received.contains("event: lost\ndata: {\"lost\":"))

            let stranger = try RawClient(socket)
            try stranger.connect()
            stranger.send("GET \(Route.events) HTTP/1.1\r\nhost: x\r\nLast-Event-ID: \(latest + 1)\r\n\r\n")
            try await eventually("the answer has arrived") { stranger.received.contains("event: lost\ndata: {}") }
        }
    }

    @Test func `ranging among many beacons is not kept, and displaces no other event`() async throws {
        try await run(server()) {
            let crowd = [RangedBeacon](repeating: RangedBeacon(identity: home, rssi: -60, accuracy: 1), count: 1000)
            hub.happened(.didExitRegion(region: "before"), at: evening)
            for _ in 0..<40 { hub.happened(.didRangeBeacons(region: "crowd", crowd), at: evening) }
            hub.happened(.didExitRegion(region: "after"), at: evening)
            let client = try RawClient(socket)
            try client.connect()
            client.send("GET \(Route.events) HTTP/1.1\r\nhost: x\r\nLast-Event-ID: 0\r\n\r\n")
            try await eventually("the answer has arrived") { client.received.contains("id: 42\n") }
            let lines = client.received.split(whereSeparator: \.isNewline)
            let names = lines.filter { $0.hasPrefix("event: ") }.map { $0.dropFirst(7) }
            #expect(
                names.first == "didExitRegion" && names.dropFirst().first == "lost" && names.last == "didExitRegion")
            #expect(1...4 ~= names.count { $0 == "didRangeBeacons" })
        }
    }

    @Test(arguments: [
        ("attic", 200), ("hall", 409), ("cellar", 503), ("alone", 404), ("x%20y", 404), ("Pi-2_b.c~d+e&f=g/ü", 200),
    ])
    func `a node is forgotten, or it is said why not`(name: String, status: UInt) async throws {
        try await run(server()) {
            do throws(APIClient.Failure) {
                let report = try await client.forget(node: name.replacing("%20", with: " "))
                #expect(status == 200 && report.site == "home")
            } catch {
                guard case .refused(let answered, let sentence) = error else { throw error }
                #expect(answered == status)
                #expect(sentence.count > 20, "it says why")
            }
        }
    }
}
