import CGIO
import GLib

/// Why a call on the session bus came to nothing.
enum NotificationFailure: GLibFailure, Equatable {
    /// Nobody has the name that was called.
    case nobody

    /// The time was up, or the agent stops.
    case cancelled

    /// The bus or the server says no, in its words.
    case refused(String)

    init(consuming error: UnsafeMutablePointer<GError>?) {
        guard let error else {
            self = .refused("the answer is not what it should be")
            return
        }
        defer { g_error_free(error) }
        if g_error_matches(error, g_io_error_quark(), gint(G_IO_ERROR_CANCELLED.rawValue)) != 0 {
            self = .cancelled
        } else if okaeri_is_nobody(error) != 0 {
            self = .nobody
        } else {
            g_dbus_error_strip_remote_error(error)
            self = .refused(error.pointee.message.map { String(cString: $0) } ?? "no reason given")
        }
    }
}
