import OkaeriPlumbing

/// The steps of `okaeri setup` after the configuration is written, and the commands for those that are left.
package enum ServicePhrase: Phrase {
    case useConfiguration, startService, fewSeconds, waiting, reloaded, started, commandFailed, noAnswer, lastError
    case addToGroup, notInGroup, inGroup
    case passphrase, notTried, joining, joiningNetwork, existingProfile, thisMachine, theWiFi, joined, untried,
        notAccepted, notJoined
    case openPage, room, roomMistake
    case broker, port, portMistake, user, userMistake, tls, leftOutUnencrypted, passwordWritten, leftOut, password,
        passwordMistake
    case fileWritten
    case saveProfile, reload, start, replaceDaemon, startDaemon, restartContainer, restartApp, joinGroup, status

    package var texts: (english: String, japanese: String) { service ?? rest }

    private var service: (english: String, japanese: String)? {
        switch self {
        case .useConfiguration: ("Use this configuration in the service okaeri now?", "サービス okaeri でこの設定を今すぐ使いますか？")
        case .startService:
            ("Start the service okaeri now and at each start of this machine?", "サービス okaeri を今すぐ、また機器の起動時に毎回起動しますか？")
        case .fewSeconds: ("This may take a few seconds …", "数秒かかる場合があります…")
        case .waiting: ("waiting for the service to read its configuration", "サービスが設定を読み込むのを待っています")
        case .reloaded:
            ("The service okaeri has reloaded its configuration, and answers.", "サービス okaeri が設定を読み直し、動作しています。")
        case .started:
            (
                "The service okaeri runs, now and after each start of this machine, and answers.",
                "サービス okaeri が動作しています。機器の起動時にも毎回起動します。"
            )
        case .commandFailed:
            (
                "`{0}` failed: {1}{2}; \(Remedy.log()) shows more",
                "`{0}` に失敗しました：{1}{2}。\(Remedy.log().japanese(after: "詳しくは", "を"))確認してください"
            )
        case .noAnswer:
            (
                "the service okaeri does not answer: {0}{1}; \(Remedy.log()) shows more",
                "サービス okaeri が応答しません：{0}{1}。\(Remedy.log().japanese(after: "詳しくは", "を"))確認してください"
            )
        case .lastError: ("; its last error is \"{0}\"", "（最後のエラー：{0}）")
        case .addToGroup:
            (
                "Add {0} to the group okaeri, so that this user can query the service \(Installation.words("without sudo", or: "without the rights of root"))?",
                "\(Installation.words("sudo なしで", or: "root の権限なしで"))使えるように、{0} をグループ okaeri に加えますか？"
            )
        case .notInGroup: ("{0} is not in the group okaeri: {1}.", "{0} をグループ okaeri に加えられませんでした：{1}")
        case .inGroup: ("{0} is in the group okaeri after the next login.", "{0} をグループ okaeri に加えました。次のログインから有効になります。")
        case .passphrase:
            (
                "NetworkManager has no profile of \"{0}\". Enter the passphrase, which is not shown, or press Enter to skip this step: ",
                "NetworkManager に「{0}」の接続設定がありません。パスフレーズを入力してください（表示されません）。Enter だけで省略："
            )
        case .notTried: ("Not tried: {0}.", "試していません：{0}")
        case .joining:
            ("Looking for the network, and joining it if the Wi-Fi is not in use …", "ネットワークを探し、Wi-Fi が空いていれば接続します…")
        case .joiningNetwork: ("joining {0}", "{0} に接続しています")
        case .existingProfile:
            ("NetworkManager already has a profile of this network.", "このネットワークの接続設定は既にあります。")
        case .thisMachine: ("This machine", "この機器")
        case .theWiFi: ("The Wi-Fi", "Wi-Fi")
        case .joined:
            (
                "{0} has joined the network. NetworkManager has saved the profile.",
                "{0} がネットワークに接続し、接続設定を保存しました。"
            )
        case .untried:
            (
                "NetworkManager has saved the profile. {0} stays in its present network, so the passphrase is not checked yet.",
                "接続設定を保存しました。{0} は現在のネットワークに接続したままのため、パスフレーズはまだ確認していません。"
            )
        case .notAccepted: ("The network did not accept the passphrase.", "パスフレーズが正しくありません。")
        case .notJoined: ("The network was not joined: {0}.", "ネットワークに接続できませんでした：{0}")
        case .openPage:
            (
                "Open the page to your phone in this network? The connection is not encrypted.",
                "このネットワークのスマートフォンからページを開けるようにしますか？ 通信は暗号化されません。"
            )
        default: nil
        }
    }

    private var rest: (english: String, japanese: String) {
        switch self {
        case .room:
            (
                "In which room is this machine? A name such as kitchen, or Enter for none: ",
                "この機器はどの部屋にありますか？ kitchen のような名前、または Enter でなし："
            )
        case .roomMistake:
            (
                "A room is a name of up to 64 bytes without control characters.",
                "部屋の名前は、制御文字を含まない 64 バイト以内で入力してください。"
            )
        case .broker:
            (
                "Is there an MQTT broker, such as that of Home Assistant? Its name or address, or Enter for none: ",
                "Home Assistant などの MQTT ブローカーがありますか？ 名前かアドレス、または Enter でなし："
            )
        case .port: ("Its port [{0}; {1} with TLS]: ", "ポート [{0}、TLS は {1}]：")
        case .portMistake: ("A port is a number from 1 to 65535.", "ポートは 1～65535 の数値です。")
        case .user:
            ("Your user name at the broker, or Enter if it requires none: ", "ブローカーのユーザー名、または不要なら Enter：")
        case .userMistake: ("A name has no control characters.", "名前に制御文字は使えません。")
        case .tls: ("Does the broker encrypt at this port (TLS)?", "このポートは暗号化（TLS）されていますか？")
        case .leftOutUnencrypted:
            (
                "The broker is left out: its password would be sent unencrypted.",
                "パスワードが暗号化されずに送信されるため、ブローカーは設定しません。"
            )
        case .passwordWritten: ("{0} has the password, for the service alone.", "パスワードを {0} に書き込みました。読めるのはサービスだけです。")
        case .leftOut: ("The broker is left out: {0}.", "ブローカーは設定しません：{0}")
        case .password: ("The password, which is not shown, or Enter for none: ", "パスワード（表示されません）、または Enter でなし：")
        case .passwordMistake:
            (
                "A password has up to {0} bytes and no control characters.",
                "パスワードは、制御文字を含まない {0} バイト以内で入力してください。"
            )
        case .fileWritten: ("{0} is written.", "{0} に書き込みました。")
        case .saveProfile: ("{0}   # saves its passphrase in NetworkManager", "{0}   # パスフレーズを NetworkManager に保存")
        case .reload: ("{0}   # uses the file from now on", "{0}   # 新しいファイルを使用")
        case .start: ("{0}   # starts it now and at each start of the machine", "{0}   # 今すぐ、また機器の起動時に毎回起動")
        case .replaceDaemon: ("{0}   # replaces the daemon that uses another file", "{0}   # 別のファイルを使っているデーモンの代わりに起動")
        case .startDaemon: ("{0}   # starts it", "{0}   # 起動")
        case .restartContainer:
            (
                "Start the container of the daemon, or restart it, so that it uses the file.",
                "デーモンのコンテナーを起動するか、再起動してください。新しいファイルが使われます。"
            )
        case .restartApp:
            (
                "Restart the app in Home Assistant, so that it uses the file.",
                "Home Assistant でアプリを再起動してください。新しいファイルが使われます。"
            )
        case .joinGroup:
            (
                "{0}   # then log in again, to query the daemon \(Installation.words("without sudo", or: "without the rights of root"))",
                "{0}   # その後ログインし直すと、\(Installation.words("sudo なしで", or: "root の権限なしで"))使えます"
            )
        default: ("{0}   # the states of the regions", "{0}   # リージョンの状態")
        }
    }
}
