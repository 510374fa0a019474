package import COkaeriGIO

package enum BusError: GLibFailure, Hashable, CustomStringConvertible {
    /// The called name has no owner, or its owner went away without an answer.
    case noOwner

    /// There was no answer in time.
    case timedOut

    /// There is no bus, or it has closed the connection.
    case disconnected(String)

    /// The caller has stopped waiting.
    case cancelled

    /// The callee returned an error: its name, as `org.bluez.Error.NotReady`, and its message.
    case refused(name: String, message: String)

    /// The arguments or the answer are not what D-Bus allows.
    case unreadable

    package init(consuming error: UnsafeMutablePointer<GError>?) {
        guard let error else {
            self = .unreadable
            return
        }
        defer { g_error_free(error) }
        let remote = g_dbus_error_get_remote_error(error)
        defer { g_free(remote) }
        g_dbus_error_strip_remote_error(error)
        let message = error.pointee.message.map { String(cString: $0) } ?? "no reason given"
        if let kind = Self.kind(error, message) {
            self = kind
        } else if let remote {
            self = .refused(name: String(cString: remote), message: message)
        } else {
            self = .disconnected(message)
        }
    }

    private static func kind(_ error: UnsafeMutablePointer<GError>, _ message: String) -> BusError? {
        func isIO(_ code: GIOErrorEnum) -> Bool { g_error_matches(error, g_io_error_quark(), gint(code.rawValue)) != 0 }
        func isBus(_ code: GDBusError) -> Bool {
            g_error_matches(error, g_dbus_error_quark(), gint(code.rawValue)) != 0
        }
        if isIO(G_IO_ERROR_CANCELLED) { return .cancelled }
        if isIO(G_IO_ERROR_TIMED_OUT) || isBus(G_DBUS_ERROR_TIMEOUT) || isBus(G_DBUS_ERROR_TIMED_OUT) {
            return .timedOut
        }
        if okaeri_is_missing_owner(error) != 0 || isBus(G_DBUS_ERROR_NO_REPLY) { return .noOwner }
        return isBus(G_DBUS_ERROR_DISCONNECTED) ? .disconnected(message) : nil
    }

    package var description: String {
        switch self {
        case .noOwner: "no program owns that name on the bus"
        case .timedOut: "there was no answer in time"
        case .disconnected(let why): "there is no bus: \(why)"
        case .cancelled: "the call was cancelled"
        case .refused(let name, let message): "\(message) (\(name))"
        case .unreadable: "the message is not valid in D-Bus"
        }
    }
}
