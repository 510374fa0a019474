/// The reason for refusing a request of a central (Core Specification, Vol 3, Part F, 3.4.1.1).
///
/// bluetoothd makes the error code from the name of a D-Bus error (`dbus_error_to_att_ecode` in its `gatt-database.c`), and has names for
/// the codes of ``Code`` only. A program cannot send another one: bluetoothd itself sends 0x01, 0x04, 0x05, 0x09, 0x0A, 0x0C and 0x0F to
/// 0x12 where they apply; 0x0B, 0x13, 0xE0 to 0xFC and 0xFF have no name.
public struct ATTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error that the central receives (Core Specification, Vol 3, Part F, 3.4.1.1; Core Specification Supplement, Part B).
    public enum Code: Sendable, Hashable {
        /// 0x02 (read not permitted) for a read, 0x03 (write not permitted) for a write.
        case notPermitted
        /// 0x06: the server does not support the request.
        case requestNotSupported
        /// 0x07: the value ends before the offset.
        case invalidOffset
        /// 0x08: this central may not do it, although the link is encrypted.
        case insufficientAuthorization
        /// 0x0D: the value is too long or too short.
        case invalidAttributeValueLength
        /// 0x0E: the request failed for an unlikely reason.
        case unlikelyError
        /// An error that the service defines, 0x80 to 0x9F. BlueZ before 5.66 sends 0x80 for each of them. A code outside of this range
        /// reaches the central as 0x0E.
        case application(UInt8 = 0x80)
        /// 0xFD: the client characteristic configuration is not as the request needs it. BlueZ before 5.76 sends 0x0E.
        case improperlyConfigured
        /// 0xFE: an earlier request of the central is still under way.
        case procedureAlreadyInProgress
    }

    /// The error that the central receives.
    public var code: Code

    /// The reason for the log of this machine. A central receives the code alone.
    public var reason: String

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - code: The error that the central receives.
    ///   - reason: The reason for the log of this machine.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The ``reason``.
    public var description: String { reason }

    /// The name of the D-Bus error from which bluetoothd makes the code.
    var name: String {
        switch code {
        case .notPermitted: "org.bluez.Error.NotPermitted"
        case .requestNotSupported: "org.bluez.Error.NotSupported"
        case .invalidOffset: "org.bluez.Error.InvalidOffset"
        case .insufficientAuthorization: "org.bluez.Error.NotAuthorized"
        case .invalidAttributeValueLength: "org.bluez.Error.InvalidValueLength"
        case .application(let code) where Self.applicationCodes.contains(code): "org.bluez.Error.Failed"
        // bluetoothd sends 0x0E for each name that it has no code for.
        case .application, .unlikelyError: "org.freedesktop.DBus.Error.Failed"
        case .improperlyConfigured: "org.bluez.Error.ImproperlyConfigured"
        case .procedureAlreadyInProgress: "org.bluez.Error.InProgress"
        }
    }

    /// The message of the D-Bus error: bluetoothd reads an application code from it, and nothing from the others.
    var message: String {
        guard case .application(let code) = code, Self.applicationCodes.contains(code) else { return reason }
        return "0x" + String(code, radix: 16)
    }

    private static let applicationCodes: ClosedRange<UInt8> = 0x80...0x9F
}
