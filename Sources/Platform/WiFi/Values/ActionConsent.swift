/// The side effects of an action that a user has agreed to, or the configuration.
public struct ActionConsent: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Wi-Fi is switched on first, if it is off.
    public static let switchOn = ActionConsent(rawValue: 1)

    /// A hotspot takes a device that is connected to a network.
    public static let endConnection = ActionConsent(rawValue: 2)

    /// A connection ends over which a user is logged in.
    public static let endLogins = ActionConsent(rawValue: 4)
}
