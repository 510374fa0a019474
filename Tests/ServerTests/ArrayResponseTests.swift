import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import OkaeriServer

/// Answers that are one long array.
@Suite struct ArrayResponseTests {
    private let count = Count()

    @Test func `an array is fetched and encoded piece by piece, each when the one before it was taken`() async throws {
        let taken = Taken(count)
        let response = Response.json { [count] (last: Int?) in
            let numbers = (last.map { $0 + 1 } ?? 0)..<2048
            let elements = numbers.prefix(64).map { Element(number: $0, count: count) }
            return (elements, elements.last?.number)
        }
        try await response.body.write(Writer(taken: taken))
        let pieces = taken.pieces
        #expect(pieces.map(\.encoded) == (1...32).map { $0 * 64 } + [2048])
        let texts = (0..<2048).map { "{\"number\":\($0),\"text\":\"\(Element.text)\"}" }
        #expect(pieces.map(\.text).joined() == "[\(texts.joined(separator: ","))]\n")
    }

    @Test func `an array without elements is an empty one`() async throws {
        let taken = Taken(count)
        let response = Response.json { (_: Int?) in ([Element](), nil) }
        try await response.body.write(Writer(taken: taken))
        #expect(taken.pieces.map(\.text) == ["[]\n"])
    }

    /// The number of encoded elements.
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private struct Element: Encodable, Sendable {
        static let text = String(repeating: "x", count: 200)

        let number: Int
        let count: Count

        func encode(to encoder: any Encoder) throws {
            count.value.wrappingAdd(1, ordering: .relaxed)
            var members = encoder.container(keyedBy: Key.self)
            try members.encode(Self.text, forKey: .text)
            try members.encode(number, forKey: .number)
        }

        enum Key: CodingKey { case number, text }
    }

    private final class Taken: Sendable {
        private let state = Mutex<[(text: String, encoded: Int)]>([])
        private let count: Count

        init(_ count: Count) { self.count = count }

        var pieces: [(text: String, encoded: Int)] { state.withLock { $0 } }

        func take(_ buffer: ByteBuffer) {
            state.withLock { $0.append((String(buffer: buffer), count.value.load(ordering: .relaxed))) }
        }
    }

    private struct Writer: ResponseBodyWriter {
        let taken: Taken

        mutating func write(_ buffer: ByteBuffer) async throws { taken.take(buffer) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
