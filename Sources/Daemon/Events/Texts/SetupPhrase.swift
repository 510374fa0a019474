import OkaeriPlumbing

/// The questions of `okaeri setup` about a beacon and its region, and the sentences between them.
package enum SetupPhrase: Phrase {
    // Answers.
    case yes, no, answerYesOrNo, clearPassword
    // The place in a house.
    case writesAtEnd, isFirst, houseBroker, hostMistake, receiver
    // The beacon.
    case holdBeacon, whichBeacon, bluetoothOff, switchOn, unblock, switchingOn, cannotListen, noBeaconYet, notANumber,
        inYourHand, factoryIdentity, isMasked, isFurther
    // The name.
    case known, whose, proposal, nameMistake, severalSigns, replaces
    // The Wi-Fi.
    case lookingForProfile, stays, asksAlways, lookingForNetworks, listingNetworks, numberOrName, name, nameTooLong,
        enterKeeps,
        enterNone, whichNetwork
    case noNetworks, noneInRange, notSecured, alreadyConnected, connecting, switchedOff, ready, unavailable
    // The measurements.
    case measureOneMetre, placeOneMetre, oneMetre, measureAgain, presentThresholds, furtherThresholds, onlyNear,
        placeFarthest,
        notReceivedThere
    case thresholds, varies, tooFew, insideFrom, outsideBelow
    // The text.
    case asksOnArrival, noNetworkAnyMore, facts, writes, written, writtenWithBackup, next

    package var texts: (english: String, japanese: String) { beacon ?? network ?? rest }

    private var beacon: (english: String, japanese: String)? {
        switch self {
        case .yes: ("{0} [Y/n] ", "{0} [Y/n] ")
        case .no: ("{0} [y/N] ", "{0} [y/N] ")
        case .answerYesOrNo: ("Answer y or n: ", "y か n で答えてください：")
        case .clearPassword:
            (
                "The connection to {0} is not encrypted, so each host of this network can read the password. Send it?",
                "{0} への接続は暗号化されないため、このネットワークのすべての機器がパスワードを読み取れます。送信しますか？"
            )
        case .writesAtEnd: ("After the last answer, the command writes {0}.", "最後の質問に答えると、{0} に書き込みます。")
        case .isFirst:
            (
                "Is this the first or only Pi of your house? Answer n if another Pi already runs Okaeri.",
                "この家で最初の、または唯一の Raspberry Pi ですか？ 別の Raspberry Pi で Okaeri が動いている場合は n と答えてください。"
            )
        case .houseBroker:
            (
                "What is the address of the MQTT broker of the house? HOST or HOST:PORT, such as mqtt.lan (port 8883: with TLS): ",
                "この家の MQTT ブローカーのアドレスは？ HOST か HOST:PORT の形で、例：mqtt.lan（ポート 8883 は TLS を使用）："
            )
        case .hostMistake:
            (
                "Enter a name such as mqtt.lan or an address such as 192.168.1.10.",
                "mqtt.lan のような名前か、192.168.1.10 のようなアドレスを入力してください。"
            )
        case .receiver:
            (
                """
                This Pi is a receiver of a house: the regions are those of the hub, and `okaeri setup` there changes them. On this Pi:
                  \(Installation.sudo)okaeri join {0}   # changes the broker, the room and the name
                  \(Installation.sudo)okaeri setup --beacon UUID/MAJOR/MINOR --identifier NAME   # adds a region of this Pi alone
                To make it a hub, delete "receiver" or "standby" from {1} and \(Remedy.setup().order("run ", " again")).
                """,
                """
                この Raspberry Pi は家の受信機です。リージョンはハブで設定されており、ハブの `okaeri setup` で変更できます。ここで使えるコマンド：
                  \(Installation.sudo)okaeri join {0}   # ブローカー、部屋、名前の変更
                  \(Installation.sudo)okaeri setup --beacon UUID/MAJOR/MINOR --identifier NAME   # この Raspberry Pi だけのリージョンを追加
                ハブにするには、{1} から "receiver" か "standby" を削除し、\(Remedy.setup().japaneseOrder(after: "もう一度"))。
                """
            )
        case .holdBeacon: ("Hold your beacon close to this machine.", "ビーコンをこの機器に近づけてください。")
        case .whichBeacon:
            (
                "Which beacon is yours? Its number, or Enter for the nearest: ",
                "あなたのビーコンはどれですか？ 番号を入力、または Enter で最も近いもの："
            )
        case .bluetoothOff: ("Bluetooth is off. Shall okaeri {0}?", "Bluetooth がオフです。次の操作でオンにしますか？ {0}")
        case .switchOn: ("switch {0} on", "{0} をオンにする")
        case .unblock: ("lift rfkill's block of {0} and switch it on", "rfkill による {0} の無効化を解除してオンにする")
        case .cannotListen: ("Bluetooth cannot receive now.", "現在 Bluetooth で受信できません。")
        case .switchingOn: ("switching Bluetooth on", "Bluetooth をオンにしています")
        case .noBeaconYet:
            (
                "No beacon is received yet. Check that it is switched on and not connected to its app.",
                "まだビーコンを受信していません。電源が入っていて、アプリに接続されていないことを確認してください。"
            )
        case .notANumber: ("\"{0}\" is not one of the numbers.", "「{0}」は一覧の番号ではありません。")
        case .inYourHand:
            (
                "{0} is received with only {1} dBm. Is this the beacon in your hand?",
                "{0} の信号は {1} dBm しかありません。手元のビーコンですか？"
            )
        case .known: ("This beacon already has the region \"{0}\".", "このビーコンは既にリージョン「{0}」に登録されています。")
        case .whose: ("Whose beacon is this? A name such as Anna or keys{0}: ", "だれのビーコンですか？ Anna や keys のような名前{0}：")
        case .proposal: (" [{0}]", " [{0}]")
        case .nameMistake: ("Enter a name such as keys, car or Anna.", "keys、car、Anna のような名前を入力してください。")
        case .isFurther:
            (
                "Shall this beacon be one more sign of \"{0}\", beside the present ones?",
                "このビーコンを、今のものに加えて「{0}」の目印にしますか？"
            )
        case .factoryIdentity:
            (
                "The UUID is that of {0}: {1}.",
                "この UUID は出荷時の値などで、近所のビーコンも使っている可能性があります。メーカーのアプリで自分だけの UUID（`uuidgen` で作れます）を書き込むか、固有の major と minor を指定してください。"
            )
        case .isMasked:
            (
                "Its {0} changes, as a battery level or a counter in it does. Shall the region leave the bits out that change?",
                "{0} が電池残量やカウンターのように変わっています。変わるビットを無視しますか？"
            )
        case .severalSigns:
            (
                "\"{0}\" {1}.",
                "「{0}」は複数の目印かスマートフォンのリージョンです。"
            )
        case .replaces:
            (
                "The region \"{0}\" has the beacon {1}. Replace it with this one?",
                "リージョン「{0}」にはビーコン {1} が登録されています。このビーコンに置き換えますか？"
            )
        default: nil
        }
    }

    private var network: (english: String, japanese: String)? {
        switch self {
        case .lookingForProfile: ("looking for a profile of this network", "このネットワークの接続設定を確認しています")
        case .stays:
            (
                "Does this machine stay here while the beacon comes and goes? Answer n for a machine that moves, such as a laptop, while the beacon stays at home.",
                "この機器は家に置いたままで、ビーコンを持ち歩きますか？ ノートパソコンなど機器を持ち歩き、ビーコンを家に置く場合は n と答えてください。"
            )
        case .asksAlways:
            (
                "Okaeri asks at each arrival of this machine, also while another connection works.",
                "別の接続が使われていても、この機器が到着するたびに確認します。"
            )
        case .lookingForNetworks: ("Looking for Wi-Fi …", "Wi-Fi を探しています…")
        case .listingNetworks: ("looking for Wi-Fi networks", "Wi-Fi ネットワークを探しています")
        case .numberOrName: ("Its number or name", "番号か名前を入力")
        case .name: ("Its name", "名前を入力")
        case .nameTooLong:
            (
                "The name of a network has 1 to 32 bytes in UTF-8, and this one has {0}.",
                "ネットワーク名は UTF-8 で 1～32 バイトです。入力された名前は {0} バイトです（かなや漢字は 1 文字 3 バイト）。"
            )
        case .enterKeeps: ("Enter to keep \"{0}\", - for none", "Enter で「{0}」のまま、- でなし")
        case .enterNone: ("Enter for none", "Enter でなし")
        case .whichNetwork:
            ("Which Wi-Fi should Okaeri offer on arrival? {0}, or {1}: ", "到着時にどの Wi-Fi への接続を確認しますか？ {0}、または {1}：")
        case .noNetworks: ("The Wi-Fi networks in range are not known: {0}.", "周囲の Wi-Fi ネットワークを取得できません：{0}")
        case .noneInRange: ("No Wi-Fi network is in range.", "周囲に Wi-Fi ネットワークがありません。")
        case .notSecured: ("  (not secured: never joined)", "  （保護なし：接続不可）")
        case .alreadyConnected:
            (
                "This machine is connected to this network. Okaeri asks on arrival only if the connection is lost.",
                "この機器はこのネットワークに接続済みです。到着時の確認は、接続が切れているときだけ行います。"
            )
        case .connecting: ("This machine is connecting to this network.", "このネットワークに接続しています。")
        case .switchedOff:
            (
                "Wi-Fi is off. On arrival, Okaeri asks whether to switch it on and to join.",
                "Wi-Fi がオフです。到着時に、オンにして接続するか確認します。"
            )
        case .ready: ("NetworkManager can join this network.", "NetworkManager でこのネットワークに接続できます。")
        case .unavailable: ("At present this network cannot be joined: {0}.", "現在このネットワークには接続できません：{0}")
        default: nil
        }
    }

    private var rest: (english: String, japanese: String) {
        switch self {
        case .measureOneMetre:
            (
                "Measure the signal at one metre now, so that distances are right? The measurement takes 20 s.",
                "距離を正しく求めるため、1 m での信号を今測定しますか？ 20 秒かかります。"
            )
        case .placeOneMetre:
            (
                "Put the beacon one metre from the antenna, with nothing between them, step aside, and press Enter: ",
                "ビーコンをアンテナから見通しのよい 1 m の位置に置き、離れてから Enter を押してください："
            )
        case .oneMetre: ("{0} dBm at one metre", "1 m で {0} dBm")
        case .measureAgain: ("Measure again?", "もう一度測定しますか？")
        case .presentThresholds:
            ("The region is {0} at present. Answer n to keep that.", "現在の設定は「{0}」です。このままにする場合は n と答えてください。")
        case .furtherThresholds:
            (
                "\"{0}\" is inside only while its present signs are near. Those limits are not for this beacon, which sends with another strength: without its own, the region is inside wherever it is received.",
                "「{0}」は今の目印が近くにあるときだけ圏内になりますが、このビーコンは電波の強さが違うため、その設定は使われません。このビーコンでも測定しないと、受信できる場所すべてで圏内になります。"
            )
        case .onlyNear:
            (
                "Is the region inside only while the beacon is near, for example in one room? The measurement takes a minute.",
                "同じ部屋の中など、ビーコンが近くにあるときだけ圏内にしますか？ 測定に 1 分かかります。"
            )
        case .placeFarthest:
            (
                "Put the beacon at the farthest place that is still inside the region, step aside, and press Enter: ",
                "圏内にしたい範囲で最も遠い場所にビーコンを置き、離れてから Enter を押してください："
            )
        case .notReceivedThere: ("The beacon was not received at that place.", "その場所ではビーコンを受信できませんでした。")
        case .thresholds:
            (
                "The filtered signal is {0} dBm; {1}, so the thresholds are {2} dB apart.",
                "平滑化した信号は {0} dBm です。{1}ため、2 つのしきい値の差は {2} dB になります。"
            )
        case .varies: ("it varies by {0} dB", "ばらつきが {0} dB の")
        case .tooFew: ("{0} readings are too few to measure how much it varies", "受信が {0} 回と少なく、ばらつきを測定できない")
        case .insideFrom: ("inside from {0} dBm", "{0} dBm 以上で圏内")
        case .outsideBelow: ("outside below {0} dBm", "{0} dBm 未満で圏外")
        case .asksOnArrival: ("on arrival, Okaeri asks whether to join \"{0}\"", "到着時に「{0}」に接続するか確認")
        case .noNetworkAnyMore: ("without a Wi-Fi from now on", "今後は Wi-Fi なし")
        case .facts: ("{0}: {1}", "{0}：{1}")
        case .writes: ("Write that to {0}?", "{0} に書き込みますか？")
        case .written: ("{0} is written.", "{0} に書き込みました。")
        case .writtenWithBackup: ("{0} is written; the one before is {1}.", "{0} に書き込みました。以前のファイルは {1} です。")
        default: ("Next:", "次の手順：")
        }
    }
}
