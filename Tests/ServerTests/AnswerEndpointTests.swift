import Foundation
import NIOPosix
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import Testing

@testable import OkaeriClient
@testable import OkaeriEvents
@testable import OkaeriServer

/// Links that answer prompts, over TCP and without a login.
@Suite(.timeLimit(.minutes(5))) struct AnswerEndpointTests {
    private let links = AnswerLinks(digest: { $0 })
    private let backend: Backend

    init() {
        backend = Backend(
            hub: EventHub(), waiting: [Prompt(id: "1", ssid: "Home<Net>", regions: ["home"], arrival: 1)], links: links)
    }

    private func run(_ body: (UInt16) async throws -> Void) async throws {
        let listeners = Listeners()
        let port = try freePort()
        let server = WebServer(
            backend.endpoints(), address: try #require(ListenAddress("127.0.0.1:\(port)")),
            isOpen: false, names: ["pi"], logins: LoginStore(digest: { $0 }), listeners: listeners,
            eventLoopGroup: MultiThreadedEventLoopGroup.oneLoop, logger: quiet)
        try await running({ try await server.run() }) {
            try await eventually("the server listens") { listeners.reports.map { $0.first?.problem == nil } ?? false }
            try await body(port)
        }
    }

    private func ask(
        _ method: String, _ path: String, on port: UInt16, host: String = "pi",
        _ fields: String = "Accept: text/html\r\n"
    ) async throws -> String {
        let client = try RawClient(port: port)
        try client.connect()
        client.send(
            "\(method) /\(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nContent-Length: 0\r\nConnection: close\r\n\(fields)\r\n"
        )
        try await eventually("the server closes the connection") { client.isClosedByPeer }
        return client.received
    }

    @Test func `opening a link shows the question, and answers nothing`() async throws {
        let path = links.paths(answering: "1").join
        try await run { (port: UInt16) async throws in
            for _ in 0..<2 {
                let page = try await ask("GET", path, on: port)
                #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("Content-Type: text/html; charset=utf-8\r\n"))
                #expect(
                    page.contains("Join the Wi-Fi “Home&lt;Net&gt;”?") && page.contains("<form method=\"post\" class"))
                #expect(page.contains("form-action 'self'") && !page.contains("script-src"))
                #expect(
                    page.contains("Cache-Control: no-store\r\n") && page.contains("Referrer-Policy: no-referrer\r\n"))
            }
            #expect(try await ask("HEAD", path, on: port).hasPrefix("HTTP/1.1 200"))
            let japanese = try await ask("GET", path, on: port, "Accept-Language: ja\r\n")
            #expect(japanese.contains("に接続しますか？") && japanese.contains("<html lang=\"ja\">"))
            for method in ["PUT", "DELETE"] {
                #expect(try await ask(method, path, on: port).hasPrefix("HTTP/1.1 405"))
            }
            #expect(backend.given.value.isEmpty)
        }
    }

    @Test(arguments: [PromptAnswer.join, .later])
    func `a request by POST answers the prompt, once`(answer: PromptAnswer) async throws {
        let paths = links.paths(answering: "1")
        let path = answer == .join ? paths.join : paths.later
        try await run { (port: UInt16) async throws in
            // As a phone sends it, without a page and its fields.
            let answered = try await ask("POST", path, on: port, "")
            #expect(answered.hasPrefix("HTTP/1.1 200"))
            #expect(backend.given.value == [.init(prompt: "1", answer: answer)])
            let again = try await ask("POST", path, on: port, "")
            #expect(
                again.hasPrefix("HTTP/1.1 404") && again.contains(#"{"error":"the link answers no prompt any more"#))
            #expect(try await ask("GET", paths.join, on: port).contains("This link is not valid any more"))
            #expect(backend.given.value.count == 1)
        }
    }

    @Test func `a prompt that does not wait any more is not answered`() async throws {
        let path = links.paths(answering: "2").join
        try await run { (port: UInt16) async throws in
            #expect(try await ask("GET", path, on: port).hasPrefix("HTTP/1.1 410"))
            #expect(try await ask("POST", path, on: port).hasPrefix("HTTP/1.1 410"))
            #expect(backend.given.value.isEmpty)
        }
    }

    @Test func `a wrong token is refused after a second, also from another site`() async throws {
        _ = links.paths(answering: "1")
        try await run { (port: UInt16) async throws in
            let start = ContinuousClock.now
            for path in ["answer/", "answer/\(String(repeating: "0", count: 64))"] {
                #expect(try await ask("POST", path, on: port).hasPrefix("HTTP/1.1 404"), "\(path)")
            }
            #expect(ContinuousClock.now - start > .seconds(1))
            let path = links.paths(answering: "1").join
            #expect(try await ask("POST", path, on: port, host: "evil.example").hasPrefix("HTTP/1.1 421"))
            #expect(backend.given.value.isEmpty)
        }
    }
}
