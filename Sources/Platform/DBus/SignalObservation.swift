import CGIO

/// Signals that are handled one after another as they come, on the bus's own thread: nothing is kept in between,
/// however many there are. It ends with the object, which is to go before the bus is closed.
package final class SignalObservation: Sendable {
    private let connection: GObjectReference
    private let id: guint

    /// To be called on the thread that is to hear the signals.
    ///
    /// - Parameter match: a valid one.
    init(_ connection: GObjectReference, _ match: SignalMatch, _ handler: @escaping @Sendable (BusSignal) -> Void) {
        self.connection = connection
        id = g_dbus_connection_signal_subscribe(
            connection.pointer, match.sender, match.interface, match.member, match.path, match.argument0, .noFlags,
            signalObserved, CallbackData(handler).retained, releaseObject)
    }

    deinit {
        g_dbus_connection_signal_unsubscribe(connection.pointer, id)
    }
}

private func signalObserved(
    _: OpaquePointer?, sender: UnsafePointer<CChar>?, path: UnsafePointer<CChar>?, interface: UnsafePointer<CChar>?,
    member: UnsafePointer<CChar>?, arguments: OpaquePointer?, data: gpointer?
) {
    guard let data, let signal = BusSignal(sender, path, interface, member, arguments) else { return }
    CallbackData<@Sendable (BusSignal) -> Void>.value(data)(signal)
}

extension BusSignal {
    /// Reads the arguments of GDBus's callback; `nil` if one is missing.
    fileprivate init?(
        _ sender: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
        _ member: UnsafePointer<CChar>?, _ arguments: OpaquePointer?
    ) {
        guard let path, let interface, let member, let arguments, case .structure(let values) = DBusValue(arguments)
        else { return nil }
        self.init(
            sender: sender.map { String(cString: $0) } ?? "", path: String(cString: path),
            interface: String(cString: interface), member: String(cString: member), arguments: values)
    }
}
