import CNetworkManager

/// GIO's way to call and to wait, as `async` functions. Every one ends: by its result, its time limit or the stop.
extension NetworkManagerSession {
    /// The most that fits into a timer of GLib, roundly.
    private static let longestTimer = Duration.seconds(24 * 3600)

    /// Starts a GIO call and hands out what its `finish` function makes of it.
    ///
    /// - Parameters:
    ///   - limit: after which the call is cancelled.
    ///   - endsWithService: whether the stop of the service cancels it too.
    ///   - start: calls the `_async` function.
    ///   - finish: calls the `_finish` function with the source object and the result; nil if there is an error.
    func call<Value: Sendable>(
        within limit: Duration, endsWithService: Bool = true,
        _ start: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, gpointer?) -> Void,
        finish: @escaping PendingCall<Value>.Finish
    ) async -> Result<Value, CallFailure> {
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
    func cancelCalls() {
        for cancellable in cancellables.values {
            g_cancellable_cancel(UnsafeMutablePointer(cancellable.pointer))
        }
    }

    /// Waits for more changes than `seen`, or for the deadline.
    func change(past seen: UInt64, until deadline: ContinuousClock.Instant?) async {
        let ticket = changes.ticket()
        let timer = deadline.map { deadline in
            let data = Unmanaged.passRetained(GivenUp(changes: changes, ticket: ticket)).toOpaque()
            return startTimer(
                ContinuousClock.now.duration(to: deadline), data: data, giveUpWait, release: releaseGivenUp)
        }
        await changes.wait(past: seen, ticket: ticket)
        if let timer { stopTimer(timer) }
    }

    /// Waits until something is so, looking after each change.
    func wait(until deadline: ContinuousClock.Instant, _ isSo: () -> Bool) async {
        while true {
            let seen = changes.count
            if isSo() || .now >= deadline { return }
            await change(past: seen, until: deadline)
        }
    }

    private func startTimer(
        _ duration: Duration, data: gpointer?, _ callback: GSourceFunc?, release: GDestroyNotify?
    ) -> UnsafeMutablePointer<GSource>? {
        let (seconds, attoseconds) = min(max(duration, .zero), Self.longestTimer).components
        // One more, so that the deadline is past when the timer has fired.
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        return okaeri_context_after(context.pointer, guint(clamping: milliseconds), callback, data, release)
    }

    private func stopTimer(_ timer: UnsafeMutablePointer<GSource>?) {
        g_source_destroy(timer)
        g_source_unref(timer)
    }
}

/// A call that GIO holds on to until it is finished.
class AnyPendingCall {
    func complete(_: OpaquePointer?, _: OpaquePointer?) {}
}

final class PendingCall<Value: Sendable>: AnyPendingCall {
    typealias Finish =
        @Sendable (
            _ source: OpaquePointer?, _ result: OpaquePointer?,
            _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>
        ) -> Value?

    private let continuation: CheckedContinuation<Result<Value, CallFailure>, Never>
    private let finish: Finish

    init(_ continuation: CheckedContinuation<Result<Value, CallFailure>, Never>, _ finish: @escaping Finish) {
        self.continuation = continuation
        self.finish = finish
    }

    override func complete(_ source: OpaquePointer?, _ result: OpaquePointer?) {
        var error: UnsafeMutablePointer<GError>?
        if let value = finish(source, result, &error) {
            g_clear_error(&error)
            continuation.resume(returning: .success(value))
        } else {
            continuation.resume(returning: .failure(CallFailure(consuming: error)))
        }
    }
}

private final class GivenUp {
    let changes: Changes
    let ticket: UInt64

    init(changes: Changes, ticket: UInt64) {
        self.changes = changes
        self.ticket = ticket
    }
}

private func callFinished(source: UnsafeMutablePointer<GObject>?, result: OpaquePointer?, data: gpointer?) {
    guard let data else { return }
    Unmanaged<AnyPendingCall>.fromOpaque(data).takeRetainedValue().complete(source.map { OpaquePointer($0) }, result)
}

private func cancelCall(data: gpointer?) -> gboolean {
    g_cancellable_cancel(data?.assumingMemoryBound(to: GCancellable.self))
    return 0
}

private func giveUpWait(data: gpointer?) -> gboolean {
    guard let data else { return 0 }
    let wait = Unmanaged<GivenUp>.fromOpaque(data).takeUnretainedValue()
    wait.changes.giveUp(wait.ticket)
    return 0
}

private func releaseGivenUp(data: gpointer?) {
    guard let data else { return }
    Unmanaged<GivenUp>.fromOpaque(data).release()
}
