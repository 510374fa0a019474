import OkaeriAutomation
import OkaeriConfiguration
import OkaeriEvents
import OkaeriServer
import Testing

@testable import OkaeriDaemon

@Suite struct ReachablePageTests {
    private let links = AnswerLinks(digest: { $0 })

    private func page(_ keys: String) throws -> ReachablePage {
        ReachablePage(
            try Configuration(json: Array("{\"web\": {\(keys)}, \"regions\": []}".utf8), file: "beacons.json"))
    }

    private func join(_ page: ReachablePage) -> String? { page.addresses(answering: "1", links)?.join }

    @Test func `a page whose port is taken has no links, and has them when it is served`() throws {
        let page = try page(#""listen": "127.0.0.1:8080", "hosts": ["okaeri.example.org"]"#)
        #expect(join(page)?.hasPrefix("https://okaeri.example.org/answer/") == true, "it is about to be served")
        page.listened(.init(name: "web", address: "127.0.0.1:8080", problem: "another program has that port"))
        #expect(join(page) == nil)
        page.listened(.init(name: "web", address: "127.0.0.1:8080"))
        #expect(join(page)?.hasPrefix("https://okaeri.example.org/answer/") == true)
    }

    @Test func `links have the address at which the page is served`() throws {
        let page = try page(#""listen": "192.0.2.1:8080""#)
        page.listened(.init(name: "web", address: "192.0.2.7:81", refused: "192.0.2.1:8080 cannot be opened: taken"))
        #expect(join(page)?.hasPrefix("http://192.0.2.7:81/answer/") == true)
        page.listened(.init(name: "web", address: "127.0.0.1:81"))
        #expect(join(page) == nil, "no other device reaches it")
    }

    /// The address is for the proxy, and no browser reaches it.
    @Test func `a page behind Home Assistant's proxy has no links`() throws {
        let page = try page(#""listen": "172.30.32.1:62000", "ingress": "172.30.32.2""#)
        page.listened(.init(name: "web", address: "172.30.32.1:62000"))
        #expect(join(page) == nil && page.url == nil)
        let direct = try self.page(#""listen": "0.0.0.0:62000", "ingress": "172.30.32.2""#)
        direct.listened(.init(name: "web", address: "0.0.0.0:62000"))
        #expect(direct.url != nil)
    }
}
