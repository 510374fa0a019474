import CGIO

/// A GLib main context that one thread iterates, as the executor of an actor for libnm's objects.
///
/// Sendable: the context never changes, and GLib declares the functions called on it safe from any thread.
package final class GLibContext: SerialExecutor, @unchecked Sendable {
    package let pointer: OpaquePointer

    package init() {
        pointer = g_main_context_new()
    }

    deinit {
        g_main_context_unref(pointer)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        // Always through the queue, also on the context's own thread: the actor's jobs must not run inside one another.
        okaeri_context_post(pointer, runPostedJob, CallbackData((UnownedJob(job), self)).retained)
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Runs what is posted, on the calling thread, until `isDone` returns true after a piece of work.
    package func iterate(until isDone: () -> Bool) {
        // GIO's calls answer to the context that is the thread's default when they start.
        g_main_context_push_thread_default(pointer)
        defer { g_main_context_pop_thread_default(pointer) }
        while !isDone() { g_main_context_iteration(pointer, 1) }
        while g_main_context_iteration(pointer, 0) != 0 {}
    }

    /// Ends a wait in ``iterate(until:)``, so that it looks again.
    package func wakeUp() {
        g_main_context_wakeup(pointer)
    }
}

// A function and not a closure: a closure would take over the isolation of where it is written, and trap here.
private func runPostedJob(_ data: gpointer?) -> gboolean {
    guard let data else { return 0 }
    let (job, executor) = CallbackData<(UnownedJob, GLibContext)>.take(data)
    job.runSynchronously(on: executor.asUnownedSerialExecutor())
    return 0
}
