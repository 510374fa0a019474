import Dispatch
package import Testing

/// A test that occupies its thread for seconds has a thread of its own: those that wait with a limit would wait for it otherwise.
package struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    fileprivate final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "okaeri.test.thread")

        func enqueue(_ job: consuming ExecutorJob) {
            let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
            queue.async { job.runSynchronously(on: executor) }
        }
    }

    private static let computing = Executor()

    /// Whether one thread is for all of them.
    fileprivate let isShared: Bool
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(isShared ? Self.computing : Executor()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// A test computes without a pause. Such tests share one thread: a processor is left for the others.
    package static var computes: Self { Self(isShared: true) }

    /// A test blocks its thread, such as one that reads the output of a program to its end.
    package static var blocks: Self { Self(isShared: false) }
}
