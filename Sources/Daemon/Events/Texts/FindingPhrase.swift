import OkaeriPlumbing

/// The parts that findings are about, as `okaeri doctor` shows them.
package enum SubjectPhrase: String, Phrase {
    case configuration, regions, adapter, rfkill, permission, bluetoothd, kernel, desktop, agent, service, group, beacon
    case daemon, bluetooth, state, history, restart, reload, access, mqtt, page, web, metrics, mDNS, notify, services,
        battery, source, exitTime, identity, network

    /// The part with the name of a finding's subject, in either case; `nil` for one of a later version.
    package init?(subject: String) {
        guard let phrase = Self.allCases.first(where: { $0.rawValue.lowercased() == subject.lowercased() }) else {
            return nil
        }
        self = phrase
    }

    /// The parts that a daemon judges. The others are those of the doctor alone.
    package static let ofDaemon: [SubjectPhrase] = [
        .configuration, .regions, .daemon, .bluetooth, .state, .history, .restart, .access, .mqtt, .web, .metrics,
        .mDNS,
        .notify, .services, .battery, .source, .exitTime, .identity,
    ]

    package var texts: (english: String, japanese: String) { (english, japanese) }

    private var english: String {
        switch self {
        case .mqtt: "MQTT"
        case .bluetooth: "Bluetooth"
        case .web: "web page"
        case .exitTime: "exit time"
        default: rawValue
        }
    }

    private var japanese: String {
        switch self {
        case .configuration: "設定"
        case .regions: "リージョン"
        case .adapter: "アダプター"
        case .rfkill: "rfkill"
        case .permission: "権限"
        case .bluetoothd: "bluetoothd"
        case .kernel: "カーネル"
        case .desktop: "デスクトップ"
        case .agent: "エージェント"
        case .service: "サービス"
        case .group: "グループ"
        case .beacon: "ビーコン"
        case .daemon: "デーモン"
        case .bluetooth: "Bluetooth"
        case .state: "状態"
        case .history: "履歴"
        case .restart: "再起動"
        case .reload: "再読み込み"
        case .access: "アクセス"
        case .mqtt: "MQTT"
        case .page, .web: "ページ"
        case .metrics: "Metrics"
        case .mDNS: "mDNS"
        case .notify: "通知"
        case .services: "機器"
        case .battery: "電池"
        case .source: "信号源"
        case .exitTime: "退出時間"
        case .identity: "識別"
        case .network: "ネットワーク"
        }
    }
}

extension Language {
    /// Returns the part of a finding by its subject, which may have a name in quotation marks: `network “HomeNet”`.
    func part(_ subject: String) -> String {
        if let phrase = SubjectPhrase(subject: subject) { return self(phrase) }
        guard self == .japanese, subject.hasSuffix("”"), let start = subject.firstRange(of: " “"),
            let phrase = SubjectPhrase(subject: String(subject[..<start.lowerBound]))
        else { return subject }
        return "\(self(phrase))「\(subject[start.upperBound...].dropLast())」"
    }
}

extension Finding.Verdict: Phrase {
    package var texts: (english: String, japanese: String) {
        switch self {
        case .ok: (rawValue, "正常")
        case .wrong: (rawValue, "異常")
        case .note: (rawValue, "注意")
        }
    }
}

/// The texts of the findings of a daemon in Japanese, by their codes; of what is ok, by their subjects. A remedy follows an arrow.
extension Finding {
    /// The mark between a finding and its remedy in a text.
    static let arrow = " → "

    /// A finding and its remedy in Japanese.
    package struct Translation: Sendable, Equatable {
        package var sentence: String
        package var remedy: String?

        /// - Parameter text: The finding, and after an arrow the remedy, if there is one.
        init(_ text: String) {
            let parts = text.split(separator: Finding.arrow, maxSplits: 1).map(String.init)
            (sentence, remedy) = (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
        }
    }

    /// The texts of a finding of the daemon; `nil` if a later version has it, or the values are missing.
    package var translation: Translation? {
        if let japanese { return japanese }
        let values = values ?? []
        guard let text = japaneseText(values),
            !(0...9).contains(where: { $0 >= values.count && text.contains("{\($0)}") })
        else { return nil }
        return Translation(text.filled(with: values))
    }

    private func japaneseText(_ values: [String]) -> String? {
        guard let code else { return japaneseIfFine }
        return switch Code(rawValue: code) {
        case .notPoweredOn:
            values.count < 3 ? nil : Language.japanese.bluetooth(code: values[0], adapter: values[1], reason: values[2])
        case .brokerAway, .brokerUnsuitable:
            values.count < 3 ? nil : Language.japanese.broker(code: values[0], address: values[1], reason: values[2])
        case .notReal: "本物ではありません：" + Language.japanese.simulated(values)
        case let code: code?.japanese
        }
    }

    private var japaneseIfFine: String? {
        guard verdict != .wrong else { return nil }
        return switch subject {
        case "daemon": "動作しています（リージョン {0} 件）"
        case "mqtt": "MQTT ブローカー {0} に接続済み"
        case "mDNS": "ネットワークでの名前は「{0}」です"
        case "notify": "{0}：起動後に {1} 件送信しました"
        case "access": "MQTT ブローカーがログインなしのメッセージを受け付けています → ログインとアクセス制限を設定してください"
        default: "{0} で待ち受けています"
        }
    }
}

extension Finding.Code {
    /// The finding and its remedy in Japanese, with the values of the finding in the places of `{0}` to `{9}`; `nil` if its text follows
    /// from the code of Bluetooth or of the broker, or has a list in it.
    var japanese: String? {
        switch self {
        case .notPoweredOn, .brokerAway, .brokerUnsuitable, .notReal: nil
        case .stale: "デーモンの処理が止まっています → \(Remedy.restart().japaneseOrder("で再起動してください"))"
        case .notScanned: "{0} で {1} 秒間受信していません → \(Remedy.log().japanese("で"))理由を確認してください"
        case .notKept: "状態を保存できません：{0} → `df -h` でディスクを確認してください"
        case .noHistory: "履歴を書き込めません：{0}"
        case .restartPending: "{0} の変更は再起動後に有効になります（{1}） → \(Remedy.restart().japaneseOrder())"
        case .notRead:
            "設定を読み直せませんでした。以前の設定のまま動いています：{0} → ファイルを直し、`okaeri config check` で確認して\(Remedy.reload().japaneseOrder(after: "から"))"
        case .notUsed:
            "ページで保存したリージョンの一部は使われていません：{0} → ファイルを直すか削除し、\(Remedy.reload().japaneseOrder())"
        case .brokerWasAway: "最後の問題は {0} です：{1}"
        case .brokerOpen:
            "MQTT ブローカーがログインなしのメッセージを受け付けています。ブローカーに接続できるすべてのプログラムが、この家の受信記録を送信でき、それによってコマンドを実行させることができます → "
                + "/usr/share/doc/okaeri/broker.md のとおりに、ログインとアクセス制限を設定してください"
        case .notServed: "{1} で待ち受けできません：{2}"
        case .notMoved: "以前のアドレスのままです：{1} → beacons.json の \"{0}\" を直し、\(Remedy.reload().japaneseOrder())"
        case .notAnnounced: "ネットワークからページが見つかりません：{0}"
        case .notDelivered: "{0} に通知を送れませんでした：{1}"
        case .noneDelivered: "{0}：起動後にまだ送信していません。`okaeri notify test` で試せます"
        case .peripheralNotConnected: "{0} の機器に接続できませんでした：{1}"
        case .lowBattery: "「{0}」：major {1}、minor {2} のビーコンの残量は {3} %（{4}） → ビーコンの電池を交換してください"
        case .longSilence:
            "「{0}」：major {1}、minor {2} のビーコンの途絶が最長の退出時間（{3} 秒）を超えるため、誤った退出が起こりがちです → "
                + "ビーコンの発信間隔を短くするか、beacons.json に \"scan\": \"continuous\" を設定してください"
        case .sharedIdentity:
            Self.identity + ExplanationPhrase.sharedIdentity.texts.japanese.filled(with: ["{3}"])
        case .changingIdentity:
            Self.identity + ExplanationPhrase.changingIdentity.texts.japanese.filled(with: ["{3}", "{4}"])
        }
    }

    private static let identity = "「{0}」：major {1}、minor {2}："

    /// The parts of ``japanese``.
    package var translation: Finding.Translation? { japanese.map { Finding.Translation($0) } }
}
