import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import Testing
@testable import OkaeriServer

@testable import OkaeriClient
@testable import OkaeriEvents

/// The page over TCP: the logins, and the answers to all other clients.
@Suite(.timeLimit(.minutes(5))) struct WebServerTests {
    private let book = LogBook()
    private let listeners = Listeners()
    let logins = LoginStore(digest: Self.digest)

    /// Good enough here: 32 bytes that depend on all.
    private static let digest: Logins.Digest = { bytes in
        (0..<32).map { place in
            UInt8(truncatingIfNeeded: bytes.reduce(UInt64(place) + 7) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } >> 24)
        }
    }

    private var endpoints: [Endpoint] {
        Backend(hub: EventHub()).endpoints()
            + LoginEndpoints(logins, addresses: { ["http://pi:8080/"] }, logger: book.logger).all
            + [
                // Without an access.
                Endpoint(.get, Route.guests) { _ in .json("WIFI:") },
                Endpoint(.get, "\(Route.guests)/code", rights: .all) { _ in .json("WIFI:") },
                Endpoint(.delete, "\(Route.configuration)/region", .socket) { _ in .json("") },
                Endpoint(.get, Route.networks, .readers) { _ in
                    throw PageFailure(.serviceUnavailable, LocalizedText("no radio"), retryAfter: 2)
                },
                Endpoint(.get, Route.signal, .readers) { _ in throw CancellationError() },
            ] + Self.longAnswers
    }

    /// Runs a server on a port of its own while `body` asks it.
    func run(
        isOpen: Bool = false, ingress: String? = nil, users: [String] = [], limits: Connections.Limits = .init(),
        _ body: (Asker) async throws -> Void
    ) async throws {
        let port = try freePort()
        let server = WebServer(
            endpoints, address: try #require(ListenAddress("127.0.0.1:\(port)")), isOpen: isOpen,
            ingress: ingress.flatMap(IPAddress.init), users: users, names: ["pi"], logins: logins, listeners: listeners,
            eventLoopGroup: MultiThreadedEventLoopGroup.oneLoop, limits: limits,
            logger: book.logger)
        defer { #expect(server.connections.count == 0) }
        try await running({ try await server.run() }) {
            try await eventually("the server listens") { listeners.reports.map { $0.first?.problem == nil } ?? false }
            try await body(Asker(port: port))
        }
    }

    /// A browser, more or less.
    struct Asker {
        let port: UInt16
        var cookie = ""
        var token = ""

        var origin: String { "http://pi:\(port)" }

        /// Returns the whole answer.
        func ask(
            _ method: String, _ path: String, body: String = "", host: String? = nil, _ fields: [String: String] = [:]
        ) async throws -> String {
            try await client(method, path, body: body, host: host, fields).received
        }

        /// Returns the head and the content of the answer.
        func answer(
            _ method: String, _ path: String, _ fields: [String: String] = [:]
        ) async throws -> (head: String, content: [UInt8]) {
            let bytes = try await client(method, path, fields).receivedBytes
            let end = try #require(bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) })
            return (String(decoding: bytes[..<(end + 2)], as: UTF8.self), Array(bytes[(end + 4)...]))
        }

        /// Returns the client with the whole answer.
        private func client(
            _ method: String, _ path: String, body: String = "", host: String? = nil, _ fields: [String: String] = [:]
        ) async throws -> RawClient {
            let client = try RawClient(port: port)
            try client.connect()
            var all = ["host": host ?? "pi:\(port)", "content-length": "\(body.utf8.count)", "connection": "close"]
            if !cookie.isEmpty { all["cookie"] = "okaeri=\(cookie)" }
            all.merge(fields) { $1 }
            let head = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
            client.send("\(method) \(path) HTTP/1.1\r\n\(head)\r\n\(body)")
            try await eventually("the server closes the connection") { client.isClosedByPeer }
            return client
        }

        /// A change as the page makes it.
        func change(_ method: String, _ path: String, _ body: String, _ fields: [String: String] = [:]) async throws
            -> String
        {
            try await ask(
                method, path, body: body,
                ["origin": origin, "sec-fetch-site": "same-origin", "x-okaeri-token": token].merging(fields) { $1 })
        }

        /// Follows a link.
        mutating func logIn(_ token: String) async throws -> String {
            let answer = try await change("POST", "/v1/web/login", "{\"token\":\"\(token)\",\"name\":\"a phone\"}")
            cookie = answer.word(between: "okaeri=", and: ";")
            self.token = answer.word(between: "\"csrf\":\"", and: "\"")
            return answer
        }
    }

    @Test func `a refusal is in the language of the browser, and in English for other clients`() async throws {
        try await run { (asker: Asker) async throws in
            let japanese = ["accept-language": "ja,en-US;q=0.7"]
            let noLogin = try await asker.ask("GET", "/v1/status", japanese)
            #expect(noLogin.hasPrefix("HTTP/1.1 401") && noLogin.contains("このブラウザーはログインしていません"), "\(noLogin)")
            #expect(try await asker.ask("GET", "/v1/status").contains("this browser is not logged in"))
            #expect(try await asker.ask("GET", "/v1/status", ["accept-language": "de"]).contains("this browser is not"))
            let foreign = try await asker.ask("GET", "/v1/status", host: "evil.example", japanese)
            #expect(foreign.hasPrefix("HTTP/1.1 421") && foreign.contains("別の機器の名前（Host）"), "\(foreign)")
            let body = "{\"token\":\"none\",\"name\":\"a phone\"}"
            let wrong = try await asker.change("POST", "/v1/web/login", body, japanese)
            #expect(wrong.hasPrefix("HTTP/1.1 401") && wrong.contains("このリンクは使えません"), "\(wrong)")
        }
    }

    @Test func `a link lets one browser in, which stays until it is sent away`() async throws {
        try await run { (asker: Asker) async throws in
            var asker = asker
            #expect(try await asker.ask("GET", "/v1/status").hasPrefix("HTTP/1.1 401"))
            let link = logins.link()
            let answer = try await asker.logIn(link)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(answer.contains("; Max-Age=7776000; Path=/; HttpOnly; SameSite=Strict\r\n"))
            #expect(try await asker.ask("GET", "/v1/status").hasPrefix("HTTP/1.1 200"))
            #expect(try await asker.ask("GET", "/metrics").hasPrefix("HTTP/1.1 200"))
            let session = try await asker.ask("GET", "/v1/web/session")
            #expect(session.contains("\"name\":\"a phone\"") && session.contains("Set-Cookie: okaeri=\(asker.cookie);"))
            // The link is used up.
            var other = Asker(port: asker.port)
            #expect(try await other.logIn(link).hasPrefix("HTTP/1.1 401"))
            let device = try #require(logins.devices.first)
            #expect(logins.revoke(device.id))
            #expect(try await asker.ask("GET", "/v1/status").hasPrefix("HTTP/1.1 401"))
            #expect(try await asker.change("POST", "/v1/prompts/1", "{}").hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test(arguments: [true, false])
    func `a session that ended receives no more events`(logsOut: Bool) async throws {
        try await run { (asker: Asker) async throws in
            var asker = asker
            _ = try await asker.logIn(logins.link())
            let stream = try RawClient(port: asker.port)
            try stream.connect()
            stream.send("GET /v1/events HTTP/1.1\r\nHost: pi:\(asker.port)\r\nCookie: okaeri=\(asker.cookie)\r\n\r\n")
            try await eventually("the answer has arrived") { stream.received.contains(": okaeri") }
            if logsOut {
                let answer = try await asker.change("POST", "/v1/web/logout", "")
                #expect(answer.hasPrefix("HTTP/1.1 200"))
            } else {
                #expect(logins.revoke(try #require(logins.devices.first).id))
            }
            // With the last chunk: a browser complains of an answer that breaks off.
            try await eventually("the server closes the connection") { stream.isClosedByPeer }
            #expect(stream.received.hasSuffix("\r\n0\r\n\r\n"))
        }
    }

    @Test func `a browser that logs out has no session any more`() async throws {
        try await run { (asker: Asker) async throws in
            var asker = asker
            _ = try await asker.logIn(logins.link())
            let refusal = try await asker.ask("GET", "/v1/web/logout")
            #expect(refusal.hasPrefix("HTTP/1.1 405") && refusal.contains("Allow: POST\r\n"))
            let answer = try await asker.change("POST", "/v1/web/logout", "")
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("\"name\":null"))
            #expect(answer.contains("okaeri=; Max-Age=0"))
            #expect(try await asker.ask("GET", "/v1/status").hasPrefix("HTTP/1.1 401"))
            #expect(logins.devices.isEmpty)
        }
    }

    @Test func `a change is taken from the page alone`() async throws {
        try await run { (asker: Asker) async throws in
            var asker = asker
            _ = try await asker.logIn(logins.link())
            let (path, body) = ("/v1/prompts/1", "{\"answer\":\"join\"}")
            // It is asked of the daemon: there is no such prompt.
            #expect(try await asker.change("POST", path, body).hasPrefix("HTTP/1.1 404"))
            for fields in [
                ["origin": "http://evil.example"], ["origin": ""], ["origin": "null"], ["sec-fetch-site": "cross-site"],
                ["x-okaeri-token": ""], ["x-okaeri-token": asker.cookie],
            ] {
                let answer = try await asker.change("POST", path, body, fields)
                #expect(answer.hasPrefix("HTTP/1.1 403"), "\(fields)")
            }
            #expect(try await asker.change("POST", path, body, ["cookie": "okaeri=1"]).hasPrefix("HTTP/1.1 401"))
            #expect(try await asker.ask("GET", path).hasPrefix("HTTP/1.1 405"))
            #expect(try await asker.change("POST", path, body, ["host": "evil.example"]).hasPrefix("HTTP/1.1 421"))
            for fields in [["x-okaeri-token": ""], ["origin": "http://evil.example"]] {
                #expect(try await asker.change("POST", "/v1/web/links", "", fields).hasPrefix("HTTP/1.1 403"))
                let device = "/v1/web/devices/\(logins.devices.first?.id ?? "")"
                #expect(try await asker.change("DELETE", device, "", fields).hasPrefix("HTTP/1.1 403"))
                #expect(try await asker.change("POST", device, "{\"name\":\"x\"}", fields).hasPrefix("HTTP/1.1 403"))
                let region = "/v1/configuration/region?region=home"
                #expect(try await asker.change("DELETE", region, "", fields).hasPrefix("HTTP/1.1 403"))
            }
            #expect(logins.devices.count == 1)
        }
    }

    @Test func `a browser with a login makes a link for another one, and ends its session`() async throws {
        try await run { (asker: Asker) async throws in
            var asker = asker
            _ = try await asker.logIn(logins.link())
            let made = try await asker.change("POST", "/v1/web/links", "")
            #expect(made.hasPrefix("HTTP/1.1 200") && made.contains("\"http://pi:8080/\""))
            var other = Asker(port: asker.port)
            let session = try await other.logIn(made.word(between: "\"token\":\"", and: "\""))
            #expect(session.hasPrefix("HTTP/1.1 200"))
            let id = session.word(between: "\"id\":\"", and: "\"")
            let list = try await asker.ask("GET", "/v1/web/devices")
            #expect(list.contains("\"id\":\"\(id)\"") && logins.devices.count == 2)
            let named = try await asker.change("POST", "/v1/web/devices/\(id)", "{\"name\":\"Bob's phone\\u0007\"}")
            #expect(named.hasPrefix("HTTP/1.1 200") && named.contains("Bob's phone") && !named.contains("\u{7}"))
            for body in ["{\"name\":\" \"}", "{}", "[]"] {
                let answer = try await asker.change("POST", "/v1/web/devices/\(id)", body)
                #expect(answer.hasPrefix("HTTP/1.1 400"), "\(body)")
            }
            let unknown = try await asker.change("POST", "/v1/web/devices/zzzzzz", "{\"name\":\"x\"}")
            #expect(unknown.hasPrefix("HTTP/1.1 404"))
            #expect(try await other.ask("GET", "/v1/web/session").contains("Bob's phone"))
            let left = try await asker.change("DELETE", "/v1/web/devices/\(id)", "")
            #expect(left.hasPrefix("HTTP/1.1 200") && !left.contains(id))
            #expect(try await other.ask("GET", "/v1/status").hasPrefix("HTTP/1.1 401"))
            #expect(try await asker.change("DELETE", "/v1/web/devices/\(id)", "").hasPrefix("HTTP/1.1 404"))
        }
        #expect(book.count("a link for another browser was made on the page") == 1)
    }

    @Test func `wrong links are answered late, and lock nothing out`() async throws {
        try await run { (asker: Asker) async throws in
            var asker = asker
            let body = "{\"token\":\"0\"}"
            let wrong = try (0..<10).map { _ in
                let client = try RawClient(port: asker.port)
                try client.connect()
                client.send(
                    "POST /v1/web/login HTTP/1.1\r\nhost: pi:\(asker.port)\r\norigin: \(asker.origin)\r\n"
                        + "connection: close\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
                return client
            }
            let start = ContinuousClock.now
            #expect(try await asker.logIn(logins.link()).hasPrefix("HTTP/1.1 200"))
            for client in wrong {
                try await eventually("the server closes the connection") { client.isClosedByPeer }
                #expect(client.received.hasPrefix("HTTP/1.1 401"))
            }
            #expect(ContinuousClock.now - start > .milliseconds(500))
            #expect(try await asker.change("POST", "/v1/web/login", "{").hasPrefix("HTTP/1.1 400"))
            let long = String(repeating: "x", count: 5000)
            #expect(try await asker.change("POST", "/v1/web/login", long).hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test func `a connection with a login is never displaced`() async throws {
        try await run(limits: .init(connections: 3, perAddress: 3, time: .minutes(10))) { (asker: Asker) async throws in
            var asker = asker
            _ = try await asker.logIn(logins.link())
            let stream = try RawClient(port: asker.port)
            try stream.connect()
            stream.send("GET /v1/events HTTP/1.1\r\nHost: pi:\(asker.port)\r\nCookie: okaeri=\(asker.cookie)\r\n\r\n")
            try await eventually("the answer has arrived") { stream.received.contains(": okaeri") }
            let others = try (0..<10).map { _ in try RawClient(port: asker.port) }
            for client in others {
                try client.connect()
                client.send("GET / HTTP/1.1\r\nHost: pi:\(asker.port)\r\n\r\n")
                try await eventually("the answer has arrived") { client.received.contains("</html>") }
            }
            for client in others.dropLast(2) {
                try await eventually("the server closes the connection") { client.isClosedByPeer }
            }
            #expect(!stream.isClosedByPeer && !others[9].isClosedByPeer)
            #expect(try await asker.ask("GET", "/v1/status").hasPrefix("HTTP/1.1 200"))
            // Without its login it is one of the others.
            #expect(logins.revoke(try #require(logins.devices.first).id))
            try await eventually("the server closes the connection") { stream.isClosedByPeer }
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `an answer to an unsound request has the fields of every answer`(method: String) async throws {
        try await run { (asker: Asker) async throws in
            let answer = try await asker.ask(method, "/v1/status", body: "x", ["HOST": "pi"])
            #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("two hosts"))
            #expect(answer.contains("Content-Security-Policy: default-src 'none'"))
        }
    }

    @Test func `the files have nothing inline, and no other page may show them`() async throws {
        try await run { (asker: Asker) async throws in
            for path in PageFile.paths {
                let answer = try await asker.ask("GET", path)
                #expect(answer.hasPrefix("HTTP/1.1 200"), "\(path)")
                #expect(answer.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"))
                #expect(!answer.contains("unsafe-") && !answer.contains(" style=\"") && !answer.contains(" onclick="))
                #expect(answer.contains("X-Content-Type-Options: nosniff\r\n"))
                #expect(answer.contains("X-Frame-Options: DENY\r\n"))
            }
            let tag = try await asker.ask("GET", "/app.en.js").word(between: "ETag: ", and: "\r\n")
            for copies in [tag, "\"x\", \(tag)", String(tag.dropFirst(2)), "*"] {
                let again = try await asker.ask("GET", "/app.en.js", ["if-none-match": copies])
                #expect(again.hasPrefix("HTTP/1.1 304") && again.hasSuffix("\r\n\r\n"))
                #expect(again.contains("Vary: accept-encoding\r\n"))
            }
            #expect(try await asker.ask("GET", "/app.en.js", ["if-none-match": "\"x\""]).hasPrefix("HTTP/1.1 200"))
            #expect(try await asker.ask("HEAD", "/").hasSuffix("\r\n\r\n"))
            #expect(try await asker.ask("GET", "/../../etc/passwd").hasPrefix("HTTP/1.1 404"))
            #expect(try await asker.ask("GET", "/", host: "evil.example").hasPrefix("HTTP/1.1 421"))
            #expect(try await asker.change("POST", "/", "").hasPrefix("HTTP/1.1 405"))
        }
    }

    @Test func `a large text is packed for a browser that accepts that, and is the same text`() async throws {
        try await run(isOpen: true) { (asker: Asker) async throws in
            for path in ["/app.en.js", "/app.css", "/v1/status", "/metrics"] {
                let plain = try await asker.answer("GET", path)
                #expect(plain.head.contains("Vary: accept") && !plain.head.contains("Content-Encoding"))
                let packed = try await asker.answer("GET", path, ["accept-encoding": "br, gzip;q=0.5"])
                #expect(packed.head.contains("Content-Encoding: gzip\r\n") && packed.head.contains("accept-encoding"))
                #expect(packed.head.contains("Content-Length: \(packed.content.count)\r\n"))
                #expect(packed.content.count < plain.content.count / 2)
                let text = try packed.content.unpacked()
                #expect(path.hasPrefix("/v1") || path == "/metrics" ? !text.isEmpty : text == plain.content)
                let head = try await asker.answer("HEAD", path, ["accept-encoding": "gzip"])
                #expect(head.content.isEmpty && head.head.contains("Content-Encoding: gzip\r\n"))
                #expect(
                    try await !asker.answer("GET", path, ["accept-encoding": "gzip;q=0"]).head.contains(
                        "Content-Encoding"))
            }
            #expect(listeners.reports?.isEmpty == false)
        }
    }

    @Test func `a short answer, an image, a failure, a secret and an event stream are never packed`() async throws {
        try await run { (asker: Asker) async throws in
            var asker = asker
            _ = try await asker.logIn(logins.link())
            for path in ["/v1/nodes", "/icon.png", "/v1/nothing", "/v1/web/session"] {
                let answer = try await asker.answer("GET", path, ["accept-encoding": "gzip"])
                #expect(!answer.head.contains("Content-Encoding"), "\(path)")
            }
            let stream = try RawClient(port: asker.port)
            try stream.connect()
            stream.send(
                "GET /v1/events HTTP/1.1\r\nHost: pi:\(asker.port)\r\nCookie: okaeri=\(asker.cookie)\r\nAccept-Encoding: gzip\r\n\r\n"
            )
            try await eventually("the answer has arrived") { stream.received.contains(": okaeri") }
            #expect(!stream.received.contains("Content-Encoding"))
        }
    }

    @Test func `the page is in the first language of the browser that it has`() async throws {
        try await run { (asker: Asker) async throws in
            var tags: Set<String> = []
            for (accepted, code) in [("ja, en;q=0.5", "ja"), ("de, en;q=0.8, ja;q=0.7", "en"), ("", "en")] {
                let answer = try await asker.ask("GET", "/", ["accept-language": accepted])
                #expect(answer.contains("<html lang=\"\(code)\">") && answer.contains("src=\"app.\(code).js\""))
                #expect(answer.contains("Vary: accept-language, accept-encoding\r\n"))
                let tag = answer.word(between: "ETag: ", and: "\r\n")
                tags.insert(tag)
                let again = try await asker.ask("GET", "/", ["accept-language": accepted, "if-none-match": tag])
                #expect(again.hasPrefix("HTTP/1.1 304"))
            }
            #expect(tags.count == 2)
        }
    }

    @Test func `an open page gives passphrases only to a browser that is logged in`() async throws {
        try await run(isOpen: true) { (asker: Asker) async throws in
            for path in ["/v1/guests", "/v1/guests/code?ssid=Home", "/v1//guests/code?ssid=Home", "/v1/guests/"] {
                let answer = try await asker.ask("GET", path)
                #expect(answer.hasPrefix("HTTP/1.1 401") && !answer.contains("WIFI:"), "\(path)")
                var other = asker
                _ = try await other.logIn(logins.link())
                #expect(try await other.ask("GET", path).hasSuffix("\"WIFI:\"\n"), "\(path)")
            }
            // The router knows no other spelling of the path.
            for path in [
                "/v1/%67uests/code?ssid=Home", "/v1/x/../guests/code?ssid=Home", "/v1/./guests/code?ssid=Home",
                "/v1/GUESTS/code?ssid=Home", "/v1/guests%2Fcode?ssid=Home", "/v1;/guests/code?ssid=Home",
            ] {
                let answer = try await asker.ask("GET", path)
                #expect(!answer.hasPrefix("HTTP/1.1 200") && !answer.contains("WIFI:"), "\(path)")
            }
        }
    }

    @Test func `an open page is looked at without a login, and not changed`() async throws {
        try await run(isOpen: true) { (asker: Asker) async throws in
            #expect(try await asker.ask("GET", "/v1/status").hasPrefix("HTTP/1.1 200"))
            #expect(
                try await asker.ask("GET", "/v1/web/session").contains(
                    #"{"csrf":null,"id":null,"ingress":false,"name":null,"open":true,"rights":"look"}"#))
            #expect(try await asker.change("POST", "/v1/prompts/1", "{}").hasPrefix("HTTP/1.1 401"))
            for field in [
                "X-Forwarded-For", "x-forwarded-port", "Forwarded", "via", "X-Real-IP", "X-Real-Port",
                "CF-Connecting-IP", "Fastly-Client-IP", "X-Azure-ClientIP", "X-ProxyUser-IP", "X-AppEngine-User-IP",
                "Tailscale-User-Login",
            ] {
                let answer = try await asker.ask("GET", "/v1/status", [field: "1.2.3.4"])
                #expect(answer.hasPrefix("HTTP/1.1 401"), "\(field)")
            }
        }
    }

    @Test func `behind a proxy with TLS the cookie goes over TLS alone`() async throws {
        try await run { (asker: Asker) async throws in
            let body = "{\"token\":\"\(logins.link())\"}"
            let answer = try await asker.change(
                "POST", "/v1/web/login", body, ["x-forwarded-proto": "https", "origin": "https://pi:\(asker.port)"])
            #expect(answer.contains("Set-Cookie: __Host-okaeri=") && answer.contains("; SameSite=Strict; Secure\r\n"))
            let cookie = answer.word(between: "okaeri=", and: ";")
            for (name, proto, status) in [
                ("__Host-okaeri", "https", 200), ("okaeri", "https", 401), ("__Host-okaeri", "HTTPS , http", 200),
                ("__Host-okaeri", "http, https", 401),
            ] {
                let fields = ["x-forwarded-proto": proto, "cookie": "\(name)=\(cookie)"]
                let answer = try await asker.ask("GET", "/v1/status", fields)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(name), \(proto)")
            }
        }
    }

    @Test func `an error of an endpoint becomes its answer`() async throws {
        try await run(isOpen: true) { (asker: Asker) async throws in
            let failure = try await asker.ask("GET", Route.networks)
            #expect(failure.hasPrefix("HTTP/1.1 503") && failure.contains("Retry-After: 2\r\n"))
            #expect(failure.contains("{\"error\":\"no radio\"}"))
            let fault = try await asker.ask("GET", Route.signal)
            #expect(fault.hasPrefix("HTTP/1.1 500") && fault.contains("journalctl"))
        }
    }

    @Test func `only a path without an endpoint is unknown, as the router reads it`() async throws {
        try await run { (asker: Asker) async throws in
            var asker = asker
            for path in ["/v1/x", "/v1", "//v1/status", "/v1/status/", "/v1/guests/code/x"] {
                #expect(try await asker.ask("GET", path).hasPrefix("HTTP/1.1 401"), "\(path)")
            }
            for path in ["/metrics/x", "//metrics/v1"] {
                #expect(try await asker.ask("GET", path).hasPrefix("HTTP/1.1 404"), "\(path)")
                #expect(try await asker.change("POST", path, "").hasPrefix("HTTP/1.1 404"), "\(path)")
            }
            for path in ["/v2/status", "/%76%31/status", "/x"] {
                #expect(try await asker.ask("GET", path).hasPrefix("HTTP/1.1 404"), "\(path)")
                let post = try await asker.change("POST", path, "")
                #expect(post.hasPrefix("HTTP/1.1 405") && post.contains("Allow: GET, HEAD\r\n"), "\(path)")
            }
            _ = try await asker.logIn(logins.link())
            for path in ["/v1/x", "/v1", "/v1/guests/code/x"] {
                #expect(try await asker.ask("GET", path).hasPrefix("HTTP/1.1 404"), "\(path)")
            }
            for path in ["//v1/status", "/v1/status/", "/v1//guests///code"] {
                #expect(try await asker.ask("GET", path).hasPrefix("HTTP/1.1 200"), "\(path)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `A wrong method is answered with the right ones to each client that may use one of them`(
        isOpen: Bool
    ) async throws {
        try await run(isOpen: isOpen) { (asker: Asker) async throws in
            var asker = asker
            // As a program sends it, without the fields of a browser.
            let answer = try await asker.ask("POST", "/v1/status")
            #expect(answer.hasPrefix("HTTP/1.1 \(isOpen ? 405 : 401)"))
            #expect(answer.contains("Allow: GET, HEAD\r\n") == isOpen)
            #expect(try await asker.ask("POST", "/v1/x").hasPrefix("HTTP/1.1 \(isOpen ? 404 : 401)"))
            #expect(try await asker.ask("PATCH", "/v1/web/links").hasPrefix("HTTP/1.1 401"))
            #expect(try await asker.ask("PUT", "/v1/web/login").hasPrefix("HTTP/1.1 405"))
            _ = try await asker.logIn(logins.link())
            for fields in [[:], ["origin": "http://evil.example"], ["x-okaeri-token": ""]] {
                let answer = try await asker.ask("POST", "/v1/status", fields)
                #expect(answer.hasPrefix("HTTP/1.1 405") && answer.contains("Allow: GET, HEAD\r\n"), "\(fields)")
            }
        }
    }
}
