import OkaeriPlumbing

/// The texts of `okaeri join`.
package enum JoinPhrase: Phrase {
    // The options.
    case siteOption, nameOption, roomOption, authorityOption, authorityWithoutTLS, passwordOption, passwordWithoutUser
    case wrongBroker, noBrackets, noTerminal, noQuestions
    // The broker and its houses.
    case silent, unknownHost, refused, login, encryption
    case user, userMistake, password, passwordMistake, unencrypted, notSent, reading, waiting, cut
    case noHouse, noHouseNamed, severalHouses, houses, whichHouse, unknownHouse, noSuchHouse
    // This machine.
    case room, roomLike, roomMistake, takenName, name, taken, nameMistake
    // The house to confirm.
    case house, pis, offline, hub, noHub, standby, ownRegions, write, list, and

    package var texts: (english: String, japanese: String) { options ?? broker ?? machine }

    private var options: (english: String, japanese: String)? {
        switch self {
        case .siteOption:
            (
                "--site takes 1 to 64 letters of ASCII, digits, hyphens and underscores",
                "--site には、半角の英数字、ハイフン、下線を 1～64 文字で指定してください"
            )
        case .nameOption:
            (
                "--name takes 1 to 64 letters of ASCII, digits, hyphens and underscores",
                "--name には、半角の英数字、ハイフン、下線を 1～64 文字で指定してください"
            )
        case .roomOption:
            (
                "--room takes the name of a room, such as kitchen, of 1 to 64 bytes without control characters",
                "--room には、kitchen のような部屋の名前を、制御文字を含まない 1～64 バイトで指定してください"
            )
        case .authorityOption: ("--tls-ca takes an absolute path", "--tls-ca には絶対パスを指定してください")
        case .authorityWithoutTLS: ("--tls-ca encrypts; remove --no-tls", "--tls-ca は暗号化のためのものです。--no-tls を外してください")
        case .passwordOption:
            (
                "--password-file takes an absolute path, or $CREDENTIALS_DIRECTORY/NAME",
                "--password-file には、絶対パスか $CREDENTIALS_DIRECTORY/NAME を指定してください"
            )
        case .passwordWithoutUser: ("--password-file requires --username", "--password-file には --username も必要です")
        case .wrongBroker:
            (
                "{0} is not a HOST or HOST:PORT, such as mqtt.lan, 192.168.1.10:1883 or [fd00::1]:1883",
                "{0} は HOST か HOST:PORT の形ではありません（例：mqtt.lan、192.168.1.10:1883、[fd00::1]:1883）"
            )
        case .noBrackets: ("{0} has no brackets before its port; write {1}", "{0} はポートの前に角括弧がありません。{1} と指定してください")
        case .noTerminal:
            (
                "there is no terminal to ask on; use `--username NAME --password-file FILE --room ROOM --name NAME --yes`, and `--site SITE` if the broker has several houses",
                "質問できる端末がありません。`--username NAME --password-file FILE --room ROOM --name NAME --yes` を指定してください。ブローカーに複数の家があれば `--site SITE` も指定します"
            )
        case .noQuestions:
            (
                "with --json nothing is asked; use `--username NAME --password-file FILE --room ROOM --name NAME --yes`, and `--site SITE` if the broker has several houses",
                "--json では質問しません。`--username NAME --password-file FILE --room ROOM --name NAME --yes` を指定してください。ブローカーに複数の家があれば `--site SITE` も指定します"
            )
        default: nil
        }
    }

    private var broker: (english: String, japanese: String)? {
        switch self {
        case .silent:
            (
                "the MQTT broker at {0} does not answer within {1} s; check its address, and that it runs",
                "{0} の MQTT ブローカーが {1} 秒以内に応答しません。アドレスと、動作しているかを確認してください"
            )
        case .unknownHost:
            (
                "the name of the broker {0} does not resolve; check the name",
                "ブローカー {0} の名前が見つかりません。名前を確認してください"
            )
        case .refused:
            (
                "nothing listens on {0}; start the broker, or check the port",
                "{0} ではブローカーが待ち受けていません。ブローカーを起動するか、ポートを確認してください"
            )
        case .login:
            (
                "the broker {0} refuses the login; check the user name and the password",
                "ブローカー {0} がログインを受け付けません。ユーザー名とパスワードを確認してください"
            )
        case .encryption:
            (
                "the encrypted connection to {0} failed; check `--tls`, `--tls-ca` and the port",
                "{0} との暗号化された接続に失敗しました。`--tls`、`--tls-ca` とポートを確認してください"
            )
        case .user: ("User name at the broker (Enter for none): ", "ブローカーのユーザー名（Enter でなし）：")
        case .userMistake: ("A user name has no control characters.", "ユーザー名に制御文字は使えません。")
        case .password: ("Password of {0}: ", "{0} のパスワード：")
        case .passwordMistake:
            (
                "A password has 1 to {0} bytes without control characters.",
                "パスワードは、制御文字を含まない 1～{0} バイトで入力してください。"
            )
        case .unencrypted:
            (
                "the connection to {0} is not encrypted, so the password is not sent; use `--tls` or `--tls-ca FILE`, or `--no-tls` to send it unencrypted",
                "{0} への接続が暗号化されていないため、パスワードを送信しません。`--tls` か `--tls-ca FILE` を使うか、暗号化せずに送るには `--no-tls` を指定してください"
            )
        case .notSent:
            (
                "nothing was sent or written; `--tls` or `--tls-ca FILE` encrypts",
                "何も送信せず、何も書き込んでいません。`--tls` か `--tls-ca FILE` で暗号化できます"
            )
        case .reading: ("Reading the houses at {0} …", "{0} の家を読み取っています…")
        case .waiting: ("reading", "読み取っています")
        case .cut:
            ("the broker has more than that; the rest was ignored", "ブローカーにはほかにもありますが、残りは無視しました")
        case .noHouse:
            (
                "no Pi of any house has published anything at this broker; set up the first Pi with \(Remedy.okaeri("setup")), and \"mqtt\" as /usr/share/doc/okaeri/broker.md shows",
                "このブローカーには、どの家の Raspberry Pi も登録されていません。1 台目の Raspberry Pi を \(Remedy.okaeri("setup")) で設定し、/usr/share/doc/okaeri/broker.md のとおりに \"mqtt\" を設定してください"
            )
        case .noHouseNamed:
            (
                "no Pi of the house \"{0}\" has published anything at this broker; set up the first Pi with \(Remedy.okaeri("setup")), and \"mqtt\" as /usr/share/doc/okaeri/broker.md shows",
                "このブローカーには、家「{0}」の Raspberry Pi が登録されていません。1 台目の Raspberry Pi を \(Remedy.okaeri("setup")) で設定し、/usr/share/doc/okaeri/broker.md のとおりに \"mqtt\" を設定してください"
            )
        case .severalHouses:
            (
                "the broker has several houses: {0}; name one with `--site`",
                "ブローカーに複数の家があります：{0}。`--site` で 1 つを指定してください"
            )
        case .houses: ("Houses at the broker: {0}", "ブローカーにある家：{0}")
        case .whichHouse: ("Which one? [{0}] ", "どの家ですか？ [{0}] ")
        case .unknownHouse: ("There is no house of that name.", "その名前の家はありません。")
        case .noSuchHouse:
            ("there is no house \"{0}\" at this broker, only {1}", "このブローカーに家「{0}」はありません。あるのは {1} です")
        default: nil
        }
    }

    private var machine: (english: String, japanese: String) {
        switch self {
        case .room: ("Which room is this Pi in? ", "この Raspberry Pi はどの部屋にありますか？ ")
        case .roomLike:
            ("Which room is this Pi in? (the others: {0}) ", "この Raspberry Pi はどの部屋にありますか？（ほかの部屋：{0}） ")
        case .roomMistake:
            (
                "Enter the name of a room, such as kitchen: 1 to 64 bytes without control characters. A house needs it to tell in which room a beacon is.",
                "kitchen のような部屋の名前を、制御文字を含まない 1～64 バイトで入力してください。ビーコンがどの部屋にあるかを示すために必要です。"
            )
        case .takenName:
            (
                "another Pi of the house is called {0} and is online; choose another `--name`",
                "家のほかの Raspberry Pi が {0} という名前でオンラインです。`--name` で別の名前を指定してください"
            )
        case .name: ("Its name among the Pis? [{0}] ", "この Raspberry Pi の名前 [{0}] ")
        case .taken:
            ("Another Pi of the house has that name, and is online.", "家のほかの Raspberry Pi がその名前でオンラインです。")
        case .nameMistake:
            (
                "A name has 1 to 64 letters of ASCII, digits, hyphens and underscores.",
                "名前は、半角の英数字、ハイフン、下線を 1～64 文字で入力してください。"
            )
        case .house: ("House \"{0}\", {1}: {2}", "家「{0}」、{1}：{2}")
        case .pis: ("{0 Pi}", "Raspberry Pi {0} 台")
        case .offline: ("{0} (offline)", "{0}（オフライン）")
        case .hub: ("  hub: {0}, which has the regions", "  ハブ：{0}（リージョンを管理）")
        case .noHub:
            (
                "  no hub yet: \(Remedy.okaeri("setup")) on the first Pi adds a region",
                "  ハブはまだありません。1 台目の Raspberry Pi で \(Remedy.okaeri("setup")) を実行してリージョンを追加してください"
            )
        case .standby:
            ("  this Pi is the standby: it decides while the hub is away", "  この Raspberry Pi は待機です。ハブが不在の間、代わりに判断します")
        case .ownRegions:
            (
                "  the regions of this file stay its own, decided by its own radio alone: {0}",
                "  このファイルのリージョンはこの機器だけのもので、この機器の受信だけで判断します：{0}"
            )
        case .write: ("Write {0}?", "{0} に書き込みますか？")
        case .list: ("`okaeri nodes` lists the Pis of the house.", "`okaeri nodes` で家の Raspberry Pi の一覧が表示されます。")
        default: (" and ", " と ")
        }
    }
}
