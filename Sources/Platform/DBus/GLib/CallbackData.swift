package import CGIO

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
