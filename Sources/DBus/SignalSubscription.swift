import CGIO
import GLib

/// A subscription to signals; it ends with the object.
final class SignalSubscription {
    private let connection: GObjectReference
    private let id: guint
    private let continuation: AsyncStream<BusSignal>.Continuation

    init(
        _ connection: GObjectReference, _ wanted: BusSession.Wanted, _ continuation: AsyncStream<BusSignal>.Continuation
    ) {
        self.connection = connection
        self.continuation = continuation
        id = g_dbus_connection_signal_subscribe(
            connection.pointer, wanted.sender, wanted.interface, wanted.member, wanted.path, nil,
            G_DBUS_SIGNAL_FLAGS_NONE, signalReceived, Unmanaged.passRetained(Listener(continuation)).toOpaque(),
            releaseListener)
    }

    /// Tells the listener that no more comes.
    func finish() { continuation.finish() }

    deinit {
        g_dbus_connection_signal_unsubscribe(connection.pointer, id)
    }
}

private final class Listener {
    let continuation: AsyncStream<BusSignal>.Continuation

    init(_ continuation: AsyncStream<BusSignal>.Continuation) {
        self.continuation = continuation
    }
}

private func signalReceived(
    _: OpaquePointer?, sender: UnsafePointer<CChar>?, path: UnsafePointer<CChar>?, interface: UnsafePointer<CChar>?,
    member: UnsafePointer<CChar>?, arguments: OpaquePointer?, data: gpointer?
) {
    guard let data, let path, let interface, let member, let arguments,
        case .structure(let values) = DBusValue(arguments)
    else { return }
    let signal = BusSignal(
        sender: sender.map { String(cString: $0) } ?? "", path: String(cString: path),
        interface: String(cString: interface), member: String(cString: member), arguments: values)
    Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().continuation.yield(signal)
}

private func releaseListener(data: gpointer?) {
    guard let data else { return }
    Unmanaged<Listener>.fromOpaque(data).release()
}
