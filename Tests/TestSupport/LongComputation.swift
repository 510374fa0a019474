import Dispatch
package import Testing

/// A test computes for seconds without a pause. It does so on a thread of its own: otherwise those that wait with a limit wait for it.
package struct LongComputation: TestTrait, SuiteTrait, TestScoping {
    private final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "okaeri.test.computation")

        func enqueue(_ job: consuming ExecutorJob) {
            let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
            queue.async { job.runSynchronously(on: executor) }
        }
    }

    private static let executor = Executor()

    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
    }
}

extension Trait where Self == LongComputation {
    package static var computes: Self { Self() }
}
