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
