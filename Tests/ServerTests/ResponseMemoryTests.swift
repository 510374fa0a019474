import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriServer

/// The answers that are in memory until their clients have read them.
@Suite(.timeLimit(.minutes(5))) struct ResponseMemoryTests {
    private func answer(_ length: Int) -> Response {
        Response.text(String(repeating: "x", count: length), headers: [:])
    }

    @Test func `Large answers that are not read are bounded over all listeners, and a further one is refused`()
        async throws
    {
        let memory = ResponseMemory(limit: 100_000, returnMemory: {})
        let listeners = [Connections(memory: memory), Connections(memory: memory)]
        var waiting = try listeners.map { try $0.memory.holding(answer(50_000)) }
        #expect(memory.held == 100_000)
        let refusal = #expect(throws: PageFailure.self) { try memory.holding(answer(20_000)) }
        #expect(refusal?.status == .serviceUnavailable && refusal?.retryAfter == ResponseMemory.retryAfter)
        #expect(try memory.holding(answer(PieceWriter.size)).body.contentLength == PieceWriter.size)

        let taken = Watched(0)
        try await waiting.removeLast().body.write(Writer(taken: taken))
        #expect(taken.value == 50_000 && memory.held == 50_000)
        waiting = [waiting[0].createHeadResponse()]
        #expect(memory.held == 0)
    }

    @Test func `A single answer may be larger than the limit while no other one waits`() throws {
        let memory = ResponseMemory(limit: 100_000, returnMemory: {})
        let large = try memory.holding(answer(300_000))
        #expect(memory.held == 300_000)
        #expect(throws: PageFailure.self) { try memory.holding(answer(ResponseMemory.large)) }
        #expect(throws: PageFailure.self) { try memory.demandRoom() }
        withExtendedLifetime(large) {}
    }

    @Test func `Large answers that are not read refuse no smaller one`() throws {
        let memory = ResponseMemory(limit: 600_000, returnMemory: {})
        let large = try (0..<2).map { _ in try memory.holding(answer(300_000)) }
        #expect(throws: PageFailure.self) { try memory.holding(answer(300_000)) }
        let other = try memory.holding(answer(200_000))
        #expect(memory.held == 800_000)
        withExtendedLifetime((large, other)) {}
    }

    @Test func `Memory is returned to the system once after large answers`() async throws {
        let returns = Watched(0)
        let memory = ResponseMemory(limit: 4 << 20, returnMemory: { returns.change { $0 += 1 } })
        for _ in 0..<8 { _ = try memory.holding(answer(1 << 20)) }
        try await returns.wait(until: "memory is returned") { $0 > 0 }
        #expect(returns.value == 1 && memory.held == 0)
    }

    private struct Writer: ResponseBodyWriter {
        let taken: Watched<Int>

        mutating func write(_ buffer: ByteBuffer) async throws { taken.change { $0 += buffer.readableBytes } }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
