import CGIO
import GLib

/// A subscription to a signal; it ends with the object.
final class SignalSubscription {
    private let bus: GObjectReference
    private let id: guint

    /// - Parameter argument: what the first argument must be; nil for anything.
    init(
        _ bus: GObjectReference, sender: String, interface: String, signal: String, argument: String? = nil,
        into inbox: SignalInbox
    ) {
        self.bus = bus
        id = g_dbus_connection_signal_subscribe(
            bus.pointer, sender, interface, signal, nil, argument, G_DBUS_SIGNAL_FLAGS_NONE, signalReceived,
            Unmanaged.passRetained(inbox).toOpaque(), releaseInbox)
    }

    deinit {
        g_dbus_connection_signal_unsubscribe(bus.pointer, id)
    }
}

private func signalReceived(
    _: OpaquePointer?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    name: UnsafePointer<CChar>?, arguments: OpaquePointer?, data: gpointer?
) {
    guard let data, let name, let arguments else { return }
    Unmanaged<SignalInbox>.fromOpaque(data).takeUnretainedValue().received(String(cString: name), arguments)
}

private func releaseInbox(data: gpointer?) {
    guard let data else { return }
    Unmanaged<SignalInbox>.fromOpaque(data).release()
}
