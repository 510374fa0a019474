import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriEvents
@testable import OkaeriServer

/// The page behind the proxy of Home Assistant's Supervisor, which connects from 127.0.0.2 here.
extension WebServerTests {
    private static let proxy: UInt8 = 2
    private static let user = ["x-remote-user-id": "4f1c0ffee", "x-remote-user-display-name": "Anna"]
    /// As the Supervisor passes a browser's request on.
    private static let passedOn = user.merging([
        "x-forwarded-for": "192.168.1.20, 172.30.32.1", "x-forwarded-host": "ha.example.org",
        "x-forwarded-proto": "https", "x-ingress-path": "/api/hassio_ingress/token",
    ]) { $1 }

    /// Returns the answer to a request.
    ///
    /// - Parameter client: The last byte of the client's address, 127.0.0.0/24.
    private func ask(
        _ port: UInt16, from client: UInt8 = proxy, method: String = "GET", _ path: String,
        host: String = "homeassistant.local:8123", _ fields: [String: String]
    ) async throws -> String {
        let client = try RawClient(port: port, from: client)
        try client.connect()
        let head = fields.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
        client.send("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(head)\r\n")
        try await eventually("the server closes the connection") { client.isClosedByPeer }
        return client.received
    }

    @Test func `a user whom the proxy names is logged in, and shown in a frame`() async throws {
        try await run(ingress: "127.0.0.2") { (asker: Asker) async throws in
            let page = try await ask(asker.port, "/", Self.passedOn)
            #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("frame-ancestors 'self'\r\n"))
            #expect(page.contains("X-Frame-Options: SAMEORIGIN\r\n") && !page.contains("DENY"))
            let session = try await ask(asker.port, Route.session, Self.passedOn)
            #expect(session.contains("\"name\":\"Anna\"") && session.contains("\"ingress\":true"))
            #expect(!session.contains("Set-Cookie"))
            // The proxy passes on what the page receives over the same connection as before.
            #expect(try await ask(asker.port, Route.guests, Self.passedOn).hasPrefix("HTTP/1.1 200"))
            #expect(try await ask(asker.port, "/v1/nothing", Self.passedOn).contains("frame-ancestors 'self'"))
        }
    }

    @Test func `a request that only pretends to come from the proxy is refused`() async throws {
        try await run(ingress: "127.0.0.2") { (asker: Asker) async throws in
            for client: UInt8 in [1, 3] {
                let answer = try await ask(asker.port, from: client, Route.status, host: "pi", Self.passedOn)
                #expect(answer.hasPrefix("HTTP/1.1 401") && answer.contains("frame-ancestors 'none'"))
                let foreign = try await ask(asker.port, from: client, Route.status, Self.passedOn)
                #expect(foreign.hasPrefix("HTTP/1.1 421"))
            }
            // Other fields are not the address of the socket.
            let forged = Self.passedOn.merging(["x-forwarded-for": "172.30.32.2", "forwarded": "for=127.0.0.2"]) { $1 }
            #expect(try await ask(asker.port, from: 1, Route.status, host: "pi", forged).hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test func `without ingress no address is the proxy's`() async throws {
        try await run { (asker: Asker) async throws in
            let answer = try await ask(asker.port, Route.status, host: "pi", Self.passedOn)
            #expect(answer.hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test(arguments: ["", "4f1c, 4f1c", "root;", "\u{3042}", String(repeating: "a", count: 65)])
    func `the proxy without a user is a client as each other one`(id: String) async throws {
        try await run(ingress: "127.0.0.2") { (asker: Asker) async throws in
            let fields = Self.passedOn.merging(["x-remote-user-id": id]) { $1 }
            #expect(try await ask(asker.port, Route.status, host: "pi", fields).hasPrefix("HTTP/1.1 401"))
            #expect(try await ask(asker.port, Route.status, fields).hasPrefix("HTTP/1.1 421"))
        }
    }

    @Test func `a change by the proxy needs the page's origin and the token of the user`() async throws {
        try await run(ingress: "127.0.0.2") { (asker: Asker) async throws in
            let session = try await ask(asker.port, Route.session, Self.passedOn)
            let token = session.word(between: "\"csrf\":\"", and: "\"")
            func change(_ fields: [String: String]) async throws -> String {
                let all = Self.passedOn.merging(["origin": "https://ha.example.org", "x-okaeri-token": token]) { $1 }
                return try await ask(
                    asker.port, method: "DELETE", "\(Route.configuration)/region", all.merging(fields) { $1 })
            }
            #expect(try await change([:]).hasPrefix("HTTP/1.1 200"))
            #expect(try await change(["origin": "http://homeassistant.local:8123"]).hasPrefix("HTTP/1.1 200"))
            for wrong in [
                ["origin": "https://evil.example"], ["origin": "null"], ["sec-fetch-site": "cross-site"],
                ["x-okaeri-token": ""], ["x-okaeri-token": String(repeating: "a", count: 64)],
                ["x-remote-user-id": "5f1c0ffee"],
            ] {
                #expect(try await change(wrong).hasPrefix("HTTP/1.1 403"), "\(wrong)")
            }
        }
    }

    private static let secrets = [
        ("GET", "\(Route.guests)/code"), ("POST", Route.links), ("GET", Route.devices),
        ("DELETE", "\(Route.devices)/x"),
    ]

    /// Returns the statuses of requests with the token of the session that the user has.
    private func statuses(
        _ port: UInt16, _ requests: [(String, String)], _ user: [String: String]
    ) async throws -> [String] {
        let fields = Self.passedOn.merging(user) { $1 }
        let token = try await ask(port, Route.session, fields).word(between: "\"csrf\":\"", and: "\"")
        let change = fields.merging(["origin": "https://ha.example.org", "x-okaeri-token": token]) { $1 }
        var statuses: [String] = []
        for (method, path) in requests {
            statuses.append(try await ask(port, method: method, path, change).word(between: "HTTP/1.1 ", and: " "))
        }
        return statuses
    }

    @Test func `a user who is not listed gets no secrets, and without a list may change regions`() async throws {
        try await run(ingress: "127.0.0.2") { (asker: Asker) async throws in
            let session = try await ask(asker.port, Route.session, Self.passedOn)
            #expect(session.contains("\"rights\":\"change\"") && !session.contains("\"csrf\":null"))
            #expect(try await statuses(asker.port, Self.secrets, [:]) == ["403", "403", "403", "403"])
            let region = [("DELETE", "\(Route.configuration)/region"), ("GET", Route.guests)]
            #expect(try await statuses(asker.port, region, [:]) == ["200", "200"])
            let refusal = try await ask(asker.port, "\(Route.guests)/code", Self.passedOn)
            #expect(refusal.contains("4f1c0ffee") && !refusal.contains("WIFI:"))
        }
    }

    @Test func `a listed user may do everything, and with a list another one may only look`() async throws {
        try await run(ingress: "127.0.0.2", users: ["anna", "5f1c0ffee"]) { (asker: Asker) async throws in
            let listed = [["x-remote-user-name": "anna"], ["x-remote-user-id": "5f1c0ffee"]]
            for user in listed {
                #expect(try await statuses(asker.port, Self.secrets, user).first == "200")
                #expect(try await statuses(asker.port, [("POST", Route.links)], user) == ["200"])
            }
            // A display name is not unique, and a name that is shown as another one is not that one.
            let others = [
                ["x-remote-user-display-name": "anna"], ["x-remote-user-name": "Anna"],
                ["x-remote-user-name": "an\u{200B}na"], ["x-remote-user-name": "anna", "x-remote-user-id": ""],
            ]
            for user in others.dropLast() {
                let session = try await ask(asker.port, Route.session, Self.passedOn.merging(user) { $1 })
                #expect(session.contains("\"rights\":\"look\"") && session.contains("\"csrf\":null"))
                #expect(try await statuses(asker.port, Self.secrets, user) == ["403", "403", "403", "403"])
                let changes = [
                    ("DELETE", "\(Route.configuration)/region"), ("POST", Route.logout), ("GET", Route.status),
                    ("GET", Route.guests),
                ]
                #expect(try await statuses(asker.port, changes, user) == ["403", "403", "200", "200"])
            }
            let nameless = Self.passedOn.merging(others[3]) { $1 }
            #expect(try await ask(asker.port, Route.status, host: "pi", nameless).hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test func `the connections of one user behind the proxy displace each other, and not those of another`()
        async throws
    {
        try await run(ingress: "127.0.0.2", limits: .init(connections: 16, perAddress: 3)) {
            (asker: Asker) async throws in
            func stream(_ id: String) async throws -> RawClient {
                let client = try RawClient(port: asker.port, from: Self.proxy)
                try client.connect()
                let head = Self.passedOn.merging(["x-remote-user-id": id]) { $1 }
                    .map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
                client.send("GET \(Route.events) HTTP/1.1\r\nHost: ha\r\n\(head)\r\n")
                try await eventually("the stream begins") { client.received.contains("\r\n\r\n") }
                return client
            }
            let own = try await stream("aaaa")
            var many: [RawClient] = []
            for _ in 0..<6 { many.append(try await stream("bbbb")) }
            try await eventually("the first streams end") { many.prefix(3).allSatisfy(\.isClosedByPeer) }
            #expect(many.suffix(3).allSatisfy { !$0.isClosedByPeer } && !own.isClosedByPeer)
            // The user with one stream, and one without any, are answered as before.
            for id in ["aaaa", "cccc"] {
                let fields = Self.passedOn.merging(["x-remote-user-id": id]) { $1 }
                #expect(try await ask(asker.port, Route.status, fields).hasPrefix("HTTP/1.1 200"))
            }
            #expect(!own.isClosedByPeer)
            for client in many + [own] { client.close() }
        }
    }

    /// X-Forwarded-Host is a field of proxies. Before a session of a cookie there may be none that removes it.
    @Test func `the forwarded host counts from the proxy alone`() async throws {
        try await run(ingress: "127.0.0.2") { (asker: Asker) async throws in
            var asker = asker
            _ = try await asker.logIn(logins.link())
            let path = "\(Route.configuration)/region"
            #expect(try await asker.change("DELETE", path, "").hasPrefix("HTTP/1.1 200"))
            let fields = ["origin": "https://ha.example.org", "x-forwarded-host": "ha.example.org"]
            #expect(try await asker.change("DELETE", path, "", fields).hasPrefix("HTTP/1.1 403"))
        }
    }

    @Test(arguments: [
        ("An\u{202E}na\u{7}", "An"), ("\u{3042}\u{3093}\u{306A}", "\u{3042}\u{3093}\u{306A}"),
        ("<b>", "<b>"), (String(repeating: "n", count: 500), String(repeating: "n", count: 60)),
    ])
    func `the name of a user is filtered and short`(sent: String, shown: String) async throws {
        let user = ProxyUser(id: "4f1c", login: sent)
        let name = try #require(user?.name)
        #expect(name.hasPrefix(shown) && name.count <= 60 && name == name.plain(replacesFormat: true))
        #expect(ProxyUser(id: "4f1c", display: "\u{200B}")?.name == "4f1c")
    }

    @Test func `a name of other letters reaches the page`() async throws {
        try await run(ingress: "127.0.0.2") { (asker: Asker) async throws in
            let fields = Self.passedOn.merging(["x-remote-user-display-name": "\u{3042}\u{3093}\u{306A}"]) { $1 }
            let session = try await ask(asker.port, Route.session, fields)
            #expect(session.contains("\"name\":\"\u{3042}\u{3093}\u{306A}\""))
        }
    }

    @Test func `events are neither packed nor collected on the way`() async throws {
        try await run(ingress: "127.0.0.2") { (asker: Asker) async throws in
            let client = try RawClient(port: asker.port, from: Self.proxy)
            try client.connect()
            let head = Self.passedOn.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
            client.send("GET \(Route.events) HTTP/1.1\r\nHost: ha\r\nAccept-Encoding: gzip\r\n\(head)\r\n")
            try await eventually("the stream begins") { client.received.contains("\r\n\r\n") }
            let answer = client.received
            #expect(answer.contains("Cache-Control: no-store, no-transform\r\n"))
            #expect(answer.contains("X-Accel-Buffering: no\r\n") && !answer.contains("Content-Encoding"))
            client.close()
        }
    }

    @Test func `an IPv6 socket names the proxy in another way`() throws {
        let proxy = IngressProxy(try #require(IPAddress("172.30.32.2")))
        #expect(proxy.isPeer("172.30.32.2") && proxy.isPeer("::ffff:172.30.32.2"))
        for other in [nil, "", "172.30.32.20", "172.30.32.1", "::172.30.32.2", "::ffff:172.30.32.3"] {
            #expect(!proxy.isPeer(other))
        }
    }
}
