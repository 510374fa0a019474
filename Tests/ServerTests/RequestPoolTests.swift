import OkaeriEvents
import HTTPTypes
import OkaeriPlumbing
import Synchronization
import Testing

@testable import OkaeriServer

/// The threads of requests that wait for the disk.
@Suite(.timeLimit(.minutes(5))) struct RequestPoolTests {
    @Test func `A queue starts so many threads, has so many requests wait, and refuses further ones`() {
        var queue = RequestQueue<Int>(threads: 2, waiting: 2)
        #expect((1...5).map { queue.added($0) } == [.startThread, .startThread, .wait, .wait, .refuse])
        #expect(queue.jobEnded() == 3)
        #expect(queue.added(6) == .wait)
        #expect(queue.jobEnded() == 4)
        #expect(queue.jobEnded() == 6)
        #expect(queue.jobEnded() == nil)
        #expect(queue.added(7) == .startThread)
    }

    @Test func `Requests that wait for a thread that cannot be started are refused with it`() {
        var queue = RequestQueue<Int>(threads: 2, waiting: 2)
        #expect((1...3).map { queue.added($0) } == [.startThread, .startThread, .wait])
        #expect(queue.startFailed() == [], "the other thread takes what waits")
        #expect(queue.startFailed() == [3])
        #expect(queue.added(4) == .startThread)
    }

    @Test func `The result and the error of a request are returned`() async throws {
        let pool = RequestPool()
        #expect(try await pool.run { 42 } == 42)
        let failure = PageFailure(.notFound, LocalizedText("there is none"))
        await #expect(throws: failure) { try await pool.run { () throws(PageFailure) -> Int in throw failure } }
    }

    @Test func `A request beyond the limits is refused at once, and is to be sent again later`() async throws {
        let started = Mutex<[@Sendable () -> Void]>([])
        let pool = RequestPool(threads: 1, waiting: 1) { body in started.withLock { $0.append(body) } }
        try await withThrowingTaskGroup(of: Result<Int, PageFailure>.self) { group in
            for number in 1...3 {
                group.addTask {
                    do throws(PageFailure) {
                        return .success(try await pool.run { number })
                    } catch {
                        return .failure(error)
                    }
                }
            }
            // No thread runs yet, so that the only result is a refusal.
            let refused = try #require(try await group.next())
            #expect(throws: PageFailure.self) { try refused.get() }
            if case .failure(let failure) = refused {
                #expect(failure.status == .serviceUnavailable && failure.retryAfter == RequestPool.retryAfter)
            }
            let threads = started.withLock { $0 }
            #expect(threads.count == 1)
            for thread in threads { try BlockingThread.start(thread) }
            for try await result in group { #expect(throws: Never.self) { try result.get() } }
        }
    }

    @Test func `A request is refused where the machine has no thread left`() async {
        let pool = RequestPool(threads: 2, waiting: 2) { _ throws(BlockingThread.StartError) in
            throw BlockingThread.StartError(code: 11)
        }
        for _ in 0..<3 {
            do throws(PageFailure) {
                try await pool.run {}
                Issue.record("it ran without a thread")
            } catch {
                #expect(error.status == .serviceUnavailable && error.sentence.contains("no thread can be started"))
            }
        }
    }
}
