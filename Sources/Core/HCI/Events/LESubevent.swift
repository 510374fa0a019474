/// The number of an event inside LE Meta. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.65.
public struct LESubevent: RawRepresentable, Hashable, Sendable {
    /// The subevent code: the first parameter of LE Meta.
    public let rawValue: UInt8

    /// A subevent's number, whether it has a name here or not.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// LE Connection Complete (Section 7.7.65.1).
    public static let connectionComplete = LESubevent(rawValue: 0x01)

    /// LE Enhanced Connection Complete, version 1 (Section 7.7.65.10).
    public static let enhancedConnectionComplete = LESubevent(rawValue: 0x0A)

    /// LE Advertising Report, the legacy form (Section 7.7.65.2).
    public static let advertisingReport = LESubevent(rawValue: 0x02)

    /// LE Directed Advertising Report: no data, and so no beacon (Section 7.7.65.11).
    public static let directedAdvertisingReport = LESubevent(rawValue: 0x0B)

    /// LE Extended Advertising Report (Section 7.7.65.13).
    public static let extendedAdvertisingReport = LESubevent(rawValue: 0x0D)

    /// A scan with a duration has ended.
    public static let scanTimeout = LESubevent(rawValue: 0x11)
}
