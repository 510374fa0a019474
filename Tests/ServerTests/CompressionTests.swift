import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriChecksum
import OkaeriTestSupport
import Testing

@testable import OkaeriServer

/// The choice of the answers that are packed, and what they cost.
@Suite struct CompressionTests {
    private func request(accepting codings: String?) -> Request {
        var head = HTTPRequest(method: .get, scheme: nil, authority: "pi", path: "/")
        head.headerFields[.acceptEncoding] = codings
        return Request(head: head, body: .init(buffer: ByteBuffer()))
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("br, gzip", true), ("deflate, x-gzip;q=1", true), ("*", true),
        ("gzip;q=0.001", true), ("br;q=1.0 , gzip ; q=0.5", true), ("*;q=0, gzip", true), (nil, false), ("", false),
        ("br", false), ("identity", false), ("gzip;q=0", false), ("*, gzip;q=0.0", false), ("gzip;q=x", false),
        ("gzipped", false), (",;,=", false), (";q=1", false),
    ])
    func `a client accepts gzip if its field says so`(codings: String?, accepts: Bool) {
        #expect(request(accepting: codings).acceptsGzip == accepts)
    }

    private func answer(_ length: Int, _ fields: HTTPFields = [.contentType: "application/json"]) -> Response {
        Response.text(String(repeating: "okaeri ", count: length / 7), headers: fields)
    }

    private func applied(
        to response: Response, accepting codings: String? = "gzip",
        in memory: ResponseMemory = ResponseMemory(limit: 8 << 20, returnMemory: {})
    ) async throws -> Response {
        try await Compression.applied(to: response, for: request(accepting: codings), in: memory)
    }

    @Test func `texts of a size are packed, and are counted as what they are then`() async throws {
        let memory = ResponseMemory(limit: 1 << 20, returnMemory: {})
        let packed = try await applied(to: answer(700_000))
        #expect(packed.headers[.contentEncoding] == "gzip" && packed.headers[.vary] == "accept-encoding")
        let held = try memory.holding(packed)
        #expect(
            memory.held == packed.body.contentLength ?? .max || packed.body.contentLength ?? .max <= PieceWriter.size)
        #expect(memory.held < 20_000)
        withExtendedLifetime(held) {}
        for (response, varies) in [
            (answer(Compression.smallest - 100), false), (answer(Compression.largest + 100), false),
            (answer(70_000, [.contentType: "image/png"]), false), (answer(70_000, [:]), false),
            (answer(70_000, [.contentType: "text/event-stream"]), false),
            (answer(70_000, [.contentType: "application/json", .setCookie: "okaeri=x"]), false),
            (answer(70_000, [.contentType: "application/json", .contentEncoding: "gzip"]), false),
        ] {
            let same = try await applied(to: response)
            #expect(same.headers[.contentEncoding] == response.headers[.contentEncoding])
            #expect(same.body.contentLength == response.body.contentLength)
            #expect((same.headers[.vary] != nil) == varies)
        }
        let plain = try await applied(
            to: answer(70_000, [.contentType: "text/plain; version=1", .vary: "accept"]), accepting: nil)
        #expect(plain.headers[.vary] == "accept, accept-encoding" && plain.headers[.contentEncoding] == nil)
    }

    @Test func `a text in parts is the same text, packed or not`() async throws {
        let parts = (0..<2000).map { "part \($0 * $0)\n" }
        for codings in ["gzip", nil] {
            let text = try TextParts(for: request(accepting: codings))
            for part in parts { text.add(part) }
            let response = text.response(headers: [.contentType: "image/svg+xml"])
            #expect(response.headers[.contentEncoding] == codings && response.headers[.vary] == "accept-encoding")
            let content = Watched<[UInt8]>([])
            try await response.body.write(Writer(content: content))
            #expect(content.value.count == response.body.contentLength)
            guard codings != nil else {
                #expect(content.value == parts.flatMap { Array($0.utf8) })
                continue
            }
            #expect(try content.value.unpacked() == parts.flatMap { Array($0.utf8) })
        }
    }

    /// A list of so many elements, in parts of 64.
    private func list(_ count: Int) -> Response {
        .json { position in
            let start = position ?? 0
            let end = min(count, start + 64)
            return ((start..<end).map { "element \($0 * $0)" }, end < count ? end : nil)
        }
    }

    @Test(arguments: [0, 1, 64, 5000])
    func `a list in parts is the same list, packed or not`(count: Int) async throws {
        let contents = [Watched<[UInt8]>([]), Watched<[UInt8]>([])]
        for (codings, content) in zip(["gzip", nil], contents) {
            let response = try await applied(to: list(count), accepting: codings)
            #expect(response.headers[.contentEncoding] == codings && response.headers[.vary] == "accept-encoding")
            #expect(response.body.contentLength == nil)
            try await response.body.write(Writer(content: content))
        }
        #expect(try contents[0].value.unpacked() == contents[1].value)
        #expect(count < 64 || contents[0].value.count < contents[1].value.count / 2)
    }

    @Test func `lists that are not read pack in half of the memory of large answers, and further ones are not packed`()
        async throws
    {
        let memory = ResponseMemory(limit: 8 * Gzip.stateSize, returnMemory: {})
        var responses: [Response] = []
        for index in 0..<6 {
            responses.append(try await applied(to: list(100), in: memory))
            #expect((responses[index].headers[.contentEncoding] == "gzip") == (index < 4))
        }
        #expect(memory.held == 4 * Gzip.stateSize)
        #expect(throws: Never.self) { try memory.demandRoom() }
        let content = Watched<[UInt8]>([])
        try await responses.removeFirst().body.write(Writer(content: content))
        #expect(try content.value.unpacked().first == UInt8(ascii: "["))
        #expect(memory.held == 3 * Gzip.stateSize)
        #expect(try await applied(to: list(100), in: memory).headers[.contentEncoding] == "gzip")
        responses = []
        #expect(memory.held == 0)
    }

    private struct Writer: ResponseBodyWriter {
        let content: Watched<[UInt8]>

        mutating func write(_ buffer: ByteBuffer) async throws { content.change { $0 += buffer.readableBytesView } }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

extension [UInt8] {
    /// Returns what gzip has packed in these bytes, of at most a mebibyte.
    func unpacked() throws -> [UInt8] {
        var text = [UInt8](repeating: 0, count: 1 << 20)
        let gunzip = try Gunzip()
        let count = try withUnsafeBytes { packed in
            try text.withUnsafeMutableBytes { try gunzip.unpack(packed, into: $0).written }
        }
        #expect(gunzip.isComplete)
        return Array(text.prefix(count))
    }
}
