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

/// Lets one thread wait for another's signal; signals without a waiting thread count once.
///
/// Sendable: what changes is `isSignalled`, under the mutex; the pointers never do.
@safe
package final class BinarySemaphore: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignalled = false

    package init() {
        // Safe: both point to memory of their own, which no other thread has yet; none of these calls fails on Linux.
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // The wall's clock may be set.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        // Safe: no reference is left, so no thread waits.
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// From any thread. It never waits for long.
    package func signal() {
        unsafe pthread_mutex_lock(mutex)
        isSignalled = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits for a signal, and takes it. For one thread, which it blocks.
    ///
    /// - Parameter deadline: The longest time to wait; `nil` and a century: for ever. Suspend may come on top.
    /// - Returns: whether there was a signal before the time was up.
    @discardableResult
    package func wait(until deadline: ContinuousClock.Instant? = nil) -> Bool {
        var due: timespec?
        if let deadline {
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline)).clampedNanoseconds
            let end = KernelClock.monotonic.addingClamped(rest)
            due = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        }
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !isSignalled {
            if var due {
                guard unsafe pthread_cond_timedwait(condition, mutex, &due) == 0 else { break }
            } else {
                unsafe pthread_cond_wait(condition, mutex)
            }
        }
        defer { isSignalled = false }
        return isSignalled
    }
}
