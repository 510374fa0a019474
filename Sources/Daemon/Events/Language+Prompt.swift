import Plumbing
package import WiFi

/// The words of a prompt and of its result, on the page of an answer and in notifications.
extension Language {
    /// Returns the question.
    ///
    /// - Parameter node: The machine that asks, if the question is read elsewhere.
    package func question(ssid: String, _ situation: PromptSituation?, on node: String? = nil) -> String {
        let name = ssid.plain(replacement: "\u{FFFD}", replacesFormat: true)
        let machine = node.flatMap { $0.isEmpty ? nil : $0.plain(replacement: "\u{FFFD}", replacesFormat: true) }
        return switch (self, situation) {
        case (.english, .radioOff), (.english, .countryUnset):
            "Wi-Fi is off" + (machine.map { " on \($0)" } ?? "") + ": switch it on and join “\(name)”?"
        case (.english, _): "Join the Wi-Fi “\(name)”" + (machine.map { " on \($0)" } ?? "") + "?"
        case (.japanese, .radioOff), (.japanese, .countryUnset):
            (machine.map { "\($0) の" } ?? "") + "Wi-Fi がオフです。オンにして「\(name)」に接続しますか？"
        case (.japanese, _): (machine.map { "\($0) を" } ?? "") + "Wi-Fi「\(name)」に接続しますか？"
        }
    }

    /// Returns a sentence about the circumstance of a prompt; `nil` if the question itself names it.
    package func note(_ situation: PromptSituation?) -> String? {
        switch (self, situation) {
        case (_, nil), (_, .radioOff): nil
        case (.english, .countryUnset):
            "The country of the Wi-Fi is not set; set it with `sudo raspi-config`, under Localisation Options."
        case (.japanese, .countryUnset):
            "Wi-Fi の国が設定されていません。`sudo raspi-config` の Localisation Options で設定してください。"
        case (.english, .ethernet): "This machine is connected by Ethernet."
        case (.english, .mobile): "This machine is connected by a mobile network."
        case (.english, .otherConnection): "This machine has another connection."
        case (.english, .weakTwin): "This machine is connected to an unprotected network of the same name."
        case (.japanese, .ethernet): "この機器は有線 LAN で接続されています。"
        case (.japanese, .mobile): "この機器はモバイル回線で接続されています。"
        case (.japanese, .otherConnection): "この機器は別の回線で接続されています。"
        case (.japanese, .weakTwin): "この機器は保護のない同名のネットワークに接続されています。"
        }
    }

    /// The words for the answer `join`.
    package var join: String {
        switch self {
        case .english: "Join"
        case .japanese: "接続する"
        }
    }

    /// The words for the answer `later`.
    package var notNow: String {
        switch self {
        case .english: "Not now"
        case .japanese: "あとで"
        }
    }
}
