/// Why a central's request is refused, as the Attribute Protocol tells it (Core Specification, Vol 3, Part F, 3.4.1.1).
public struct ATTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the central is told.
    public enum Code: Sendable, Hashable {
        /// 0x06
        case requestNotSupported
        /// 0x07
        case invalidOffset
        /// 0x0D
        case invalidAttributeValueLength
        /// 0x80, the first of those that the service itself defines
        case application
    }

    public var code: Code

    /// For the log here: no central is told more than the code.
    public var reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }

    /// What bluetoothd makes the code of.
    var name: String {
        switch code {
        case .requestNotSupported: "org.bluez.Error.NotSupported"
        case .invalidOffset: "org.bluez.Error.InvalidOffset"
        case .invalidAttributeValueLength: "org.bluez.Error.InvalidValueLength"
        case .application: "org.bluez.Error.Failed"
        }
    }
}
