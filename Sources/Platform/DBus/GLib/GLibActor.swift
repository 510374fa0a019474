package import COkaeriGIO

package protocol GLibFailure: Error {
    /// Reads the error and frees it; nil when there is none.
    init(consuming error: UnsafeMutablePointer<GError>?)

    /// The stop, or no memory left.
    static var cancelled: Self { get }
}

/// An actor whose work is done on the thread that iterates a GLib context.
package protocol GLibActor: Actor {
    associatedtype Failure: GLibFailure

    var context: GLibContext { get }

    var changes: Changes { get }

    /// The objects that cancel the calls under way.
    var cancellables: [UInt64: GObjectReference] { get set }
}

/// The most that fits into a timer of GLib, roundly.
private let longestTimer = Duration.seconds(24 * 3600)

/// GIO's way to call and to wait, as `async` functions. Every one ends: by its result, its time limit or the stop.
extension GLibActor {
    /// Starts a GIO call and returns the result of its `finish` function.
    ///
    /// - Parameters:
    ///   - limit: after which the call is cancelled.
    ///   - endsWithService: whether the stop of the service cancels it too.
    ///   - start: calls the `_async` function.
    ///   - finish: calls the `_finish` function with the source object and the result; nil if there is an error.
    package func call<Value: Sendable>(
        within limit: Duration, endsWithService: Bool = true,
        _ start: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, gpointer?) -> Void,
        finish: @escaping PendingCall<Value, Failure>.Finish
    ) async -> Result<Value, Failure> {
        guard let cancellable = g_cancellable_new(), let held = GObjectReference(taking: OpaquePointer(cancellable))
        else { return .failure(.cancelled) }
        let ticket = changes.ticket()
        if endsWithService { cancellables[ticket] = held }
        defer { withExtendedLifetime(held) {} }
        let timer = startTimer(limit, data: g_object_ref(cancellable), cancelCall, release: g_object_unref)
        defer {
            stopTimer(timer)
            cancellables[ticket] = nil
        }
        return await withCheckedContinuation { continuation in
            let pending = PendingCall(continuation, finish)
            start(cancellable, callFinished, Unmanaged<AnyPendingCall>.passRetained(pending).toOpaque())
        }
    }

    /// Cancels the calls under way that end with the service.
    package func cancelCalls() {
        for cancellable in cancellables.values {
            g_cancellable_cancel(UnsafeMutablePointer(cancellable.pointer))
        }
    }

    package func change(past seen: UInt64, until deadline: ContinuousClock.Instant?) async {
        let ticket = changes.ticket()
        let timer = deadline.map { deadline in
            let data = CallbackData((changes, ticket)).retained
            return startTimer(
                ContinuousClock.now.duration(to: deadline), data: data, giveUpWait, release: releaseObject)
        }
        await changes.wait(past: seen, ticket: ticket)
        if let timer { stopTimer(timer) }
    }

    /// Waits until something is so, looking after each change.
    package func wait(until deadline: ContinuousClock.Instant, _ isSo: () -> Bool) async {
        while true {
            let seen = changes.count
            if isSo() || .now >= deadline { return }
            await change(past: seen, until: deadline)
        }
    }

    private func startTimer(
        _ duration: Duration, data: gpointer?, _ callback: GSourceFunc?, release: GDestroyNotify?
    ) -> UnsafeMutablePointer<GSource>? {
        let (seconds, attoseconds) = min(max(duration, .zero), longestTimer).components
        // One more, so that the deadline is past when the timer has fired.
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        return okaeri_context_after(context.pointer, guint(clamping: milliseconds), callback, data, release)
    }

    private func stopTimer(_ timer: UnsafeMutablePointer<GSource>?) {
        g_source_destroy(timer)
        g_source_unref(timer)
    }
}

private func cancelCall(data: gpointer?) -> gboolean {
    g_cancellable_cancel(data?.assumingMemoryBound(to: GCancellable.self))
    return 0
}

private func giveUpWait(data: gpointer?) -> gboolean {
    guard let data else { return 0 }
    let (changes, ticket) = CallbackData<(Changes, UInt64)>.value(data)
    changes.giveUp(ticket)
    return 0
}
