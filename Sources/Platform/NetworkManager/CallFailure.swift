import COkaeriGIO
import COkaeriNetworkManager
import OkaeriDBus

/// The reason why a call to NetworkManager failed.
enum CallFailure: GLibFailure {
    /// For want of a right.
    case denied

    /// NetworkManager or the bus went away.
    case gone

    /// The time was up, or the service stops.
    case cancelled

    /// It succeeded, and what it made was gone before it could be seen.
    case vanished

    /// NetworkManager returned an error, with its message.
    case refused(String)

    /// Reads the error and frees it.
    init(consuming error: UnsafeMutablePointer<GError>?) {
        guard let error else {
            self = .vanished
            return
        }
        defer { g_error_free(error) }
        if g_error_matches(error, g_io_error_quark(), gint(G_IO_ERROR_CANCELLED.rawValue)) != 0 {
            self = .cancelled
        } else if okaeri_is_denied(error) != 0 {
            self = .denied
        } else if okaeri_is_gone(error) != 0 {
            self = .gone
        } else if g_error_matches(
            error, nm_client_error_quark(), gint(NM_CLIENT_ERROR_OBJECT_CREATION_FAILED.rawValue)) != 0
        {
            self = .vanished
        } else {
            g_dbus_error_strip_remote_error(error)
            self = .refused(error.pointee.message.map { String(cString: $0) } ?? "no reason given")
        }
    }

    /// Whether NetworkManager may have done what was asked all the same.
    var isUncertain: Bool {
        switch self {
        case .gone, .cancelled, .vanished: true
        case .denied, .refused: false
        }
    }
}
