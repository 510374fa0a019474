import OkaeriPlumbing

/// The reason why an action on the network failed, or is not possible: a code, and a sentence with the cause and the remedy.
///
/// All texts of a failure are here: a new one is a ``Code`` with its Japanese sentence, and a function with the English one.
public struct JoinFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, without its details: a stable name for programs and translations.
    public enum Code: String, Sendable, CaseIterable {
        /// NetworkManager does not answer on the system bus, or there is no bus.
        case noNetworkManager

        case noWiFiDevice

        /// There is a Wi-Fi device, and NetworkManager does not manage it.
        case deviceNotManaged

        case firmwareMissing

        /// wpa_supplicant does not run, or does not drive the Wi-Fi device.
        case noSupplicant

        /// NetworkManager's networking is switched off, for all devices.
        case networkingOff

        case radioOff

        /// Wi-Fi is switched off by a hardware switch, or blocked like one.
        case hardwareSwitchOff

        /// The only usable Wi-Fi device serves others: a hotspot, a mesh or an ad-hoc network.
        case servesHotspot

        /// The device is connected to another network, and the user was not asked whether to leave that one.
        case connectedElsewhere

        /// The same with an unprotected network of the same name.
        case connectedToTwin

        /// A user is logged in over the connection that the departure would end, and the question did not say so.
        case userLoggedIn

        /// NetworkManager has no profile of a hotspot of that name with WPA2 or WPA3.
        case noHotspotProfile

        /// No access point of that name is received, not even by a scan directed at it.
        case notInSight

        /// Access points of that name are received, and none of them has WPA2 or WPA3.
        case onlyUnsecuredInSight

        /// Some access points of that name have WPA2, others WPA3 only, and nothing shows which of them are the network.
        case mixedSecurityInSight

        /// The profile of NetworkManager for that name allows less than WPA2, or WPA2 where the configuration requires WPA3.
        case savedProfileUnsecured

        /// NetworkManager has no profile that fits, and no passphrase file is configured.
        case noCredentials

        /// The access points of that name require a login (IEEE 802.1X), which a passphrase file cannot give.
        case enterpriseNeedsProfile

        case passphraseFile

        case wrongPassphrase

        /// The handshake failed, and not for certain because of the passphrase: the signal was weak, or the profile has connected
        /// before.
        case handshakeFailed

        /// The passphrase of the profile is in a user's session, or is to be requested there; NetworkManager does not have it.
        case secretUnavailable

        /// NetworkManager does not permit the action to this user.
        case noPermission

        case noAddress

        case timedOut

        /// NetworkManager or this program stopped while the action ran.
        case interrupted

        /// NetworkManager refused the request, with its message.
        case refused

        /// NetworkManager gave up for another reason.
        case other
    }

    public let code: Code

    /// The cause and the remedy, in English.
    public let description: String

    /// The strength of the signal in percent at which the handshake failed; `nil` for other failures.
    let strength: Int?

    /// The number of NetworkManager's reason; `nil` unless the code is `other`.
    package let reason: Int?

    private init(_ code: Code, _ description: String, strength: Int? = nil, reason: Int? = nil) {
        self.code = code
        self.description = description
        self.strength = strength
        self.reason = reason
    }

    /// Whether the handshake failed at a signal that suffices.
    private var isOfStrongHandshake: Bool { strength.map { $0 >= SignalStrength.strong } ?? false }

    /// Whether the same attempt may succeed a little later, without a fix.
    public var isPassing: Bool {
        switch code {
        case .servesHotspot, .connectedElsewhere, .connectedToTwin, .notInSight, .timedOut, .interrupted: true
        case .handshakeFailed: !isOfStrongHandshake
        case .noNetworkManager, .noWiFiDevice, .deviceNotManaged, .firmwareMissing, .noSupplicant, .networkingOff,
            .radioOff, .hardwareSwitchOff, .onlyUnsecuredInSight, .mixedSecurityInSight, .savedProfileUnsecured,
            .noCredentials, .noHotspotProfile, .userLoggedIn, .enterpriseNeedsProfile, .passphraseFile,
            .wrongPassphrase,
            .secretUnavailable, .noPermission, .noAddress, .refused, .other:
            false
        }
    }

    /// Whether other credentials may succeed where these failed. At a weak signal they would not.
    package var isOfCredentials: Bool {
        switch code {
        case .wrongPassphrase, .secretUnavailable: true
        case .handshakeFailed: isOfStrongHandshake
        default: false
        }
    }

    /// Whether something came between that ends by itself or by a user: an answered prompt stays valid.
    var isInterruption: Bool {
        switch code {
        case .noNetworkManager, .noWiFiDevice, .deviceNotManaged, .noSupplicant, .networkingOff, .radioOff,
            .hardwareSwitchOff, .notInSight, .interrupted, .userLoggedIn:
            true
        default: false
        }
    }
}

/// A profile of a network that does not fit, and the setting that excludes it.
public struct ProfileMisfit: Hashable, Sendable {
    public enum Setting: Hashable, Sendable, CustomStringConvertible {
        /// The profile is for another interface.
        case interface(String)

        /// The profile is for one access point, which is not in sight.
        case accessPoint(String)

        /// The profile is for 2.4 GHz ("bg") or 5 GHz ("a") alone.
        case band(String)

        /// The profile has no security that the access points have.
        case security

        public var description: String {
            switch self {
            case .interface(let name): "it is for the interface \(name) (connection.interface-name)"
            case .accessPoint(let address): "it is for the access point \(address) (802-11-wireless.bssid)"
            case .band(let band): "it is for the band \(band) (802-11-wireless.band)"
            case .security: "the access points do not have its security (802-11-wireless-security.key-mgmt)"
            }
        }
    }

    public var profile: String
    public var setting: Setting

    public init(profile: String, setting: Setting) {
        self.profile = profile
        self.setting = setting
    }
}

// MARK: The catalogue

extension JoinFailure {
    public static var noNetworkManager: Self {
        Self(
            .noNetworkManager,
            "NetworkManager does not answer on the system bus; \(Remedy.start("NetworkManager").order("start it with ")), "
                + "or install the package network-manager")
    }

    public static let noWiFiDevice = Self(
        .noWiFiDevice, "NetworkManager has no Wi-Fi device; plug one in, or look at the output of `nmcli device`")

    public static func deviceNotManaged(device: String) -> Self {
        Self(
            .deviceNotManaged,
            "NetworkManager does not manage the Wi-Fi device \(device); run "
                + "\(Remedy.machine("nmcli device set \(device) managed yes")), and stop other programs that use it "
                + "(wpa_supplicant, dhcpcd)")
    }

    public static func firmwareMissing(device: String) -> Self {
        Self(
            .firmwareMissing,
            "the firmware of the Wi-Fi device \(device) is missing; look for its name in \(Remedy.machine("dmesg")), and install the "
                + "firmware package (firmware-brcm80211, firmware-iwlwifi, firmware-realtek, …)")
    }

    public static func noSupplicant(device: String) -> Self {
        Self(
            .noSupplicant,
            "NetworkManager cannot use the Wi-Fi device \(device): wpa_supplicant does not drive it; install the package "
                + "wpasupplicant, and look at \(Remedy.status("wpa_supplicant"))")
    }

    public static let networkingOff = Self(
        .networkingOff, "NetworkManager's networking is switched off; switch it on with `nmcli networking on`")

    public static let radioOff = Self(.radioOff, "Wi-Fi is switched off; switch it on with `nmcli radio wifi on`")

    public static let hardwareSwitchOff = Self(
        .hardwareSwitchOff,
        "Wi-Fi is switched off by its hardware switch; turn the switch, and look at the output of `rfkill list wifi`")

    public static func servesHotspot(device: String) -> Self {
        Self(
            .servesHotspot,
            "the Wi-Fi device \(device) serves a hotspot or a mesh, which a join would end; stop that, or plug in a second "
                + "Wi-Fi device")
    }

    public static func connectedElsewhere(device: String) -> Self {
        Self(
            .connectedElsewhere,
            "the Wi-Fi device \(device) is connected to another network, and a join without a question does not leave it; "
                + "disconnect it with `nmcli device disconnect \(device)`, or set \"join\" to \"prompt\"")
    }

    public static func connectedToTwin(ssid: String, device: String, security: WeakSecurity) -> Self {
        Self(
            .connectedToTwin,
            "the Wi-Fi device \(device) is connected to a network “\(ssid)” without WPA2 or WPA3 (\(security)), which anyone can "
                + "set up; disconnect it with `nmcli device disconnect \(device)`, and delete its profile")
    }

    public static func userLoggedIn(ssid: String) -> Self {
        Self(
            .userLoggedIn,
            "a user is logged in over the connection of “\(ssid)”, which the departure would end; end the session, or answer the question "
                + "that names it")
    }

    public static func noHotspotProfile(ssid: String) -> Self {
        Self(
            .noHotspotProfile,
            "NetworkManager shows this user no profile of a hotspot “\(ssid)” with WPA2 or WPA3; make one with "
                + "\(Remedy.machine("nmcli connection add type wifi … mode ap")), as docs/wifi.md shows")
    }

    public static func notInSight(ssid: String) -> Self {
        Self(
            .notInSight,
            "no access point named “\(ssid)” is received; move closer, or compare the name with `nmcli device wifi list`"
        )
    }

    public static func onlyUnsecuredInSight(ssid: String, seen: WeakSecurity) -> Self {
        Self(
            .onlyUnsecuredInSight,
            seen == .wpa2
                ? "“\(ssid)” is not joined: it is received only with WPA2, but has WPA3 by its saved profile or the configuration, "
                    + "and an imitation would get what it takes to guess the passphrase; if you changed the access point, set "
                    + "\"security\" to \"wpa2\""
                : "“\(ssid)” is not joined: it is received only as \(seen), without WPA2 or WPA3, and anyone can set up such a "
                    + "network; switch the access point to WPA2 or WPA3")
    }

    public static func mixedSecurityInSight(ssid: String) -> Self {
        Self(
            .mixedSecurityInSight,
            "access points named “\(ssid)” differ in security: some have WPA2, others only WPA3, and either may be imitations; "
                + "set \"security\" to \"wpa3\", or to \"wpa2\" if a device or an access point of yours has no WPA3")
    }

    public static func savedProfileUnsecured(profile: String, security: WeakSecurity) -> Self {
        Self(
            .savedProfileUnsecured,
            security == .wpa2
                ? "NetworkManager's profile “\(profile)” allows WPA2, but \"security\" is \"wpa3\"; set its wifi-sec.key-mgmt to sae "
                    + "with \(Remedy.machine("nmcli connection modify")), or set \"passphraseFile\""
                : "NetworkManager's profile “\(profile)” joins as \(security), without WPA2 or WPA3; correct it, or delete it "
                    + "with \(Remedy.machine("nmcli connection delete"))")
    }

    /// - Parameter misfit: A profile of that network, and the reason why it does not fit.
    public static func noCredentials(ssid: String, misfit: ProfileMisfit? = nil) -> Self {
        let start =
            misfit.map {
                "NetworkManager's profile “\($0.profile)” does not fit “\(ssid)”: \($0.setting); correct it with "
                    + "\(Remedy.machine("nmcli connection modify"))"
            }
            ?? "NetworkManager shows this user no profile that fits “\(ssid)”, and no passphrase file is configured; join it once "
            + "with \(Remedy.machine("nmcli --ask device wifi connect"))"
        return Self(.noCredentials, start + ", or set \"passphraseFile\"")
    }

    public static func enterpriseNeedsProfile(ssid: String) -> Self {
        Self(
            .enterpriseNeedsProfile,
            "“\(ssid)” requires a login (IEEE 802.1X), and NetworkManager has no profile for it; "
                + "add one with `nmcli connection add` or nmtui")
    }

    public static func passphraseFile(_ error: PassphraseFileError) -> Self {
        Self(.passphraseFile, error.description)
    }

    public static func wrongPassphrase(ssid: String) -> Self {
        Self(
            .wrongPassphrase,
            "the passphrase of “\(ssid)” was not accepted, or the profile has none that a system service may use; "
                + "correct the passphrase file or NetworkManager's profile")
    }

    /// - Parameters:
    ///   - strength: The strength of the signal in percent, as NetworkManager rates it.
    ///   - profile: The name of the profile; `nil` for a new one.
    ///   - lastConnected: The date of the profile's last connection, as 2026-11-28.
    ///   - transitionDriver: The driver of an adapter that may have failed with WPA3, where the access point allows WPA2 as well.
    public static func handshakeFailed(
        ssid: String, strength: Int, profile: String? = nil, lastConnected: String? = nil,
        transitionDriver: String? = nil
    ) -> Self {
        var sentence = "the handshake with “\(ssid)” failed at a signal of \(strength) %"
        guard strength >= SignalStrength.reliable else {
            sentence +=
                ", which is probably too weak; move closer, and if it fails there as well, correct the passphrase"
            return Self(.handshakeFailed, sentence, strength: strength)
        }
        if let profile, let lastConnected {
            sentence += " with the profile “\(profile)”, which last connected on \(lastConnected)"
        }
        if let transitionDriver {
            sentence +=
                "; if the passphrase is right, the adapter (driver \(transitionDriver)) may fail with WPA3: run "
                + "\(Remedy.machine("nmcli connection modify \(profile.map { "“\($0)”" } ?? "PROFILE") wifi-sec.pmf disable"))"
        } else {
            sentence +=
                "; if the passphrase of the network was changed, correct it with "
                + "\(Remedy.machine("nmcli --ask connection modify")), or set \"passphraseFile\" to a file that has it"
        }
        return Self(.handshakeFailed, sentence, strength: strength)
    }

    public static func secretUnavailable(profile: String) -> Self {
        Self(
            .secretUnavailable,
            "NetworkManager's profile “\(profile)” leaves its passphrase to a user's session, which a service cannot use; "
                + "store it with \(Remedy.machine("nmcli --ask connection modify")) and 802-11-wireless-security.psk-flags 0, "
                + "or set \"passphraseFile\"")
    }

    public static let noPermission = Self(
        .noPermission,
        "NetworkManager does not let this user connect or switch Wi-Fi; allow it with a polkit rule in /etc/polkit-1/rules.d "
            + "(org.freedesktop.NetworkManager.network-control, settings.modify.system and enable-disable-wifi), "
            + "by membership of the group netdev, or run as root")

    public static func noAddress(ssid: String) -> Self {
        Self(.noAddress, "“\(ssid)” was joined, but assigned no address; check that its DHCP server runs")
    }

    public static func timedOut(ssid: String) -> Self {
        Self(.timedOut, "NetworkManager took too long for “\(ssid)”; look at \(Remedy.log("NetworkManager"))")
    }

    public static let interrupted = Self(
        .interrupted, "NetworkManager or this program stopped while the join ran; try again")

    public static func refused(message: String) -> Self {
        Self(.refused, "NetworkManager refused the request: \(message); look at \(Remedy.log("NetworkManager"))")
    }

    /// - Parameters:
    ///   - reason: The number of NMDeviceStateReason.
    ///   - name: Its name.
    public static func other(reason: Int, name: String) -> Self {
        Self(
            .other, "NetworkManager gave up: \(name) (reason \(reason)); look at \(Remedy.log("NetworkManager"))",
            reason: reason)
    }
}

extension JoinFailure.Code {
    /// Returns the cause and the remedy in Japanese.
    ///
    /// - Parameter reason: the daemon's own sentence, in English: texts of other programs in it have no translation.
    package func japanese(_ reason: String) -> String {
        switch self {
        case .noNetworkManager:
            "NetworkManager が応答しません。\(Remedy.start("NetworkManager").japaneseOrder("で起動してください"))"
        case .noWiFiDevice:
            "Wi-Fi デバイスがありません。`nmcli device` で確認してください"
        case .deviceNotManaged:
            "NetworkManager が Wi-Fi デバイスを使っていません。`nmcli device` で確認してください"
        case .firmwareMissing:
            "Wi-Fi デバイスのファームウェアがありません。\(Remedy.machine("dmesg").japanese()) で名前を調べ、ファームウェアのパッケージをインストールしてください"
        case .noSupplicant:
            "NetworkManager が Wi-Fi デバイスを使えません。wpasupplicant をインストールし、\(Remedy.status("wpa_supplicant").japanese("を"))確認してください"
        case .networkingOff:
            "NetworkManager のネットワークがオフになっています。`nmcli networking on` でオンにしてください"
        case .radioOff:
            "Wi-Fi がオフになっています。`nmcli radio wifi on` でオンにしてください"
        case .hardwareSwitchOff:
            "Wi-Fi がハードウェアのスイッチでオフになっています。スイッチを入れ、`rfkill list wifi` で確認してください"
        case .servesHotspot:
            "Wi-Fi デバイスがアクセスポイントとして使われています。それを止めるか、別の Wi-Fi デバイスを追加してください"
        case .connectedElsewhere:
            "Wi-Fi デバイスが別のネットワークに接続中です。切断するか、join を prompt に変えて確認してから接続してください"
        case .connectedToTwin:
            "保護のない同名のネットワークに接続中です。誰でも作れるため、切断して、その接続を削除してください"
        case .userLoggedIn:
            "この接続を使ってログインしている人がいます。ログアウトするか、もう一度表示される確認に答えてください"
        case .noHotspotProfile:
            "NetworkManager に WPA2 か WPA3 のアクセスポイント用プロファイルがありません。docs/wifi.md の `nmcli connection add` で作成してください"
        case .notInSight:
            "アクセスポイントが見つかりません。近づくか、`nmcli device wifi list` で名前を確認してください"
        case .onlyUnsecuredInSight:
            "WPA2 か WPA3 で保護されたものが見つかりません。保護のない同名のネットワークは誰でも作れるため、接続しません"
        case .mixedSecurityInSight:
            "同名のアクセスポイントに WPA2 のものと WPA3 だけのものがあり、どちらかが偽物かもしれません。security を wpa3 か wpa2 に設定してください"
        case .savedProfileUnsecured:
            "保存された接続の保護が足りません。WPA2 か WPA3（security が wpa3 なら WPA3 のみ）に直すか、\(Remedy.machine("nmcli connection delete").japanese()) で削除してください"
        case .noCredentials:
            "使える接続の設定もパスフレーズのファイルもありません。\(Remedy.machine("nmcli --ask device wifi connect").japanese(after: "一度")) で接続してください"
        case .enterpriseNeedsProfile:
            "ログイン（IEEE 802.1X）が必要です。`nmcli connection add` か nmtui で接続を追加してください"
        case .passphraseFile:
            "パスフレーズのファイルが使えません（\(reason)）"
        case .wrongPassphrase:
            "パスフレーズが正しくないようです。パスフレーズのファイルか、保存された接続を直してください"
        case .handshakeFailed:
            "認証の途中で失敗しました。電波が弱いか、パスフレーズが変わったようです。近づいても失敗する場合は、保存された接続のパスフレーズを直すか、passphraseFile を設定してください"
        case .secretUnavailable:
            "保存された接続のパスフレーズはユーザーのセッションにあり、サービスからは使えません。psk-flags を 0 にして保存するか、passphraseFile を設定してください"
        case .noPermission:
            "ネットワークに接続する権限がありません。polkit の規則で許可するか、ユーザーをグループ netdev に加えてください"
        case .noAddress:
            "接続はできましたが、IP アドレスが得られません。DHCP サーバーを確認してください"
        case .timedOut:
            "時間内に接続できませんでした。\(Remedy.log("NetworkManager").japanese("を"))確認してください"
        case .interrupted:
            "接続の途中で NetworkManager かこのプログラムが止まりました。もう一度試してください"
        case .refused:
            "NetworkManager に断られました（\(reason)）"
        case .other:
            "NetworkManager が接続をやめました（\(reason)）"
        }
    }
}
