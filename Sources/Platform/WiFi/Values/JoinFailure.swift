/// The reason why a network was not joined, or cannot be.
public enum JoinFailure: Error, Hashable, Sendable {
    /// NetworkManager does not answer on the system bus, or there is no bus.
    case noNetworkManager

    case noWiFiDevice

    /// There is a Wi-Fi device, and NetworkManager keeps its hands off it or cannot use it.
    case deviceNotManaged(device: String)

    case radioOff

    /// Wi-Fi is switched off by a hardware switch, or blocked like one.
    case hardwareSwitchOff

    /// The only usable Wi-Fi device serves others: a hotspot, a mesh or an ad-hoc network.
    case servesHotspot(device: String)

    /// The device is connected to another network, and the user was not asked whether to leave that one.
    case connectedElsewhere(device: String)

    /// No access point of that name is heard, not even by a scan directed at it.
    case notInSight(ssid: String)

    /// Access points of that name are heard, and none of them has WPA2 or WPA3.
    case onlyUnsecuredInSight(ssid: String, seen: WeakSecurity)

    /// Some access points of that name have WPA2, others WPA3 only, and nothing shows which of them are the network.
    case mixedSecurityInSight(ssid: String)

    /// The profile of NetworkManager for that name allows less than WPA2, or WPA2 where the configuration requires WPA3.
    case savedProfileUnsecured(profile: String, security: WeakSecurity)

    /// NetworkManager has no profile that fits, and no passphrase file is configured.
    case noCredentials(ssid: String)

    /// The access points of that name want a login (IEEE 802.1X), which a passphrase file cannot give.
    case enterpriseNeedsProfile(ssid: String)

    case passphraseFile(PassphraseFileError)

    case wrongPassphrase(ssid: String)

    /// The handshake failed, and not for certain because of the passphrase: the signal was weak, or the profile has connected
    /// before. The strength is in percent, as NetworkManager rates it.
    case handshakeFailed(ssid: String, strength: Int)

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
        case .servesHotspot, .connectedElsewhere, .notInSight, .handshakeFailed, .timedOut, .interrupted: true
        case .noNetworkManager, .noWiFiDevice, .deviceNotManaged, .radioOff, .hardwareSwitchOff,
            .onlyUnsecuredInSight, .mixedSecurityInSight, .savedProfileUnsecured, .noCredentials,
            .enterpriseNeedsProfile,
            .passphraseFile, .wrongPassphrase, .secretUnavailable, .noPermission, .noAddress, .refused, .other:
            false
        }
    }

    package var isOfPassphrase: Bool {
        switch self {
        case .wrongPassphrase, .secretUnavailable: true
        default: false
        }
    }
}
