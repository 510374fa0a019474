package import CGIO

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
