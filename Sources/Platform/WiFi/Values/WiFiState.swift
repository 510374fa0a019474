public struct WiFiState: Hashable, Sendable {
    /// Whether NetworkManager answers. If not, nothing else here is known.
    public var managerRunning: Bool

    /// Whether Wi-Fi is switched on in software.
    public var radioEnabled: Bool

    /// Whether the hardware switch lets it.
    public var hardwareEnabled: Bool

    /// The Wi-Fi device, such as `wlan0`: the connected one, else one that is ready, else the first.
    public var device: String?

    /// Whether a device is ready to connect: NetworkManager has taken it up, and wpa_supplicant drives it.
    public var deviceReady: Bool

    public var connectedSSID: String?

    public var internet: InternetAccess

    public var otherConnections: [Connection] = []

    /// Whether a connection or a hotspot uses 2.4 GHz, which Bluetooth uses as well; `nil`: unknown.
    public var uses24GHz: Bool?

    /// Whether a device is on its way to a connection. A full-duty Bluetooth scan would disturb it.
    public var activating: Bool

    /// The strengths of networks that were asked about and are in sight, protected, and not connected, in percent, in steps of ten.
    package var reception: [SSID: Int] = [:]

    /// The kind of connection that works while Wi-Fi is not connected.
    public var otherConnection: OtherConnection?

    /// The reason why no device can join a network, if none can.
    public var obstacle: JoinFailure?

    /// The security of the connected network, if it is weaker than WPA2.
    public var weakSecurity: WeakSecurity?

    public init(
        managerRunning: Bool = false, radioEnabled: Bool = false, hardwareEnabled: Bool = false,
        device: String? = nil, deviceReady: Bool = false, connectedSSID: String? = nil,
        internet: InternetAccess = .unknown, activating: Bool = false, uses24GHz: Bool? = nil
    ) {
        self.managerRunning = managerRunning
        self.radioEnabled = radioEnabled
        self.hardwareEnabled = hardwareEnabled
        self.device = device
        self.deviceReady = deviceReady
        self.connectedSSID = connectedSSID
        self.internet = internet
        self.activating = activating
        self.uses24GHz = uses24GHz
    }

    public struct Connection: Hashable, Sendable {
        public var device: String?
        public var ssid: String
        public var internet: InternetAccess

        public init(device: String?, ssid: String, internet: InternetAccess) {
            self.device = device
            self.ssid = ssid
            self.internet = internet
        }
    }

    package func internet(through name: SSID, on device: String?) -> InternetAccess? {
        let first = connectedSSID.map { Connection(device: self.device, ssid: $0, internet: internet) }
        return ([first].compactMap { $0 } + otherConnections).first {
            $0.device == device && SSID($0.ssid) == name
        }?.internet
    }

    package func isConnected(to name: SSID) -> Bool { connectedSSID.map { SSID($0) } == name }
}

/// A network that is heard, by all its access points.
public struct VisibleNetwork: Hashable, Sendable {
    /// Its name. Hidden networks, and names that are not UTF-8, are not listed: no configuration can name them.
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

/// The strength of an access point's signal in percent, as NetworkManager computes it: 100 % at -40 dBm, 5 % for 3 dB.
package enum SignalStrength {
    /// The strength below which a handshake often fails for want of reception: -82 dBm.
    package static let reliable = 30

    /// The strength from which on a failed handshake is not for want of reception: -70 dBm.
    package static let strong = 50

    /// 10 dB.
    package static let improvement = 17
}
