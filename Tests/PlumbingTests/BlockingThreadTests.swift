import Dispatch
import Plumbing
import Testing

@Suite struct BlockingThreadTests {
    private struct Refusal: Error, Equatable {
        var code: Int32
    }

    @Test func itGivesWhatTheBodyReturns() async throws {
        let sum = try await BlockingThread.run({ Refusal(code: $0) }) { () throws(Refusal) in 20 + 22 }
        #expect(sum == 42)
    }

    @Test func itThrowsWhatTheBodyThrows() async {
        await #expect(throws: Refusal(code: 7)) {
            try await BlockingThread.run({ Refusal(code: $0) }) { () throws(Refusal) in throw Refusal(code: 7) }
        }
    }

    /// A pool would run out of threads, and the last body, which lets all others go on, would never begin.
    @Test func eachBlockedBodyHasAThreadOfItsOwn() async throws {
        let count = 128
        let (gate, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<count {
            try BlockingThread.start {
                gate.wait()
                gone.signal()
            }
        }
        try await BlockingThread.run(BlockingThread.StartError.init) { () throws(BlockingThread.StartError) in
            for _ in 0..<count { gate.signal() }
            for _ in 0..<count { gone.wait() }
        }
    }

    /// The stream ends when the thread lets go of the body: else never.
    @Test(.timeLimit(.minutes(5))) func theBodyIsReleasedWithTheThread() async throws {
        final class Held: Sendable {
            let ended: AsyncStream<Never>.Continuation
            init(_ ended: AsyncStream<Never>.Continuation) { self.ended = ended }
            deinit { ended.finish() }
        }
        func start(_ held: Held) throws {
            try BlockingThread.start { withExtendedLifetime(held) {} }
        }
        let (over, ended) = AsyncStream.makeStream(of: Never.self)
        try start(Held(ended))
        for await _ in over {}
        try Task.checkCancellation()
    }
}
