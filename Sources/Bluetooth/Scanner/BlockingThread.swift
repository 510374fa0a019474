import Glibc

/// A thread for what blocks: those that tasks run on are few.
enum BlockingThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a thread that ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) throws(KernelError) {
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
            throw KernelError(.startThread, code: code)
        }
        pthread_detach(thread)
    }
}
