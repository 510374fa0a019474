import CGIO

/// Signals that are handled one after another as they come, on the bus's own thread: nothing is kept in between,
/// however many there are. It ends with the object, which is to go before the bus is closed.
package final class SignalObservation: Sendable {
    private let connection: GObjectReference
    private let id: guint

    /// To be called on the thread that is to hear the signals.
    init(
        _ connection: GObjectReference, sender: String, interface: String?, member: String?,
        _ handler: @escaping @Sendable (BusSignal) -> Void
    ) {
        self.connection = connection
        id = g_dbus_connection_signal_subscribe(
            connection.pointer, sender, interface, member, nil, nil, .noFlags, signalObserved,
            Unmanaged.passRetained(SignalHandling(handler)).toOpaque(), releaseHandling)
    }

    deinit {
        g_dbus_connection_signal_unsubscribe(connection.pointer, id)
    }
}

private final class SignalHandling {
    let handler: @Sendable (BusSignal) -> Void

    init(_ handler: @escaping @Sendable (BusSignal) -> Void) {
        self.handler = handler
    }
}

private func signalObserved(
    _: OpaquePointer?, sender: UnsafePointer<CChar>?, path: UnsafePointer<CChar>?, interface: UnsafePointer<CChar>?,
    member: UnsafePointer<CChar>?, arguments: OpaquePointer?, data: gpointer?
) {
    guard let data, let signal = BusSignal(sender, path, interface, member, arguments) else { return }
    Unmanaged<SignalHandling>.fromOpaque(data).takeUnretainedValue().handler(signal)
}

private func releaseHandling(data: gpointer?) {
    guard let data else { return }
    Unmanaged<SignalHandling>.fromOpaque(data).release()
}
