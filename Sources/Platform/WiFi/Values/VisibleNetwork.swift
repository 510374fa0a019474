/// A network that is heard, by all its access points.
public struct VisibleNetwork: Hashable, Sendable {
    /// Its name. Hidden networks, and names that are no UTF-8, are not listed: no configuration can name them.
    public var ssid: String

    /// The strength of the strongest access point, in percent, as NetworkManager rates it.
    public var strength: Int

    /// The best protection that an access point of this name has; only what is robust is ever joined.
    public var security: NetworkSecurity

    public init(ssid: String, strength: Int, security: NetworkSecurity) {
        self.ssid = ssid
        self.strength = strength
        self.security = security
    }

    /// Whether it has WPA2 or WPA3.
    public var isSecured: Bool { security.isRobust }

    /// One network of each name, the strongest first, those of the same strength by name.
    public static func merged(_ heard: [VisibleNetwork]) -> [VisibleNetwork] {
        Dictionary(heard.map { (SSID($0.ssid), $0) }) { one, other in
            // The twin that is not protected is not what would be joined.
            let better = one.isSecured == other.isSecured ? (one.strength >= other.strength) : one.isSecured
            return better ? one : other
        }.values.sorted { ($1.strength, SSID($0.ssid)) < ($0.strength, SSID($1.ssid)) }
    }
}
