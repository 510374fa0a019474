package import WiFi

extension JoinFailure.Code {
    /// Returns the reason why a network was not joined and the remedy, in Japanese.
    ///
    /// - Parameter reason: the daemon's own sentence, in English: texts of other programs in it have no translation.
    package func japanese(_ reason: String) -> String {
        switch self {
        case .noNetworkManager:
            "NetworkManager が応答しません。`sudo systemctl start NetworkManager` で起動してください"
        case .noWiFiDevice:
            "Wi-Fi デバイスがありません。`nmcli device` で確認してください"
        case .deviceNotManaged:
            "NetworkManager が Wi-Fi デバイスを使っていません。`nmcli device` で確認してください"
        case .firmwareMissing:
            "Wi-Fi デバイスのファームウェアがありません。`sudo dmesg` で名前を調べ、ファームウェアのパッケージをインストールしてください"
        case .noSupplicant:
            "NetworkManager が Wi-Fi デバイスを使えません。wpasupplicant をインストールし、`systemctl status wpa_supplicant` を確認してください"
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
            "保存された接続の保護が足りません。WPA2 か WPA3（security が wpa3 なら WPA3 のみ）に直すか、`sudo nmcli connection delete` で削除してください"
        case .noCredentials:
            "使える接続の設定もパスフレーズのファイルもありません。一度 `sudo nmcli --ask device wifi connect` で接続してください"
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
            "時間内に接続できませんでした。`journalctl -u NetworkManager` を確認してください"
        case .interrupted:
            "接続の途中で NetworkManager かこのプログラムが止まりました。もう一度試してください"
        case .refused:
            "NetworkManager に断られました（\(reason)）"
        case .other:
            "NetworkManager が接続をやめました（\(reason)）"
        }
    }
}

extension InternetAccess.Limitation {
    /// Returns what limits the access to the Internet and what to do about it, in Japanese.
    ///
    /// - Parameter reason: the daemon's sentence in English, which contains the address to open.
    package func japanese(_ reason: String) -> String {
        switch self {
        case .noInternet: "インターネットに接続できません。ルーターと回線を確認してください"
        case .captivePortal: "Web ページでのログインが必要です。ブラウザーで開いてください（\(reason)）"
        }
    }
}
