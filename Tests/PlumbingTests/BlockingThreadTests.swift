import Dispatch
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@Suite struct BlockingThreadTests {
    private struct Refusal: Error, Equatable {
        var code: Int32
    }

    @Test func `the result of the body is returned`() async throws {
        let sum = try await BlockingThread.run({ Refusal(code: $0) }) { () throws(Refusal) in 20 + 22 }
        #expect(sum == 42)
    }

    @Test func `the error of the body is thrown`() async {
        await #expect(throws: Refusal(code: 7)) {
            try await BlockingThread.run({ Refusal(code: $0) }) { () throws(Refusal) in throw Refusal(code: 7) }
        }
    }

    /// A pool would run out of threads, and the last body, which lets all others go on, would never begin.
    @Test func `each blocked body has a thread of its own`() async throws {
        let count = 128
        let (gate, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<count {
            try BlockingThread.start {
                gate.wait()
                gone.signal()
            }
        }
        let areGone = try await BlockingThread.run(BlockingThread.StartError.init) {
            () throws(BlockingThread.StartError) in
            for _ in 0..<count { gate.signal() }
            return (0..<count).allSatisfy { _ in gone.wait(timeout: .now() + 60) == .success }
        }
        #expect(areGone)
    }

    @Test(.timeLimit(.minutes(5))) func `the body is released with the thread`() async throws {
        final class Held: Sendable {
            let isReleased: Watched<Bool>
            init(_ isReleased: Watched<Bool>) { self.isReleased = isReleased }
            deinit { isReleased.change { $0 = true } }
        }
        func start(_ held: Held) throws {
            try BlockingThread.start { withExtendedLifetime(held) {} }
        }
        let isReleased = Watched(false)
        try start(Held(isReleased))
        try await isReleased.wait(until: "the body is released") { $0 }
        #expect(isReleased.value)
    }
}
