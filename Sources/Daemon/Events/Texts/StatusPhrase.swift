import OkaeriPlumbing
import OkaeriWiFi
import HCI
package import RegionMonitoring

/// The texts of `okaeri status`.
package enum StatusPhrase: Phrase {
    // The labels of the lines.
    case regions, bluetooth, wifi, mqtt, notify, state, page, metrics, mDNS, restart, notRead, never, prompt, dropped,
        notReal, wrong, stale
    // Regions.
    case noRegions, insideOfAll, unknownOfAll, inside, outside, unknown, lastKnown, since, inRoom, waitsFor,
        decidedBy, battery, phone, beacon,
        distance, received
    case batteryLow, replaceBattery
    // Bluetooth and its scan.
    case listening, notListening, poweredOn, poweredOff, unauthorized, unsupported, resetting
    case scanAll, scanPart
    // Wi-Fi.
    case noNetworkManager, hardwareOff, radioOff, noDevice, connecting, notUsable, notConnected, otherConnection,
        withoutSecurity
    case connected, captivePortal, noInternet, isHome
    case noPrompt, onePrompt, prompts, coolDown
    // The other lines.
    case peripheralNotConnected, peripheralConnected, sinceTime, notConnectedSince
    case lastNotification, noNotification, waiting, notDelivered, notifies
    case stateNew, stateRestored, stateOfUnknownAge, stateStale, notKept, noHistory
    case served, notMoved, notServed, discovered, notDiscovered, noNameYet
    case pending, inForce, notUsed, neverAsked, droppedPackets, capture, simulatedWiFi, stuck

    package var texts: (english: String, japanese: String) { labels ?? presence ?? network ?? others }

    private var labels: (english: String, japanese: String)? {
        switch self {
        case .regions: ("Regions", "リージョン")
        case .bluetooth: ("Bluetooth", "Bluetooth")
        case .wifi: ("Wi-Fi", "Wi-Fi")
        case .mqtt: ("MQTT", "MQTT")
        case .notify: ("Notify", "通知")
        case .state: ("State", "状態")
        case .page: ("Page", "ページ")
        case .metrics: ("Metrics", "Metrics")
        case .mDNS: ("mDNS", "mDNS")
        case .restart: ("Restart", "再起動")
        case .notRead: ("NOT READ", "読込失敗")
        case .never: ("Never", "確認なし")
        case .prompt: ("Prompt {0}", "確認 {0}")
        case .dropped: ("Dropped", "欠落")
        case .notReal: ("NOT REAL", "模擬")
        case .wrong: ("WRONG", "異常")
        case .stale: ("STALE", "応答なし")
        default: nil
        }
    }

    private var presence: (english: String, japanese: String)? {
        switch self {
        case .noRegions:
            ("none yet; \(Remedy.setup()) finds your beacon", "まだありません。\(Remedy.setup().japanese("で"))ビーコンを登録してください")
        case .insideOfAll: ("{0} of {1} inside", "{1} 件のうち {0} 件が圏内")
        case .unknownOfAll: ("{0} of {1} inside, {2} unknown", "{1} 件のうち {0} 件が圏内、{2} 件が不明")
        case .inside: ("inside", "圏内")
        case .outside: ("outside", "圏外")
        case .unknown: ("unknown", "不明")
        case .lastKnown: ("{0} (last known: {1})", "{0}（最後に分かっていた状態：{1}）")
        case .since: ("{0} since {1}", "{0}（{1} から）")
        case .inRoom: ("{0}, in {1}", "{0}、部屋：{1}")
        case .waitsFor: ("{0}, waits for {1}", "{0}、待機中：{1}")
        case .decidedBy: ("{0}, by {1}", "{0}、判定：{1}")
        case .battery: ("battery {0} %", "電池残量 {0} %")
        case .phone: ("phone", "スマートフォン")
        case .beacon: ("major {0} minor {1}", "major {0} minor {1}")
        case .distance: ("{0} m {1}", "{0} m")
        case .received: ("received {0} s ago", "{0} 秒前に受信")
        case .batteryLow:
            (
                "BATTERY LOW: the beacon with major {0} and minor {1} had {2} % at {3}",
                "電池残量低下：major {0}、minor {1} のビーコンの残量は {2} %（{3}）"
            )
        case .replaceBattery: ("{0}; replace the battery of the beacon", "{0}。ビーコンの電池を交換してください")
        case .listening: ("{0}, listening on {1}", "{0}、{1} で受信中")
        case .notListening: ("{0}, not listening on {1}", "{0}、{1} で受信していません")
        case .poweredOn: ("poweredOn", "オン")
        case .poweredOff: ("poweredOff", "オフ")
        case .unauthorized: ("unauthorized", "権限なし")
        case .unsupported: ("unsupported", "アダプターなし")
        case .resetting: ("resetting", "再起動中")
        case .scanAll: ("all of the time: {0}", "常時受信：{0}")
        case .scanPart: ("{1} % of the time: {0}", "時間の {1} % を受信：{0}")
        default: nil
        }
    }

    private var network: (english: String, japanese: String)? {
        switch self {
        case .noNetworkManager:
            (
                "NetworkManager does not answer; \(Remedy.start("NetworkManager").order("", " starts it"))",
                "NetworkManager が応答しません。\(Remedy.start("NetworkManager").japaneseOrder("で起動できます"))"
            )
        case .hardwareOff:
            (
                "off, by a switch or key of this machine; `rfkill list wifi` shows which",
                "機器のスイッチかキーでオフになっています。`rfkill list wifi` で確認できます"
            )
        case .radioOff: ("off; `nmcli radio wifi on` switches it on", "オフです。`nmcli radio wifi on` でオンになります")
        case .noDevice:
            ("no Wi-Fi device; `nmcli device` lists what there is", "Wi-Fi デバイスがありません。`nmcli device` で確認できます")
        case .connecting: ("connecting, {0}", "接続処理中、{0}")
        case .notUsable: ("not usable: {0}", "使えません：{0}")
        case .notConnected: ("not connected, {0}", "未接続、{0}")
        case .otherConnection: ("not connected, {0}; another connection works ({1})", "未接続、{0}。別の接続（{1}）が使われています")
        case .withoutSecurity:
            (
                "connected to \"{0}\", {1}, WITHOUT WPA2 OR WPA3 ({2}): anyone can set up such a network",
                "「{0}」に接続済み、{1}。WPA2 も WPA3 もありません（{2}）：このようなネットワークは誰でも作れます"
            )
        case .connected: ("connected to \"{0}\", {1}", "「{0}」に接続済み、{1}")
        case .captivePortal:
            (
                "connected to \"{0}\", {1}; a login on a web page is required",
                "「{0}」に接続済み、{1}。Web ページでのログインが必要です"
            )
        case .noInternet: ("connected to \"{0}\", {1}; without Internet", "「{0}」に接続済み、{1}。インターネットには接続できません")
        case .isHome:
            (
                "connected to \"{0}\", {1}; Okaeri does not ask on arrival",
                "「{0}」に接続済み、{1}。到着時の確認は不要です"
            )
        case .noPrompt: ("\"{0}\": no prompt since the start", "「{0}」：起動後の確認はありません")
        case .onePrompt: ("\"{0}\": 1 prompt since the start", "「{0}」：起動後の確認 1 回")
        case .prompts: ("\"{0}\": {1 prompt} since the start", "「{0}」：起動後の確認 {1} 回")
        case .coolDown: ("{0}; none until {1}, because {2}", "{0}。{1} までは確認しません：{2}")
        case .peripheralNotConnected: ("not connected", "未接続")
        case .peripheralConnected: ("connected to {0}", "{0} に接続済み")
        default: nil
        }
    }

    private var others: (english: String, japanese: String) {
        switch self {
        case .sinceTime: ("{0}, since {1}", "{0}（{1} から）")
        case .notConnectedSince: ("not connected, since {0}", "{0} から未接続")
        case .lastNotification: ("the last one at {0}", "最後の送信 {0}")
        case .noNotification: ("none sent yet", "まだ送信していません")
        case .waiting: ("{0 message} queued", "送信待ち {0} 件")
        case .notDelivered: ("NOT DELIVERED: {0}", "送信失敗：{0}")
        case .notifies: ("{0} at {1}: {2}", "{0}（{1}）：{2}")
        case .stateNew: ("did not exist when the daemon started", "起動時に保存された状態はありませんでした")
        case .stateRestored: ("was restored; it is {0} old", "{0}前の状態を復元しました")
        case .stateOfUnknownAge:
            (
                "was restored; its age is unknown, because the clock has been set back",
                "保存された状態を復元しました。時計が戻されたため、保存の時刻は不明です"
            )
        case .stateStale:
            (
                "is stale, {0} old: all regions are unknown, and a beacon that is received now causes an enter event",
                "保存された状態が {0}前のもので古いため、すべてのリージョンが不明です。ビーコンを受信すると「入りました」となります"
            )
        case .notKept: ("NOT KEPT: {0}: {1}", "保存失敗：{0}：{1}")
        case .noHistory: ("NO HISTORY: {0}", "履歴の書き込み失敗：{0}")
        case .served: ("served at {0}", "{0} で表示できます")
        case .notMoved: ("served on {0}; NOT MOVED: {1}", "{0} のまま待ち受けています。変更失敗：{1}")
        case .notServed: ("NOT SERVED on {0}: {1}", "{0} で待ち受けできません：{1}")
        case .discovered: ("the network finds the page as \"{0}\"", "ネットワークでの名前は「{0}」です")
        case .notDiscovered: ("the network does not find the page: {0}", "ネットワークからページが見つかりません：{0}")
        case .noNameYet: ("there is no name yet", "名前がまだありません")
        case .pending:
            (
                "pending for {0}: {1}; \(Remedy.restart().order())",
                "{0} の変更は再起動後に有効になります（{1}）。\(Remedy.restart().japaneseOrder())"
            )
        case .inForce: ("the configuration of {0} stays in force:", "{0} の設定のまま動いています：")
        case .notUsed: ("NOT USED: {0}", "使われていません：{0}")
        case .neverAsked:
            (
                "\"{0}\" is never offered or joined, because you answered never; to undo that: okaeri prompts --clear {1}",
                "「{0}」は「今後は聞かない」と回答されたため、確認も接続もしません。取り消すには：okaeri prompts --clear {1}"
            )
        case .capture: ("capture", "記録ファイルの信号")
        case .simulatedWiFi: ("wifi", "模擬の Wi-Fi")
        case .droppedPackets: ("{0 packet} came faster than they were read", "{0} 個のパケットを読み切れませんでした")
        default:
            (
                "the daemon is stuck; \(Remedy.restart().order("restart it with "))",
                "デーモンの処理が止まっています。\(Remedy.restart().japaneseOrder("で再起動してください"))"
            )
        }
    }
}

extension StatusPhrase {
    /// The text of a region's state.
    package init(_ state: RegionState) {
        self =
            switch state {
            case .inside: .inside
            case .outside: .outside
            case .unknown: .unknown
            }
    }

    init(_ state: BluetoothState) {
        self =
            switch state {
            case .unknown: .unknown
            case .resetting: .resetting
            case .unsupported: .unsupported
            case .unauthorized: .unauthorized
            case .poweredOff: .poweredOff
            case .poweredOn: .poweredOn
            }
    }
}

extension ScanMode.Reason: Phrase {
    package var texts: (english: String, japanese: String) { (description, japanese) }

    private var japanese: String {
        switch self {
        case .configured: "設定で指定"
        case .wifiInUse: "2.4 GHz の Wi-Fi を使用中"
        case .wifiUnknown: "2.4 GHz の Wi-Fi を使用しているか不明"
        case .wifiNotInUse: "2.4 GHz の Wi-Fi は未使用"
        case .ownAntenna: "アダプターは専用アンテナを持つ USB スティック"
        case .connection: "アダプターが Bluetooth 接続中"
        case .lateBeacon: "ビーコンの受信が遅れているため"
        case .lateShareUsed: "ビーコンの受信が遅れていますが、常時受信に使える時間の上限に達しました"
        case .otherProgram: "ほかのプログラムが独自の設定でスキャン中"
        }
    }
}

extension NetworkCoolDown.Cause: Phrase {
    package var texts: (english: String, japanese: String) { (description, japanese) }

    private var japanese: String {
        switch self {
        case .recentOffer: "前回の確認か接続から 5 分たっていないため"
        case .failure: "前回の接続に失敗したため"
        case .lostConnection: "接続がすぐに切れたため"
        case .restart: "出た後に Okaeri が再起動したため"
        }
    }
}
