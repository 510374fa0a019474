import FoundationEssentials
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriAutomation
@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents

/// A daemon on a capture that notifies a server on loopback.
@Suite struct DaemonNotificationTests {
    private struct Asked: Decodable {
        struct Answers: Decodable { var join, notNow: String }
        var event: String
        var answers: Answers?
    }

    private func asked(_ server: TestWebServer) -> [Asked] {
        server.requests.value.compactMap { try? JSONDecoder().decode(Asked.self, from: Data($0.body.utf8)) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a prompt is answered by the link in its notification, and joins the network`() async throws {
        let folder = try TemporaryFolder()
        let server = try TestWebServer { _ in .status(200) }
        let port = try freePort()
        let keys = """
            { "web": { "listen": "127.0.0.1:\(port)", "hosts": ["okaeri.example.org"] },
              "notify": [ { "type": "webhook", "url": "\(server.address)/s3cr3t" } ],
            """
        let configuration = try folder.file(
            "beacons.json", Array((keys + Configuration.example.drop { $0 != "{" }.dropFirst()).utf8))
        let socket = "\(folder.path)/okaeri.sock"
        let log = LogBook()
        let daemon = try Daemon(
            Configuration(file: configuration),
            options: .init(
                configurationFile: configuration, capture: try folder.file("capture", capture([3, 4, 5], until: 20)),
                speed: 1000, simulatesWiFi: true, socket: socket),
            logger: log.logger)
        var events = daemon.allEvents().makeAsyncIterator()
        let task = Task { try await daemon.run(with: []) }
        try await server.requests.wait(until: "the server is notified of the arrival and the prompt") { $0.count == 2 }
        let client = APIClient(socket: socket, timeLimit: 120)
        let found = asked(server)
        #expect(found.map(\.event) == ["didEnterRegion", "wifiPrompt"] && found[0].answers == nil)
        let link = try #require(found[1].answers?.join)
        try #require(link.hasPrefix("https://okaeri.example.org/answer/"))
        // The proxy passes it on to the daemon.
        let address = "http://127.0.0.1:\(port)/" + link.dropFirst("https://okaeri.example.org/".count)
        try await eventually("the page is served") {
            let status = try? await client.get(Route.status, as: StatusReport.self)
            return status?.listeners?.first.map { $0.problem == nil } ?? false
        }
        let post = HTTPPost(url: address, body: [])
        try await BlockingThread.run(DeliveryProblem.noThread) { () throws(DeliveryProblem) in
            try post.send(HTTPPost.Cancellation())
        }
        while let event = await events.next(), event.kind.name != .wifiJoined {}
        let results = try await client.testNotifications()
        #expect(results.map(\.sent) == [1] && results.map(\.address) == [server.address])
        let status = try await client.text(Route.status)
        #expect(status.contains(#""target":"notify[0]""#) && !status.contains("s3cr3t"))
        #expect(
            try await client.text(Route.metrics).contains(
                "okaeri_notifications_total{target=\"notify[0]\",result=\"sent\"}"))
        task.cancel()
        _ = await task.result
        #expect(log.count("s3cr3t") == 0)
    }
}
