import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import OkaeriDBus
import OkaeriDaemonTestSupport
import OkaeriHistory
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import Synchronization
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents
@testable import OkaeriServer

/// The endpoints of a daemon: their description, their clients, and those of the page with its data.
@Suite struct EndpointsTests {
    private let folder: TemporaryFolder
    private let logins = LoginStore(digest: Checksum.sha256)
    private let docs = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/docs"

    init() throws { folder = try TemporaryFolder() }

    /// Those of a daemon that does not run.
    private func endpoints() throws -> [Endpoint] {
        let capture = try folder.file("capture", capture([3], until: 4))
        return try Daemon(
            Configuration(json: Array(Configuration.example.utf8), file: ""),
            options: .init(
                configurationFile: "", capture: capture, simulatesWiFi: true, socket: "\(folder.path)/socket"),
            logger: quiet
        ).endpoints(nil)
    }

    // MARK: - The description

    /// `GET /v1/status` and so on: the paths are two spaces in, their methods four.
    private func described() throws -> Set<String> {
        let data = try #require(FileManager.default.contents(atPath: "\(docs)/api.yaml"))
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        let paths = lines.drop { $0 != "paths:" }.dropFirst().prefix { $0.hasPrefix(" ") }
        var found: Set<String> = []
        var path = ""
        for line in paths {
            let key = line.drop { $0 == " " }
            switch line.count - key.count {
            case 2: path = String(key.dropLast())
            case 4: found.insert("\(key.dropLast().uppercased()) \(path)")
            default: break
            }
        }
        return found
    }

    /// A link without a token, and the files of the page.
    private static let undescribed: Set = ["/answer", "/", "/**"]

    @Test func `api yaml names exactly the routes that there are`() throws {
        let served = try endpoints().filter { !Self.undescribed.contains($0.path) }.map { endpoint in
            let path = endpoint.path.split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0 }
            return "\(endpoint.method) /\(path.joined(separator: "/"))"
        }
        #expect(try Set(served) == described())
        #expect(Set(served).count == served.count)
    }

    @Test func `its events are those that there are`() throws {
        let data = try #require(FileManager.default.contents(atPath: "\(docs)/api.yaml"))
        let words = Set(
            String(decoding: data, as: UTF8.self).split(separator: "\n").map { $0.drop { " -".contains($0) } })
        for name in Event.Kind.Name.allCases { #expect(words.contains(name.rawValue[...])) }
    }

    // MARK: - The clients

    /// The answer of a listener.
    private struct Answer {
        var status: Int
        var headers: HTTPFields
        var text: String
    }

    private func ask(
        _ router: EndpointRouter, _ method: HTTPRequest.Method, _ target: String, _ body: String = "",
        _ fields: HTTPFields = [:]
    ) async throws -> Answer {
        var fields = fields
        if !body.isEmpty { fields[.contentLength] = "\(body.utf8.count)" }
        let head = HTTPRequest(method: method, scheme: nil, authority: "pi", path: target, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let response = await router.response(
            to: request, on: EmbeddedChannel(), of: Connections(), logger: quiet)
        let collected = Collected()
        try await response.body.write(Writer(collected: collected))
        return Answer(
            status: response.status.code, headers: response.headers,
            text: String(buffer: collected.bytes.withLock(\.self)))
    }

    private final class Collected: Sendable {
        let bytes = Mutex(ByteBuffer())
    }

    private struct Writer: ResponseBodyWriter {
        let collected: Collected

        mutating func write(_ buffer: ByteBuffer) async throws {
            collected.bytes.withLock { _ = $0.writeImmutableBuffer(buffer) }
        }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    /// The endpoints with an answer that does nothing.
    private func inert() throws -> [Endpoint] {
        try endpoints().map { Endpoint($0.method, $0.path, $0.access) { _ in .json("answered") } }
    }

    private func page(_ endpoints: [Endpoint], isOpen: Bool) -> EndpointRouter {
        EndpointRouter(endpoints, of: .page(HostCheck(names: ["pi"]), RequestGate(isOpen: isOpen), logins))
    }

    /// As a browser sends a change from the page.
    private static let origin: HTTPFields = [.origin: "http://pi"]

    private func session() throws -> HTTPFields {
        let session = try #require(logins.redeem(logins.link(), name: "a phone"))
        var fields = Self.origin
        fields[.cookie] = "okaeri=\(session.cookie)"
        fields[try #require(HTTPField.Name(RequestGate.tokenField))] = session.token
        return fields
    }

    /// Returns the names of the endpoints that answer such a request, and checks that the others refuse it.
    private func answered(
        _ endpoints: [Endpoint], by router: EndpointRouter, _ fields: HTTPFields, refusals: Set<Int>
    ) async throws -> Set<String> {
        var names: Set<String> = []
        for endpoint in endpoints {
            let target = endpoint.path.replacing("**", with: "x").replacing(":", with: "")
            let plain = try await ask(router, endpoint.method, target, "", fields)
            if plain.status == 200 {
                #expect(plain.text == "\"answered\"\n")
                names.insert("\(endpoint.method) \(endpoint.path)")
            } else {
                #expect(refusals.contains(plain.status), "\(endpoint.method) \(target)")
            }
            // The other spellings are the same path, or no path of an endpoint.
            for spelling in ["/\(target)", "\(target)//", target.replacing("/", with: "//")] {
                #expect(
                    try await ask(router, endpoint.method, spelling, "", fields).status == plain.status, "\(spelling)")
            }
            // The router knows no other spelling of the path.
            guard plain.status != 200, target.hasPrefix("/v1/") else { continue }
            for spelling in [
                target.replacing("/v1/", with: "/v1/%20"), target.uppercased(), "/v1/x/..\(target.dropFirst(3))",
                "/v1/.\(target.dropFirst(3))", target.replacing("/v1", with: "/v1;"),
            ] {
                let other = try await ask(router, endpoint.method, spelling, "", fields)
                #expect(other.status != 200 || !spelling.hasPrefix("/v1/"), "\(spelling)")
            }
        }
        return names
    }

    /// Those for every client of the page.
    private static let unrestricted: Set = [
        "GET /", "GET /**", "GET /answer", "POST /answer", "GET /answer/:token", "POST /answer/:token",
    ]

    /// Those for the readers of an open page.
    private static let readers: Set = [
        "GET /v1/status", "GET /v1/regions", "GET /v1/beacons", "GET /v1/events", "GET /v1/prompts", "GET /v1/nodes",
        "GET /metrics", "GET /v1/health", "GET /v1/days", "GET /v1/days/:day", "GET /v1/history", "GET /v1/mistakes",
        "GET /v1/signal", "GET /v1/signals", "GET /v1/thresholds", "GET /v1/wifi/networks", "GET /v1/configuration",
        "GET /v1/web/session",
    ]

    @Test func `without a session a page answers nothing but what names another access`() async throws {
        let all = try inert()
        let closed = page(all, isOpen: false)
        #expect(try await answered(all, by: closed, [:], refusals: [401, 403]) == Self.unrestricted)
        let fromPage = try await answered(all, by: closed, Self.origin, refusals: [401])
        #expect(fromPage == Self.unrestricted.union(["POST /v1/web/login"]))
    }

    @Test func `an open page shows its readers only what is for them`() async throws {
        let all = try inert()
        let open = page(all, isOpen: true)
        let fromPage = try await answered(all, by: open, Self.origin, refusals: [401])
        #expect(fromPage == Self.unrestricted.union(Self.readers).union(["POST /v1/web/login"]))
    }

    @Test func `a session is answered by all, and changes nothing without its token`() async throws {
        let all = try inert()
        var fields = try session()
        let names = Set(all.map { "\($0.method) \($0.path)" })
        #expect(try await answered(all, by: page(all, isOpen: false), fields, refusals: []) == names)
        fields[try #require(HTTPField.Name(RequestGate.tokenField))] = nil
        let reading = names.filter { $0.hasPrefix("GET") }.union(Self.unrestricted).union(["POST /v1/web/login"])
        #expect(try await answered(all, by: page(all, isOpen: true), fields, refusals: [403]) == reading)
    }

    @Test func `secrets and the sessions of browsers are for users who may do everything`() throws {
        let all = try endpoints()
        #expect(
            Set(all.filter { $0.rights == .all }.map { "\($0.method) \($0.path)" }) == [
                "GET /v1/guests/code", "GET /v1/backup", "POST /v1/backup", "POST /v1/web/links", "GET /v1/web/devices",
                "DELETE /v1/web/devices/:id", "POST /v1/web/devices/:id",
            ])
        #expect(all.filter { $0.rights == .look }.allSatisfy { $0.method == .get })
    }

    @Test func `the socket and the metrics serve only what is for their clients`() async throws {
        let all = try inert()
        let onPage: Set = [
            "GET /v1/guests", "GET /v1/guests/code", "POST /v1/web/login", "GET /v1/web/session", "POST /v1/web/logout",
            "GET /v1/backup", "POST /v1/backup",
        ]
        let names = Set(all.map { "\($0.method) \($0.path)" })
        let socket = try await answered(all, by: EndpointRouter(all, of: .socket), [:], refusals: [404])
        #expect(socket == names.subtracting(onPage).subtracting(Self.unrestricted))
        let metrics = EndpointRouter(all, of: .metrics(HostCheck(names: ["pi"])))
        #expect(
            try await answered(all, by: metrics, session(), refusals: [404]) == ["GET /metrics", "GET /v1/health"])
    }

    @Test func `an endpoint that names no access is private`() async throws {
        let all = try inert() + [Endpoint(.get, "/v1/new") { _ in .json("answered") }]
        for router in [EndpointRouter(all, of: .socket), EndpointRouter(all, of: .metrics(HostCheck(names: ["pi"])))] {
            #expect(try await ask(router, .get, "/v1/new").status == 404)
        }
        for isOpen in [false, true] {
            let page = page(all, isOpen: isOpen)
            for target in ["/v1/new", "/v1//new", "//v1/new/"] {
                for method in [HTTPRequest.Method.get, .head, .options] {
                    #expect([401, 403].contains(try await ask(page, method, target).status), "\(method) \(target)")
                }
                #expect(try await ask(page, .get, target, "", session()).status == 200)
                #expect(try await ask(page, .head, target, "", session()).status == 200)
            }
        }
    }

    @Test func `a foreign host is refused, whatever it requests`() async throws {
        let all = try inert()
        for listener in [
            EndpointRouter.Listener.page(HostCheck(names: ["x"]), RequestGate(isOpen: true), logins),
            .metrics(HostCheck(names: ["x"])),
        ] {
            let router = EndpointRouter(all, of: listener)
            #expect(try await answered(all, by: router, session(), refusals: [421]).isEmpty)
            #expect(try await ask(router, .get, "/v1/x").status == 421)
        }
    }

    @Test func `A wrong method is answered with the right ones to each client that may use one of them`() async throws {
        let all = try inert()
        let (page, closed) = (page(all, isOpen: true), page(all, isOpen: false))
        for (method, target, allow) in [
            (HTTPRequest.Method.post, "/v1/status", "GET, HEAD"), (.get, "/v1/web/links", "POST"),
            (.put, "/v1/enrollment", "GET, HEAD, POST, DELETE"), (.get, "/v1/web/logout", "POST"),
            (.delete, "/v1/guests/code", "GET, HEAD"),
        ] {
            for fields in [Self.origin, [:]] {
                let isKnown = target == "/v1/status"
                #expect(try await ask(page, method, target, "", fields).status == (isKnown ? 405 : 401), "\(target)")
                #expect(try await ask(closed, method, target, "", fields).status == 401, "\(target)")
            }
            let refusal = try await ask(page, method, target, "", session())
            #expect(refusal.status == 405 && refusal.headers[.allow] == allow, "\(target)")
        }
        for (target, allow) in [
            ("/v1/web/login", "POST"), ("/answer/x", "GET, HEAD, POST"), ("/app.js", "GET, HEAD"), ("/", "GET, HEAD"),
        ] {
            let refusal = try await ask(page, .delete, target, "", Self.origin)
            #expect(refusal.status == 405 && refusal.headers[.allow] == allow, "\(target)")
        }
        #expect(try await ask(page, .get, "/v1/web/login").status == 405)
        #expect(try await ask(page, .delete, "/v1/web/login").status == 405)
    }

    // MARK: - The page's data

    @Test func `requests of the page reach its data, with their parameters`() async throws {
        let file = try folder.file("beacons.json", Array(#"{"regions": []}"#.utf8))
        let data = PageData(
            directory: folder.path, file: file, wifi: SimulatedWiFi(inSight: ["HomeNet"]), now: { 0 }, reload: {})
        let router = EndpointRouter(data.endpoints, of: .socket)
        func status(_ method: HTTPRequest.Method, _ target: String, _ body: String = "") async throws -> Int {
            try await ask(router, method, target, body).status
        }
        // There is no history yet.
        for target in [
            "/v1/days", "/v1/days/2026-11-21.svg", "/v1/history?from=2026-11-21T07:00:00Z&to=2026-11-21T08:00:00Z",
            "/v1/mistakes", "/v1/signal?region=a", "/v1/signals", "/v1/signals?region=a&region=b",
        ] { #expect(try await status(.get, target) == 404, "\(target)") }
        for target in [
            "/v1/history?from=2026-11-21T07:00:00Z", "/v1/history", "/v1/signal", "/v1/history?from=1&to=2",
            "/v1/history?from=2026-11-21T07:00:00Z&to=2026-11-21T08:00:00Z&after=x", "/v1/mistakes?since=3",
            "/v1/days/today.svg", "/v1/days/2026-11-21.svg?width=x", "/v1/days/2026-11-21.svg?from=a&to=b",
        ] { #expect(try await status(.get, target) == 400, "\(target)") }
        let store = try HistoryStore(directory: folder.path, durability: .process, pageLimit: nil)
        let signal = SignalMinute.Signal(count: 1, mean: -60, lowest: -60, highest: -60, accuracy: 1)
        try store.record([], ["a", "b", "c"].map { SignalMinute(time: 0, region: $0, heard: 1, signal: signal) })
        for (query, regions) in [("", "abc"), ("?region=a&region=c&region=x", "ac"), ("?region=%62", "b")] {
            let answer = try await ask(router, .get, "/v1/signals\(query)").text
            #expect(answer.hasPrefix(#"{"from":"1969-12-31T23:50:00.000Z","signals":{""#), "\(answer)")
            for name in "abc" {
                let none = repeatElement("null", count: 10).joined(separator: ",")
                #expect(answer.contains("\"\(name)\":[\(none),-60]") == regions.contains(name), "\(query)")
            }
        }
        #expect(try await ask(router, .get, "/v1/days/2026-11-21").text.contains("no such picture"))
        #expect(try await ask(router, .get, "/v1/wifi/networks").text.contains("HomeNet"))
        #expect(try await ask(router, .get, "/v1/configuration").text.contains(#""file":"\#(file)""#))

        let region = "/v1/configuration/region"
        #expect(try await status(.post, region, "{\"region\":1}") == 400)
        #expect(try await status(.post, "/v1/configuration/room", "{\"room\":1}") == 400)
        for target in [region, "/v1/configuration/room"] {
            #expect(try await status(.post, target, String(repeating: " ", count: 70_000)) == 413)
        }
        for target in [region, "\(region)/changes"] {
            let refusal = try await ask(router, .delete, target)
            #expect(refusal.status == 400 && refusal.text.contains("ask for \(target)?region=ID"))
            #expect(try await status(.delete, "\(target)?region=%E3%81%8A%E5%B8%B0%E3%82%8A") == 404)
            #expect(try await status(.delete, "\(target)?region=a", "{}") == 400)
        }

        let phone = "/v1/enrollment"
        #expect(try await ask(router, .get, phone).text.contains("\"state\":\"unavailable\""))
        #expect(try await status(.post, phone, "{\"name\":\"anna\"}") == 409)
        for body in ["{}", "", "[1]", "{\"name\":7}"] {
            #expect(try await status(.post, phone, body) == 400, "\(body)")
            #expect(try await status(.post, "\(phone)/answer", body) == 400, "\(body)")
        }
        #expect(try await status(.post, phone, "{\"name\":\"\(String(repeating: "a", count: 1024))\"}") == 413)
        #expect(try await status(.post, "\(phone)/answer", "{\"question\":1,\"agrees\":true}") == 409)
        #expect(try await status(.delete, phone) == 200)

        let guests = page(data.endpoints, isOpen: false)
        #expect(try await ask(guests, .get, "/v1/guests", "", session()).text.contains("\"networks\":[]"))
        #expect(try await ask(guests, .get, "/v1/guests/code", "", session()).status == 400)
        #expect(try await ask(guests, .get, "/v1/guests/code?ssid=Home", "", session()).status == 404)
    }
}
