/// The reason for refusing a central's request (Core Specification, Vol 3, Part F, 3.4.1.1).
public struct ATTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error that the central receives (Core Specification, Vol 3, Part F, 3.4.1.1).
    public enum Code: Sendable, Hashable {
        /// 0x06: the server cannot do what is asked.
        case requestNotSupported
        /// 0x07: the value ends before the offset.
        case invalidOffset
        /// 0x0D: the value is too long or too short.
        case invalidAttributeValueLength
        /// 0x80, the first of those that the service itself defines
        case application
    }

    /// The error that the central receives.
    public var code: Code

    /// For the log here: no central receives more than the code.
    public var reason: String

    /// A refusal; `reason` is for the log here.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The ``reason``.
    public var description: String { reason }

    /// The name from which bluetoothd makes the code.
    var name: String {
        switch code {
        case .requestNotSupported: "org.bluez.Error.NotSupported"
        case .invalidOffset: "org.bluez.Error.InvalidOffset"
        case .invalidAttributeValueLength: "org.bluez.Error.InvalidValueLength"
        case .application: "org.bluez.Error.Failed"
        }
    }
}
