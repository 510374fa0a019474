extension JoinFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noNetworkManager:
            "NetworkManager does not answer on the system bus; start it with `sudo systemctl start NetworkManager`, "
                + "or install the package network-manager"
        case .noWiFiDevice:
            "NetworkManager knows no Wi-Fi device; plug one in, or see what `nmcli device` says"
        case .deviceNotManaged(let device):
            "NetworkManager does not use the Wi-Fi device \(device); let it with "
                + "`sudo nmcli device set \(device) managed yes`, and stop what else holds it (wpa_supplicant, dhcpcd)"
        case .radioOff:
            "Wi-Fi is switched off; switch it on with `nmcli radio wifi on`"
        case .hardwareSwitchOff:
            "Wi-Fi is switched off by its hardware switch; turn the switch, and see what `rfkill list wifi` says"
        case .servesHotspot(let device):
            "the Wi-Fi device \(device) serves a hotspot or a mesh, which a join would end; stop that, or plug in a second "
                + "Wi-Fi device"
        case .connectedElsewhere(let device):
            "the Wi-Fi device \(device) is connected to another network, and a join without a question does not leave it; "
                + "disconnect it with `nmcli device disconnect \(device)`, or set join to prompt to be asked"
        case .notInSight(let ssid):
            "no access point named “\(ssid)” is heard; move closer, or compare the name with `nmcli device wifi list`"
        case .onlyUnsecuredInSight(let ssid, .wpa2):
            "“\(ssid)” is heard only with WPA2, but has WPA3 by its saved profile or the configuration: an imitation would get "
                + "what it takes to guess the passphrase, so it is not joined; if you changed the access point, set "
                + "security to wpa2"
        case .onlyUnsecuredInSight(let ssid, let seen):
            "“\(ssid)” is heard only as \(seen), without WPA2 or WPA3: anyone can set up such a network, so it is not "
                + "joined; switch the access point to WPA2 or WPA3"
        case .mixedSecurityInSight(let ssid):
            "access points named “\(ssid)” differ in security: some have WPA2, others only WPA3, and either may be imitations; "
                + "set security to wpa3, or to wpa2 if a device or an access point of yours has no WPA3"
        case .savedProfileUnsecured(let profile, .wpa2):
            "NetworkManager's profile “\(profile)” allows WPA2, but security is wpa3; set its wifi-sec.key-mgmt to sae with "
                + "`sudo nmcli connection modify`, or set passphraseFile"
        case .savedProfileUnsecured(let profile, let security):
            "NetworkManager's profile “\(profile)” joins as \(security), without WPA2 or WPA3; mend it or delete it "
                + "with `sudo nmcli connection delete`"
        case .noCredentials(let ssid):
            "NetworkManager has no profile that fits “\(ssid)”, and no passphrase file is configured; join it once "
                + "with `sudo nmcli --ask device wifi connect`, or set passphraseFile"
        case .enterpriseNeedsProfile(let ssid):
            "“\(ssid)” wants a login (IEEE 802.1X) and NetworkManager has no profile for it; "
                + "add one with `nmcli connection add` or nmtui"
        case .passphraseFile(let error):
            error.description
        case .wrongPassphrase(let ssid):
            "the passphrase of “\(ssid)” was not accepted, or the profile has none that a system service may use; "
                + "correct the passphrase file or NetworkManager's profile"
        case .handshakeFailed(let ssid, let strength):
            "the handshake with “\(ssid)” failed at a signal of \(strength) %, probably for weak reception; move closer, and "
                + "if it fails there as well, correct the passphrase"
        case .secretUnavailable(let profile):
            "NetworkManager's profile “\(profile)” leaves its passphrase to a user's session, which a service cannot use; "
                + "store it with `sudo nmcli --ask connection modify` and 802-11-wireless-security.psk-flags 0, "
                + "or set passphraseFile"
        case .noPermission:
            "NetworkManager does not let this user join a network; allow it with a polkit rule in /etc/polkit-1/rules.d "
                + "(org.freedesktop.NetworkManager.network-control and settings.modify.system), "
                + "by membership of the group netdev, or run as root"
        case .noAddress(let ssid):
            "“\(ssid)” was joined but gave no address; see whether its DHCP server runs"
        case .timedOut(let ssid):
            "joining “\(ssid)” took too long; see what `journalctl -u NetworkManager` says"
        case .interrupted:
            "NetworkManager or this program stopped while the join ran; try again"
        case .refused(let message):
            "NetworkManager refused: \(message); see what `journalctl -u NetworkManager` says"
        case .other(let reason, let name):
            "NetworkManager gave up: \(name) (reason \(reason)); see what `journalctl -u NetworkManager` says"
        }
    }
}
