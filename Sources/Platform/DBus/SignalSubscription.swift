import CGIO

/// A subscription to signals; it ends with the object.
final class SignalSubscription {
    private let connection: GObjectReference
    private let id: guint
    private let continuation: AsyncStream<BusSignal>.Continuation

    /// - Parameters:
    ///   - match: a valid one.
    ///   - continuation: takes what is heard, on the context that is the thread's default here.
    init(_ connection: GObjectReference, _ match: SignalMatch, _ continuation: AsyncStream<BusSignal>.Continuation) {
        self.connection = connection
        self.continuation = continuation
        id = g_dbus_connection_signal_subscribe(
            connection.pointer, match.sender, match.interface, match.member, match.path, match.argument0,
            .noFlags, signalReceived, Unmanaged.passRetained(Listener(continuation)).toOpaque(),
            releaseListener)
    }

    /// Ends the stream of what is heard.
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
    guard let data, let signal = BusSignal(sender, path, interface, member, arguments) else { return }
    Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().continuation.yield(signal)
}

extension BusSignal {
    /// Reads the arguments of GDBus's callback; `nil` if one is missing.
    init?(
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

private func releaseListener(data: gpointer?) {
    guard let data else { return }
    Unmanaged<Listener>.fromOpaque(data).release()
}
