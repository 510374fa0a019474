import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriEvents
import OkaeriPlumbing
import Synchronization
import Testing

@testable import OkaeriServer

@Suite struct ResponseTests {
    private final class Writer: ResponseBodyWriter, Sendable {
        let text = Mutex("")

        func write(_ buffer: ByteBuffer) async throws { text.withLock { $0 += String(buffer: buffer) } }
        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test(arguments: Installation.allCases)
    func `an answer has commands in values as they are`(installation: Installation) async throws {
        let report = ErrorReport(error: "`sudo systemctl restart okaeri`, run with sudo")
        let response = Installation.local.withValue(installation) { Response.json(report) }
        let writer = Writer()
        try await response.body.write(writer)
        #expect(writer.text.withLock(\.self) == JSON.line(report) + "\n")
    }
}
