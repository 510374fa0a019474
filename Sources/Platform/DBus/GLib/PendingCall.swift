package import CGIO

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
