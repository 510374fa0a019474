/// The number of an event inside LE Meta. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.65.
public struct LESubevent: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let advertisingReport = LESubevent(rawValue: 0x02)
    public static let directedAdvertisingReport = LESubevent(rawValue: 0x0B)
    public static let extendedAdvertisingReport = LESubevent(rawValue: 0x0D)

    /// A scan with a duration has ended.
    public static let scanTimeout = LESubevent(rawValue: 0x11)
}
