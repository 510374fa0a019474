/// An event's number. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.
public struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let commandComplete = HCIEventCode(rawValue: 0x0E)
    public static let commandStatus = HCIEventCode(rawValue: 0x0F)
    public static let hardwareError = HCIEventCode(rawValue: 0x10)
    public static let leMeta = HCIEventCode(rawValue: 0x3E)

    /// What Linux itself tells raw sockets about its adapters; no controller sends it.
    public static let stackInternal = HCIEventCode(rawValue: 0xFD)
}
