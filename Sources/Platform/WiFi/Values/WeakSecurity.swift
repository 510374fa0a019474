/// The security of an access point or a saved profile that is weaker than WPA2, in the order of protection.
public enum WeakSecurity: Hashable, Sendable, CaseIterable, Comparable {
    /// None: every device may join, and every radio in range can record the traffic.
    case open

    /// Encrypted without a proof of the access point's identity (OWE, "Enhanced Open").
    case enhancedOpen

    /// WEP, with a static key or with IEEE 802.1X: broken in minutes.
    case wep

    /// The first WPA, or its cipher TKIP.
    case wpa

    /// WPA2, for a network that has WPA3: an imitation of it would get a handshake to guess the passphrase from.
    case wpa2
}

extension WeakSecurity: CustomStringConvertible {
    public var description: String {
        switch self {
        case .open: "open"
        case .enhancedOpen: "Enhanced Open (OWE, without authentication)"
        case .wep: "WEP"
        case .wpa: "WPA1 (TKIP)"
        case .wpa2: "WPA2"
        }
    }
}
