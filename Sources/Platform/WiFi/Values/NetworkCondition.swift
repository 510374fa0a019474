public enum NetworkCondition: Hashable, Sendable {
    /// A device is already connected to it, with WPA2 or WPA3; for another action than a join, there is nothing to do.
    case alreadyConnected

    /// A device is on its way to it with a saved profile, or to its hotspot.
    case connecting

    /// It is in sight, secured, and there is something to join it with; for another action, it can be carried out.
    case ready(JoinReadiness)

    /// Wi-Fi is switched off, this user may switch it on, and there may be something to join the network with.
    ///
    /// - Parameters:
    ///   - isCountryUnset: Whether Raspberry Pi OS keeps Wi-Fi off until its country is set.
    ///   - otherConnection: The connection that this machine uses instead, if there is one that works.
    case switchedOff(isCountryUnset: Bool = false, otherConnection: OtherConnection? = nil)

    /// It cannot be joined now.
    case unavailable(JoinFailure)

    public enum Credentials: String, Hashable, Sendable {
        case savedProfile

        /// The passphrase file; a profile is made of it.
        case passphraseFile
    }

    /// A network with full signal on a machine without another connection.
    public static func ready(via credentials: Credentials) -> NetworkCondition {
        .ready(JoinReadiness(credentials: credentials))
    }
}

/// The circumstances of a network that can be joined.
public struct JoinReadiness: Hashable, Sendable {
    public var credentials: NetworkCondition.Credentials

    /// The strength of the signal in percent, as NetworkManager rates it.
    public var strength: Int

    /// The connection that this machine uses instead, if there is one that works.
    public var otherConnection: OtherConnection?

    /// Whether the device is connected to an unprotected network of the same name.
    public var replacesWeakTwin: Bool

    /// Whether a user of this machine has ended the last connection of the device.
    public var isDisconnectedByUser: Bool

    /// Whether the action ends a connection to another network.
    public var endsConnection: Bool

    /// Whether a user is logged in over a connection that the action ends.
    public var isLoggedInOver: Bool

    public init(
        credentials: NetworkCondition.Credentials = .savedProfile, strength: Int = 100,
        otherConnection: OtherConnection? = nil, replacesWeakTwin: Bool = false, isDisconnectedByUser: Bool = false,
        endsConnection: Bool = false, isLoggedInOver: Bool = false
    ) {
        self.credentials = credentials
        self.strength = strength
        self.otherConnection = otherConnection
        self.replacesWeakTwin = replacesWeakTwin
        self.isDisconnectedByUser = isDisconnectedByUser
        self.endsConnection = endsConnection
        self.isLoggedInOver = isLoggedInOver
    }
}

/// The kind of connection that works while Wi-Fi is not connected.
public enum OtherConnection: String, Hashable, Sendable, CaseIterable {
    case ethernet
    case mobile
    case other
}

/// The reaction of an arrival while this machine has another connection that works.
public enum OnlinePolicy: String, Hashable, Sendable, CaseIterable {
    /// Asks once, and not at each arrival. Never joins without a question.
    case once

    /// Asks, or joins without a question, as without the other connection.
    case always

    /// Neither asks nor joins.
    case never
}
