import Plumbing
import Testing

@testable import DBus

/// The contexts as executors of actors that end while others still post to them.
@Suite(.timeLimit(.minutes(2))) struct GLibContextTests {
    private actor Worker {
        private let context: GLibContext
        private let ended: Flag

        init(_ context: GLibContext, _ ended: Flag) {
            self.context = context
            self.ended = ended
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { context.asUnownedSerialExecutor() }

        /// Ends the context's thread, which may free the context before the thread that posted this job continues.
        func end() -> Bool {
            ended.set()
            return true
        }
    }

    private static func run() async throws -> Bool {
        let ended = Flag()
        let worker: Worker
        do {
            let context = GLibContext()
            worker = Worker(context, ended)
            try BlockingThread.start { context.iterate(until: { ended.isSet }) }
        }
        return await worker.end()
    }

    /// GLib locks a context in `g_source_unref` without a reference to it: a context that was freed meanwhile corrupted the heap, in
    /// about one of 100,000 rounds on two busy cores.
    @Test func `a context lives until the thread that posts to it has finished`() async throws {
        let count = try await withThrowingTaskGroup(of: Int.self) { lanes in
            for _ in 0..<8 {
                lanes.addTask {
                    var count = 0
                    for _ in 0..<4000 where try await Self.run() { count += 1 }
                    return count
                }
            }
            return try await lanes.reduce(0, +)
        }
        #expect(count == 32_000)
    }
}
