import OkaeriPlumbing
package import OkaeriWiFi

/// The words of a prompt and of its result, on the page of an answer and in notifications.
extension Language {
    /// Returns the question.
    ///
    /// - Parameter node: The machine that asks, if the question is read elsewhere.
    package func question(ssid: String, _ situation: PromptSituation?, on node: String? = nil) -> String {
        let name = ssid.plain(replacement: "\u{FFFD}", replacesFormat: true)
        let machine = node.flatMap { $0.isEmpty ? nil : $0.plain(replacement: "\u{FFFD}", replacesFormat: true) }
        let on = machine.map { " on \($0)" } ?? ""
        let possessive = machine.map { "\($0) の" } ?? ""
        let isOff = situation.map { [.radioOff, .countryUnset, .hotspotRadioOff].contains($0) } ?? false
        return switch (self, situation?.action ?? .join) {
        case (.english, .join) where isOff: "Wi-Fi is off\(on): switch it on and join “\(name)”?"
        case (.english, .join): "Join the Wi-Fi “\(name)”\(on)?"
        case (.english, .hotspot) where isOff: "Wi-Fi is off\(on): switch it on and open the hotspot “\(name)”?"
        case (.english, .hotspot): "Open the hotspot “\(name)”\(on)?"
        case (.english, .radioOn): "Wi-Fi is off\(on): switch it on for “\(name)”?"
        case (.english, .leave): "Leave the Wi-Fi “\(name)”\(on)?"
        case (.english, .hotspotOff): "Close the hotspot “\(name)”\(on)?"
        case (.english, .radioOff): "Switch Wi-Fi off\(on)?"
        case (.japanese, .join) where isOff: "\(possessive)Wi-Fi がオフです。オンにして「\(name)」に接続しますか？"
        case (.japanese, .join): (machine.map { "\($0) を" } ?? "") + "Wi-Fi「\(name)」に接続しますか？"
        case (.japanese, .hotspot) where isOff: "\(possessive)Wi-Fi がオフです。オンにしてアクセスポイント「\(name)」を開きますか？"
        case (.japanese, .hotspot): "\(possessive)アクセスポイント「\(name)」を開きますか？"
        case (.japanese, .radioOn): "\(possessive)Wi-Fi がオフです。「\(name)」のためにオンにしますか？"
        case (.japanese, .leave): "\(possessive)Wi-Fi「\(name)」から切断しますか？"
        case (.japanese, .hotspotOff): "\(possessive)アクセスポイント「\(name)」を閉じますか？"
        case (.japanese, .radioOff): "\(possessive)Wi-Fi をオフにしますか？"
        }
    }

    /// Returns the reason of a question: the region that was entered or left.
    package func occasion(_ action: NetworkAction, region: String) -> String {
        switch (self, action.isOfDeparture) {
        case (.english, false): "\(region) was entered."
        case (.english, true): "\(region) was left."
        case (.japanese, false): "\(region) に入りました。"
        case (.japanese, true): "\(region) から出ました。"
        }
    }

    /// Returns that an action runs; `nil` for one that takes no time to speak of.
    package func underWay(_ action: NetworkAction, ssid: String) -> String? {
        guard action == .join else { return nil }
        let name = ssid.plain(replacement: "\u{FFFD}", replacesFormat: true)
        return self == .english ? "Joining “\(name)” …" : "「\(name)」に接続しています…"
    }

    /// Returns the result of an action, in one sentence.
    package func completed(_ action: NetworkAction, ssid: String) -> String {
        let name = ssid.plain(replacement: "\u{FFFD}", replacesFormat: true)
        return switch (self, action) {
        case (.english, .join): "Connected to “\(name)”."
        case (.english, .hotspot): "The hotspot “\(name)” is open."
        case (.english, .radioOn): "Wi-Fi is on."
        case (.english, .leave): "Left the Wi-Fi “\(name)”."
        case (.english, .hotspotOff): "The hotspot “\(name)” is closed."
        case (.english, .radioOff): "Wi-Fi is off."
        case (.japanese, .join): "「\(name)」に接続しました。"
        case (.japanese, .hotspot): "アクセスポイント「\(name)」を開きました。"
        case (.japanese, .radioOn): "Wi-Fi をオンにしました。"
        case (.japanese, .leave): "Wi-Fi「\(name)」から切断しました。"
        case (.japanese, .hotspotOff): "アクセスポイント「\(name)」を閉じました。"
        case (.japanese, .radioOff): "Wi-Fi をオフにしました。"
        }
    }

    /// Returns that an action failed.
    ///
    /// - Parameter reason: The sentence of the failure, if it is to follow.
    package func notCompleted(_ action: NetworkAction, ssid: String, reason: String? = nil) -> String {
        let name = ssid.plain(replacement: "\u{FFFD}", replacesFormat: true)
        let end = reason.map { (self == .english ? ": " : "：") + $0 } ?? ""
        return switch (self, action) {
        case (.english, .join): "“\(name)” could not be joined\(end)"
        case (.english, .hotspot): "The hotspot “\(name)” could not be opened\(end)"
        case (.english, .radioOn): "Wi-Fi could not be switched on\(end)"
        case (.english, .leave): "“\(name)” could not be left\(end)"
        case (.english, .hotspotOff): "The hotspot “\(name)” could not be closed\(end)"
        case (.english, .radioOff): "Wi-Fi could not be switched off\(end)"
        case (.japanese, .join): "「\(name)」に接続できませんでした\(end)"
        case (.japanese, .hotspot): "アクセスポイント「\(name)」を開けませんでした\(end)"
        case (.japanese, .radioOn): "Wi-Fi をオンにできませんでした\(end)"
        case (.japanese, .leave): "「\(name)」から切断できませんでした\(end)"
        case (.japanese, .hotspotOff): "アクセスポイント「\(name)」を閉じられませんでした\(end)"
        case (.japanese, .radioOff): "Wi-Fi をオフにできませんでした\(end)"
        }
    }

    /// Returns the reason of a failed action or of a limited access to the Internet.
    ///
    /// - Parameters:
    ///   - code: The code of the event. A newer daemon may have others, whose reasons are returned as they are.
    ///   - reason: The event's sentence in English.
    package func reason(_ code: String, _ reason: String) -> String {
        guard self == .japanese else { return reason }
        return JoinFailure.Code(rawValue: code)?.japanese(reason)
            ?? InternetAccess.Limitation(rawValue: code)?.japanese(reason) ?? reason
    }

    /// Returns that a network was joined and its access to the Internet is limited.
    package func accessLimited(ssid: String, reason: String) -> String {
        let name = ssid.plain(replacement: "\u{FFFD}", replacesFormat: true)
        return self == .english ? "“\(name)” is connected, but \(reason)" : "「\(name)」に接続しましたが、\(reason)"
    }

    /// Returns a sentence about the circumstance of a prompt; `nil` if the question itself names it.
    package func note(_ situation: PromptSituation?) -> String? {
        switch (self, situation) {
        case (_, nil), (_, .radioOff), (_, .hotspot), (_, .hotspotRadioOff), (_, .switchOn), (_, .leave),
            (_, .hotspotOff), (_, .switchOff):
            nil
        case (.english, .hotspotInstead): "The hotspot ends the present Wi-Fi connection of this machine."
        case (.japanese, .hotspotInstead): "開くと、この機器の現在の Wi-Fi 接続は切断されます。"
        case (.english, .leaveLoggedIn), (.english, .hotspotOffLoggedIn), (.english, .switchOffLoggedIn):
            "A user is logged in over this connection. The connection ends then."
        case (.japanese, .leaveLoggedIn), (.japanese, .hotspotOffLoggedIn), (.japanese, .switchOffLoggedIn):
            "この接続を使ってログインしている人がいます。接続は切断されます。"
        case (.english, .countryUnset):
            "The country of the Wi-Fi is not set; set it with \(Remedy.machine("raspi-config")), under Localisation Options."
        case (.japanese, .countryUnset):
            "Wi-Fi の国が設定されていません。\(Remedy.machine("raspi-config").japanese()) の Localisation Options で設定してください。"
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

    /// Returns the label of an answer: `join` is yes to every question.
    package func label(_ answer: PromptAnswer, _ situation: PromptSituation?) -> String {
        switch (self, answer, situation?.action ?? .join) {
        case (.english, .join, .join): "Join"
        case (.japanese, .join, .join): "接続する"
        case (.english, .join, _): "Yes"
        case (.japanese, .join, _): "はい"
        case (.english, .later, _): "Later"
        case (.japanese, .later, _): "あとで"
        case (.english, .never, _): "Never"
        case (.japanese, .never, _): "今後は聞かない"
        }
    }

    /// The greeting above the question of an arrival.
    package var welcome: String { self == .english ? "Welcome home" : "お帰りなさい" }

    /// The words for the answer `later`.
    package var notNow: String {
        switch self {
        case .english: "Not now"
        case .japanese: "あとで"
        }
    }
}
