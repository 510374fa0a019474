import FoundationEssentials
import Testing
@testable import Server

@testable import Events

/// The description of the API names what is served, and nothing else.
@Suite struct RoutesTests {
    private let docs = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/docs"

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

    private var served: [Endpoint] {
        APIServer.endpoints(Backend(hub: EventHub()), heartbeat: .seconds(15), connections: Connections())
            + PageEndpoints(PageOfNothing()).all + PageEndpoints(PageOfNothing()).confidential
            + LoginEndpoints(LoginStore(digest: \.self), addresses: { [] }).all
    }

    /// The routes that the page's listener answers by itself.
    private let logins =
        ["POST \(WebRoute.login)", "GET \(WebRoute.session)", "POST \(WebRoute.logout)"]
        + ["GET", "POST"].map { "\($0) /\(WebRoute.answerPath){token}" }

    private func name(_ endpoint: Endpoint) -> String {
        let path = endpoint.path.split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0 }
        return "\(endpoint.method) /\(path.joined(separator: "/"))"
    }

    @Test func `api yaml names exactly the routes that there are`() throws {
        let described = try described()
        #expect(Set(served.map(name) + logins) == described)
        #expect(described.count == served.count + logins.count)
    }

    @Test func `its events are those that there are`() throws {
        let data = try #require(FileManager.default.contents(atPath: "\(docs)/api.yaml"))
        let words = Set(
            String(decoding: data, as: UTF8.self).split(separator: "\n").map { $0.drop { " -".contains($0) } })
        for name in Event.Kind.Name.allCases { #expect(words.contains(name.rawValue[...])) }
    }

    @Test func `the numbers alone are served where only they are`() {
        let names = MonitoringEndpoints(Backend(hub: EventHub())).all.map(name)
        #expect(names == ["GET \(Route.metrics)", "GET \(Route.health)"])
    }
}
