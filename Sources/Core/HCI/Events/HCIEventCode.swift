/// An event's number. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.
public struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    /// The event code: the byte after the packet type.
    public let rawValue: UInt8

    /// An event's number, whether it has a name here or not.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A connection has ended (Section 7.7.5).
    public static let disconnectionComplete = HCIEventCode(rawValue: 0x05)

    /// A command was carried out, or failed (Section 7.7.14).
    public static let commandComplete = HCIEventCode(rawValue: 0x0E)

    /// A command was taken up, or failed at once (Section 7.7.15).
    public static let commandStatus = HCIEventCode(rawValue: 0x0F)

    /// The controller is broken (Section 7.7.16).
    public static let hardwareError = HCIEventCode(rawValue: 0x10)

    /// Any LE event; the first parameter is its kind (Section 7.7.65).
    public static let leMeta = HCIEventCode(rawValue: 0x3E)

    /// The event with which Linux reports changes of its adapters to raw sockets; no controller sends it.
    public static let stackInternal = HCIEventCode(rawValue: 0xFD)
}
