/// The reason why a network was not joined, or cannot be.
public enum JoinFailure: Error, Hashable, Sendable {
    /// NetworkManager does not answer on the system bus, or there is no bus.
    case noNetworkManager

    case noWiFiDevice

    /// There is a Wi-Fi device, and NetworkManager does not manage it.
    case deviceNotManaged(device: String)

    /// There is a Wi-Fi device without its firmware.
    case firmwareMissing(device: String)

    /// There is a Wi-Fi device that NetworkManager cannot use: wpa_supplicant does not run, or does not drive it.
    case noSupplicant(device: String)

    /// NetworkManager's networking is switched off, for all devices.
    case networkingOff

    case radioOff

    /// Wi-Fi is switched off by a hardware switch, or blocked like one.
    case hardwareSwitchOff

    /// The only usable Wi-Fi device serves others: a hotspot, a mesh or an ad-hoc network.
    case servesHotspot(device: String)

    /// The device is connected to another network, and the user was not asked whether to leave that one.
    case connectedElsewhere(device: String)

    /// The device is connected to an unprotected network of the same name, and the user was not asked whether to leave that one.
    case connectedToTwin(ssid: String, device: String, security: WeakSecurity)

    /// A user is logged in over the connection that the departure would end, and the question did not say so.
    case userLoggedIn(ssid: String)

    /// NetworkManager has no profile of a hotspot of that name with WPA2 or WPA3.
    case noHotspotProfile(ssid: String)

    /// No access point of that name is heard, not even by a scan directed at it.
    case notInSight(ssid: String)

    /// Access points of that name are heard, and none of them has WPA2 or WPA3.
    case onlyUnsecuredInSight(ssid: String, seen: WeakSecurity)

    /// Some access points of that name have WPA2, others WPA3 only, and nothing shows which of them are the network.
    case mixedSecurityInSight(ssid: String)

    /// The profile of NetworkManager for that name allows less than WPA2, or WPA2 where the configuration requires WPA3.
    case savedProfileUnsecured(profile: String, security: WeakSecurity)

    /// NetworkManager has no profile that fits, and no passphrase file is configured.
    ///
    /// - Parameter misfit: A profile of that network, and why it does not fit.
    case noCredentials(ssid: String, misfit: ProfileMisfit? = nil)

    /// The access points of that name want a login (IEEE 802.1X), which a passphrase file cannot give.
    case enterpriseNeedsProfile(ssid: String)

    case passphraseFile(PassphraseFileError)

    case wrongPassphrase(ssid: String)

    /// The handshake failed, and not for certain because of the passphrase: the signal was weak, or the profile has connected
    /// before.
    case handshakeFailed(HandshakeFailure)

    /// The passphrase of the profile is in a user's session, or is to be asked for there; NetworkManager does not have it.
    case secretUnavailable(profile: String)

    /// NetworkManager does not let this user do it.
    case noPermission

    case noAddress(ssid: String)

    /// It took too long.
    case timedOut(ssid: String)

    /// NetworkManager or this program stopped while the join ran.
    case interrupted

    /// NetworkManager refused the request, with its message.
    case refused(message: String)

    /// NetworkManager gave up for another reason: NMDeviceStateReason, number and name.
    case other(reason: Int, name: String)

    /// Whether the same attempt may succeed a little later, without a fix.
    public var isPassing: Bool {
        switch self {
        case .servesHotspot, .connectedElsewhere, .connectedToTwin, .notInSight, .timedOut, .interrupted: true
        case .handshakeFailed(let failure): failure.strength < SignalStrength.strong
        case .noNetworkManager, .noWiFiDevice, .deviceNotManaged, .firmwareMissing, .noSupplicant, .networkingOff,
            .radioOff, .hardwareSwitchOff,
            .onlyUnsecuredInSight, .mixedSecurityInSight, .savedProfileUnsecured, .noCredentials, .noHotspotProfile,
            .userLoggedIn,
            .enterpriseNeedsProfile,
            .passphraseFile, .wrongPassphrase, .secretUnavailable, .noPermission, .noAddress, .refused, .other:
            false
        }
    }

    /// Whether other credentials may succeed where these failed. At a weak signal they would not.
    package var isOfCredentials: Bool {
        switch self {
        case .wrongPassphrase, .secretUnavailable: true
        case .handshakeFailed(let failure): failure.strength >= SignalStrength.strong
        default: false
        }
    }

    /// Whether something came between that ends by itself or by a user: an answered prompt stays valid.
    var isInterruption: Bool {
        switch self {
        case .noNetworkManager, .noWiFiDevice, .deviceNotManaged, .noSupplicant, .networkingOff, .radioOff,
            .hardwareSwitchOff, .notInSight, .interrupted, .userLoggedIn:
            true
        default: false
        }
    }
}

/// A handshake that failed.
public struct HandshakeFailure: Hashable, Sendable {
    public var ssid: String

    /// The strength of the signal in percent, as NetworkManager rates it.
    public var strength: Int

    /// The name of the profile; `nil` for a new one.
    public var profile: String?

    /// The date of the profile's last connection, as 2026-11-28.
    public var lastConnected: String?

    /// The driver of an adapter that may have failed with WPA3, where the access point allows WPA2 as well.
    public var transitionDriver: String?

    public init(
        ssid: String, strength: Int, profile: String? = nil, lastConnected: String? = nil,
        transitionDriver: String? = nil
    ) {
        self.ssid = ssid
        self.strength = strength
        self.profile = profile
        self.lastConnected = lastConnected
        self.transitionDriver = transitionDriver
    }
}

/// A profile of a network that does not fit, and the setting that excludes it.
public struct ProfileMisfit: Hashable, Sendable {
    public enum Setting: Hashable, Sendable {
        /// The profile is for another interface.
        case interface(String)

        /// The profile is for one access point, which is not in sight.
        case accessPoint(String)

        /// The profile is for 2.4 GHz ("bg") or 5 GHz ("a") alone.
        case band(String)

        /// The profile has no security that the access points have.
        case security
    }

    public var profile: String
    public var setting: Setting

    public init(profile: String, setting: Setting) {
        self.profile = profile
        self.setting = setting
    }
}
