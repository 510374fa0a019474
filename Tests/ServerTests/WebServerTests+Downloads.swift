import Glibc
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriEvents
@testable import OkaeriServer

/// Answers that it takes a client time to receive.
extension WebServerTests {
    /// Endpoints with a file that is larger than all buffers, and with an array without an end.
    static var longAnswers: [Endpoint] {
        [
            Endpoint(.get, Route.backup, isAccounted: true) { exchange in
                exchange.response(sending: try Self.largeFile(), headers: [:], until: .now + .seconds(300))
            },
            Endpoint(.get, Route.history, .readers) { _ in
                .json(each: { (position: Int?) in
                    ([String(repeating: "x", count: 10_000)], (position ?? 0) + 1)
                })
            },
        ]
    }

    private static func largeFile() throws -> SentFile {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let number = dup(fileno(file))
        try #require(number >= 0 && ftruncate(number, 64 << 20) == 0)
        return SentFile(OwnedDescriptor(owning: number), holding: 0)
    }

    @Test(arguments: [Route.backup, Route.history])
    func `a long answer to a session that is revoked breaks off, and those to others go on`(path: String) async throws {
        try await run { (asker: Asker) async throws in
            func begin(_ asker: Asker) throws -> RawClient {
                let client = try RawClient(port: asker.port)
                try client.connect()
                client.send("GET \(path) HTTP/1.1\r\nHost: pi:\(asker.port)\r\nCookie: okaeri=\(asker.cookie)\r\n\r\n")
                return client
            }
            var (first, second) = (asker, asker)
            _ = try await first.logIn(logins.link())
            let id = try #require(logins.devices.last).id
            _ = try await second.logIn(logins.link())
            let (ended, other) = (try begin(first), try begin(second))
            // Neither reads the rest: the answers are not over.
            try await eventually("the answers have begun") { ended.waiting > 0 && other.waiting > 0 }
            #expect(logins.revoke(id))
            try await eventually("the answer breaks off") { ended.isClosedByPeer }
            #expect(ended.receivedBytes.count < 64 << 20)
            let before = other.receivedBytes.count
            try await eventually("the other answer goes on") { other.receivedBytes.count > before }
            #expect(!other.isClosedByPeer)
            other.close()
        }
    }
}
