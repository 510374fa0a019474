import OkaeriPlumbing

/// The state of the connection to the MQTT broker, for programs and translations: a stable name.
package enum BrokerCode: String, Sendable, CaseIterable {
    case connecting, connected, stopped
    case unknownHost, refused, unreachable, silent, closed, certificate, clientCertificate, noTLS, tls, file
    case login, loginNeeded, clientIdentifier, banned, protocolVersion, full, unavailable, moved
    case retainUnavailable, qualityUnavailable, packetTooLarge, deliversNothing, withholdsRetained, reason
    case lost, unsteady, shuttingDown, twin, unanswered, malformed, other
    case notPermitted, notAccepted, siteTaken

    /// The state and the remedy in Japanese, with `{0}` in the place of the broker's address, and `{1}` in that of the daemon's own
    /// sentence, where that alone names a file or a topic.
    private var japanese: String {
        switch self {
        case .connecting:
            "MQTT ブローカー {0} に接続しています"
        case .connected:
            "MQTT ブローカー {0} に接続済み"
        case .stopped:
            "MQTT ブローカー {0} との接続を終了しました"
        case .notPermitted:
            "MQTT ブローカー {0} が必要なトピックを許可していません：{1}"
        case .notAccepted:
            "MQTT ブローカー {0} がメッセージを受け付けません。ブローカーのログを確認してください"
        case .siteTaken:
            "同じサイトで別のノードがハブになっています。`okaeri nodes` で確認してください"
        case .unknownHost:
            "ブローカー {0} の名前が見つかりません。beacons.json の \"host\" を直してください"
        case .refused:
            "{0} ではブローカーが待ち受けていません。\(Remedy.start("mosquitto").japaneseOrder("で起動するか", or: "するか"))、\"port\" を直してください"
        case .unreachable:
            "ブローカー {0} に接続できません。その機器の電源とネットワークを確認してください"
        case .silent:
            "{0} が応答しません。このポートで MQTT 5 のブローカーが動いているか確認してください"
        case .closed:
            "{0} が接続を閉じました。ポートが TLS 用かどうかと、ブローカーのログを確認してください"
        case .certificate:
            "ブローカー {0} の証明書を使えません。CA、名前、有効期限と、この機器の時計を確認してください"
        case .clientCertificate:
            "ブローカー {0} がこの機器の証明書を受け付けません。\"tls\" の \"certificate\" と \"key\" を設定してください"
        case .noTLS:
            "{0} は TLS に対応していません。TLS 用のポート（通常は 8883）を使うか、\"tls\" を削除してください"
        case .tls:
            "ブローカー {0} との TLS 通信に失敗しました。ブローカーのログを確認してください"
        case .file:
            "{0} への接続に必要なファイルを使えません：{1}"
        case .login:
            "ブローカー {0} がユーザー名とパスワードを受け付けません。\"username\" とパスワードのファイルを直してください"
        case .loginNeeded:
            "ブローカー {0} にはログインが必要です。\"mqtt\" の \"username\" と \"passwordFile\" を設定してください"
        case .clientIdentifier:
            "ブローカー {0} がクライアント ID を受け付けません。この機器の \"node\" に別の名前を付けてください"
        case .banned:
            "ブローカー {0} がこの機器を拒否しています。ブローカーで許可してください"
        case .protocolVersion, .malformed:
            "{0} は MQTT 5 に対応していません。ブローカーを更新してください（mosquitto 1.6 以降）"
        case .full:
            "ブローカー {0} の接続数が上限に達しています。上限を上げてください"
        case .moved:
            "ブローカー {0} が別のブローカーを指定しています。beacons.json の \"host\" を直してください"
        case .retainUnavailable:
            "ブローカー {0} がメッセージを保持しません。mosquitto.conf に `retain_available true` を書いてください"
        case .qualityUnavailable:
            "ブローカー {0} が確認付きのメッセージを受け付けません。mosquitto.conf に `max_qos 2` を書いてください"
        case .packetTooLarge:
            "ブローカー {0} が長いメッセージを受け付けません。mosquitto.conf の `message_size_limit` を上げてください"
        case .deliversNothing:
            "ブローカー {0} からメッセージが届きません。ブローカーの ACL ファイルで okaeri/# の読み取りを許可してください"
        case .withholdsRetained:
            "ブローカー {0} が保持メッセージを届けません。mosquitto など、別のブローカーを使ってください"
        case .unsteady, .twin:
            "別の機器が {0} で同じクライアント ID を使っているようです。機器ごとに別の \"node\" の名前を付けてください"
        case .unavailable:
            "ブローカー {0} の準備ができていません。もう一度試します"
        case .lost:
            "{0} との接続が切れました。もう一度接続します"
        case .shuttingDown:
            "ブローカー {0} が停止中です。もう一度接続します"
        case .unanswered:
            "ブローカー {0} が応答しなくなりました。もう一度接続します"
        case .reason, .other:
            "{0} に接続できませんでした。ブローカーのログを確認してください"
        }
    }

    /// The texts of the page, by the codes.
    package static var japaneseTexts: [String: String] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0.japanese) })
    }
}

extension Language {
    /// Returns the state of the connection to the broker, its reason and the remedy.
    ///
    /// - Parameters:
    ///   - code: The state. A later version may have others, whose sentences are returned as they are.
    ///   - reason: The daemon's own sentence, in English.
    package func broker(code: String?, address: String?, reason: String) -> String {
        guard self == .japanese, let address, let text = code.flatMap({ BrokerCode.japaneseTexts[$0] }) else {
            return reason
        }
        return text.filled(with: [address.plain(replacement: "\u{FFFD}", replacesFormat: true), reason])
    }
}
