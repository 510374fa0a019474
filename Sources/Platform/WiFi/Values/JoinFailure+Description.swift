extension JoinFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noNetworkManager:
            "NetworkManager does not answer on the system bus; start it with `sudo systemctl start NetworkManager`, "
                + "or install the package network-manager"
        case .noWiFiDevice:
            "NetworkManager has no Wi-Fi device; plug one in, or look at the output of `nmcli device`"
        case .deviceNotManaged(let device):
            "NetworkManager does not manage the Wi-Fi device \(device); run "
                + "`sudo nmcli device set \(device) managed yes`, and stop other programs that use it "
                + "(wpa_supplicant, dhcpcd)"
        case .firmwareMissing(let device):
            "the firmware of the Wi-Fi device \(device) is missing; look for its name in `sudo dmesg`, and install the "
                + "firmware package (firmware-brcm80211, firmware-iwlwifi, firmware-realtek, …)"
        case .noSupplicant(let device):
            "NetworkManager cannot use the Wi-Fi device \(device): wpa_supplicant does not drive it; install the package "
                + "wpasupplicant, and look at `systemctl status wpa_supplicant`"
        case .networkingOff:
            "NetworkManager's networking is switched off; switch it on with `nmcli networking on`"
        case .radioOff:
            "Wi-Fi is switched off; switch it on with `nmcli radio wifi on`"
        case .hardwareSwitchOff:
            "Wi-Fi is switched off by its hardware switch; turn the switch, and look at the output of `rfkill list wifi`"
        case .servesHotspot(let device):
            "the Wi-Fi device \(device) serves a hotspot or a mesh, which a join would end; stop that, or plug in a second "
                + "Wi-Fi device"
        case .connectedElsewhere(let device):
            "the Wi-Fi device \(device) is connected to another network, and a join without a question does not leave it; "
                + "disconnect it with `nmcli device disconnect \(device)`, or set \"join\" to \"prompt\""
        case .connectedToTwin(let ssid, let device, let security):
            "the Wi-Fi device \(device) is connected to a network “\(ssid)” without WPA2 or WPA3 (\(security)), which anyone can "
                + "set up; disconnect it with `nmcli device disconnect \(device)`, and delete its profile"
        case .userLoggedIn(let ssid):
            "a user is logged in over the connection of “\(ssid)”, which the departure would end; end the session, or answer the question "
                + "that names it"
        case .noHotspotProfile(let ssid):
            "NetworkManager shows this user no profile of a hotspot “\(ssid)” with WPA2 or WPA3; make one with "
                + "`sudo nmcli connection add type wifi … mode ap`, as docs/wifi.md shows"
        case .notInSight(let ssid):
            "no access point named “\(ssid)” is received; move closer, or compare the name with `nmcli device wifi list`"
        case .onlyUnsecuredInSight(let ssid, .wpa2):
            "“\(ssid)” is not joined: it is received only with WPA2, but has WPA3 by its saved profile or the configuration, "
                + "and an imitation would get what it takes to guess the passphrase; if you changed the access point, set "
                + "\"security\" to \"wpa2\""
        case .onlyUnsecuredInSight(let ssid, let seen):
            "“\(ssid)” is not joined: it is received only as \(seen), without WPA2 or WPA3, and anyone can set up such a "
                + "network; switch the access point to WPA2 or WPA3"
        case .mixedSecurityInSight(let ssid):
            "access points named “\(ssid)” differ in security: some have WPA2, others only WPA3, and either may be imitations; "
                + "set \"security\" to \"wpa3\", or to \"wpa2\" if a device or an access point of yours has no WPA3"
        case .savedProfileUnsecured(let profile, .wpa2):
            "NetworkManager's profile “\(profile)” allows WPA2, but \"security\" is \"wpa3\"; set its wifi-sec.key-mgmt to sae with "
                + "`sudo nmcli connection modify`, or set \"passphraseFile\""
        case .savedProfileUnsecured(let profile, let security):
            "NetworkManager's profile “\(profile)” joins as \(security), without WPA2 or WPA3; correct it, or delete it "
                + "with `sudo nmcli connection delete`"
        case .noCredentials(let ssid, let misfit?):
            "NetworkManager's profile “\(misfit.profile)” does not fit “\(ssid)”: \(misfit.setting.description); correct it with "
                + "`sudo nmcli connection modify`, or set \"passphraseFile\""
        case .noCredentials(let ssid, nil):
            "NetworkManager shows this user no profile that fits “\(ssid)”, and no passphrase file is configured; join it once "
                + "with `sudo nmcli --ask device wifi connect`, or set \"passphraseFile\""
        case .enterpriseNeedsProfile(let ssid):
            "“\(ssid)” requires a login (IEEE 802.1X), and NetworkManager has no profile for it; "
                + "add one with `nmcli connection add` or nmtui"
        case .passphraseFile(let error):
            error.description
        case .wrongPassphrase(let ssid):
            "the passphrase of “\(ssid)” was not accepted, or the profile has none that a system service may use; "
                + "correct the passphrase file or NetworkManager's profile"
        case .handshakeFailed(let failure):
            failure.description
        case .secretUnavailable(let profile):
            "NetworkManager's profile “\(profile)” leaves its passphrase to a user's session, which a service cannot use; "
                + "store it with `sudo nmcli --ask connection modify` and 802-11-wireless-security.psk-flags 0, "
                + "or set \"passphraseFile\""
        case .noPermission:
            "NetworkManager does not let this user connect or switch Wi-Fi; allow it with a polkit rule in /etc/polkit-1/rules.d "
                + "(org.freedesktop.NetworkManager.network-control, settings.modify.system and enable-disable-wifi), "
                + "by membership of the group netdev, or run as root"
        case .noAddress(let ssid):
            "“\(ssid)” was joined, but assigned no address; check that its DHCP server runs"
        case .timedOut(let ssid):
            "NetworkManager took too long for “\(ssid)”; look at `journalctl -u NetworkManager`"
        case .interrupted:
            "NetworkManager or this program stopped while the join ran; try again"
        case .refused(let message):
            "NetworkManager refused the request: \(message); look at `journalctl -u NetworkManager`"
        case .other(let reason, let name):
            "NetworkManager gave up: \(name) (reason \(reason)); look at `journalctl -u NetworkManager`"
        }
    }
}

extension HandshakeFailure: CustomStringConvertible {
    public var description: String {
        let start = "the handshake with “\(ssid)” failed at a signal of \(strength) %"
        guard strength >= SignalStrength.reliable else {
            return
                "\(start), which is probably too weak; move closer, and if it fails there as well, correct the passphrase"
        }
        var sentence = start
        if let profile, let lastConnected {
            sentence += " with the profile “\(profile)”, which last connected on \(lastConnected)"
        }
        if let transitionDriver {
            return sentence
                + "; if the passphrase is right, the adapter (driver \(transitionDriver)) may fail with WPA3: run "
                + "`sudo nmcli connection modify \(profile.map { "“\($0)”" } ?? "PROFILE") wifi-sec.pmf disable`"
        }
        return sentence + "; if the passphrase of the network was changed, correct it with "
            + "`sudo nmcli --ask connection modify`, or set \"passphraseFile\" to a file that has it"
    }
}

extension ProfileMisfit.Setting: CustomStringConvertible {
    public var description: String {
        switch self {
        case .interface(let name): "it is for the interface \(name) (connection.interface-name)"
        case .accessPoint(let address): "it is for the access point \(address) (802-11-wireless.bssid)"
        case .band(let band): "it is for the band \(band) (802-11-wireless.band)"
        case .security: "the access points do not have its security (802-11-wireless-security.key-mgmt)"
        }
    }
}
