import Glibc

/// A thread for what blocks: those that tasks run on are few, on a machine with one core there is one.
package enum BlockingThread {
    package struct StartError: Error, Hashable, CustomStringConvertible {
        /// The result of `pthread_create`, mostly `EAGAIN`.
        package let code: Int32

        package init(code: Int32) {
            self.code = code
        }

        package var description: String {
            "no thread can be started: error \(code); too many run, so raise the limit of this process (`ulimit -u`)"
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    package static func start(_ body: @escaping @Sendable () -> Void) throws(StartError) {
        try start(StartError.init, body)
    }

    /// Runs `body` on a thread of its own, which ends with it.
    ///
    /// - Parameter failure: makes the error of what `pthread_create` returned.
    package static func start<Failure>(
        _ failure: (_ code: Int32) -> Failure, _ body: @escaping @Sendable () -> Void
    ) throws(Failure) {
        let work = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        // Safe: the thread takes over the one reference that was made for it.
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            unsafe work.release()
            throw failure(code)
        }
        pthread_detach(thread)
    }

    /// Runs `body` on a thread of its own, and waits for it without blocking a thread of the tasks'.
    ///
    /// A task that is cancelled goes on waiting: the owner of the body has to end it.
    ///
    /// - Parameter failure: makes the error of what `pthread_create` returned.
    package static func run<Value: Sendable, Failure>(
        _ failure: (_ code: Int32) -> Failure, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, Failure>, Never>) in
            do throws(Failure) {
                try start(failure) { done.resume(returning: Result(catching: body)) }
            } catch {
                done.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}
