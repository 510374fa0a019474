package import COkaeriGIO
import Synchronization

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

/// A value for a callback of GLib, which takes one pointer.
final class CallbackData<Value> {
    private let value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// A pointer with a reference of its own, to be given back by ``releaseObject(data:)`` or ``take(_:)``.
    var retained: gpointer { Unmanaged.passRetained(self).toOpaque() }

    static func value(_ data: gpointer) -> Value {
        Unmanaged<CallbackData>.fromOpaque(data).takeUnretainedValue().value
    }

    /// Returns the value, and gives the reference back.
    static func take(_ data: gpointer) -> Value {
        Unmanaged<CallbackData>.fromOpaque(data).takeRetainedValue().value
    }
}

/// Releases an object that GLib held for a callback.
func releaseObject(data: gpointer?) {
    guard let data else { return }
    Unmanaged<AnyObject>.fromOpaque(data).release()
}

/// Releases an object that GLib held for a handler of a signal.
package func releaseObject(data: gpointer?, _: UnsafeMutablePointer<GClosure>?) {
    releaseObject(data: data)
}

/// One reference to a GObject, given back with it.
///
/// Sendable: counting references is atomic in GObject. What the pointer leads to is only touched by the one ``GLibActor``
/// that made it, on the thread of its context.
package final class GObjectReference: @unchecked Sendable {
    package let pointer: OpaquePointer

    /// Takes over a reference that a function has given ("transfer full").
    package init?(taking pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    /// Adds a reference to an object of another owner ("transfer none").
    package init(sharing pointer: OpaquePointer) {
        g_object_ref(gpointer(pointer))
        self.pointer = pointer
    }

    deinit {
        g_object_unref(gpointer(pointer))
    }
}

/// A connected signal; disconnected with it.
package final class SignalHandler {
    private let object: GObjectReference
    private let id: gulong

    package init(_ object: GObjectReference, _ id: gulong) {
        self.object = object
        self.id = id
    }

    deinit {
        g_signal_handler_disconnect(gpointer(object.pointer), id)
    }

    package static func notify(_ object: GObjectReference, _ changes: Changes) -> SignalHandler {
        let data = Unmanaged.passRetained(changes).toOpaque()
        return SignalHandler(object, okaeri_on_notify(gpointer(object.pointer), propertyChanged, data, releaseObject))
    }
}

private func propertyChanged(_: UnsafeMutablePointer<GObject>?, _: UnsafeMutablePointer<GParamSpec>?, data: gpointer?) {
    guard let data else { return }
    Unmanaged<Changes>.fromOpaque(data).takeUnretainedValue().notify()
}

/// A call that GIO holds on to until it is finished.
package class AnyPendingCall {
    func complete(_: OpaquePointer?, _: OpaquePointer?) {}
}

/// The same with a result, for the waiting task.
package final class PendingCall<Value: Sendable, Failure: GLibFailure>: AnyPendingCall {
    package typealias Finish =
        @Sendable (
            _ source: OpaquePointer?, _ result: OpaquePointer?,
            _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>
        ) -> Value?

    private let continuation: CheckedContinuation<Result<Value, Failure>, Never>
    private let finish: Finish

    init(_ continuation: CheckedContinuation<Result<Value, Failure>, Never>, _ finish: @escaping Finish) {
        self.continuation = continuation
        self.finish = finish
    }

    override func complete(_ source: OpaquePointer?, _ result: OpaquePointer?) {
        var error: UnsafeMutablePointer<GError>?
        if let value = finish(source, result, &error) {
            g_clear_error(&error)
            continuation.resume(returning: .success(value))
        } else {
            continuation.resume(returning: .failure(Failure(consuming: error)))
        }
    }
}

func callFinished(source: UnsafeMutablePointer<GObject>?, result: OpaquePointer?, data: gpointer?) {
    guard let data else { return }
    Unmanaged<AnyPendingCall>.fromOpaque(data).takeRetainedValue().complete(source.map { OpaquePointer($0) }, result)
}

/// Signals that something has changed, and a waiter checks what. Changes between two looks count as one.
package final class Changes: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextTicket: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of changes so far. Read it before looking, and wait for more than that.
    package var count: UInt64 { state.withLock { $0.count } }

    package func notify() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// A name for one wait, to be given up by.
    package func ticket() -> UInt64 {
        state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
    }

    /// Resumes when there were more than `seen` changes, or when the ticket is given up. It waits where the caller is
    /// isolated: what the caller's thread does later comes after the wait has begun.
    package func wait(past seen: UInt64, ticket: UInt64, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation(isolation: isolation) { continuation in
            let isOver = state.withLock { state in
                guard state.count <= seen else { return true }
                state.waiting[ticket] = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Ends one wait.
    package func giveUp(_ ticket: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
}

/// Set once, from any thread.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .acquiring) }

    package func set() { value.store(true, ordering: .releasing) }
}

/// Digests by GLib (g_compute_checksum_for_data).
package enum Checksum {
    /// SHA-256 (FIPS 180-4), 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        let checksum = g_checksum_new(G_CHECKSUM_SHA256)
        defer { g_checksum_free(checksum) }
        bytes.withUnsafeBufferPointer { g_checksum_update(checksum, $0.baseAddress, $0.count) }
        var digest = [UInt8](repeating: 0, count: 32)
        var length = gsize(digest.count)
        g_checksum_get_digest(checksum, &digest, &length)
        return digest
    }
}
