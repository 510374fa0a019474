import HCI
package import OkaeriEvents
import OkaeriPlumbing
package import OkaeriWiFi

/// The questions on a terminal, and their answers.
extension Language {
    /// The question that a prompt puts on a terminal.
    package func terminalQuestion(ssid: String, _ situation: PromptSituation?) -> String {
        let question = question(ssid: ssid, situation)
        let note = note(situation)
        let action = situation?.action ?? .join
        let greeting = action.isOfDeparture ? nil : welcome + (self == .english ? "." : "。")
        let choice =
            switch (self, action) {
            case (.english, .join): "[j]oin, [l]ater, never:"
            case (.english, _): "[y]es, [l]ater, never:"
            case (.japanese, .join): " [j] 接続する / [l] あとで / 今後は聞かない:"
            case (.japanese, _): "[y] はい / [l] あとで / 今後は聞かない:"
            }
        return [greeting, note, question, choice].compactMap(\.self).joined(separator: self == .english ? " " : "")
    }

    /// Returns the answer that a person typed; `nil` for anything else.
    package func answer(_ text: String) -> PromptAnswer? {
        let words: [PromptAnswer: [String]] = [
            .join: ["j", "join", "y", "yes", "はい", "接続", "接続する"],
            .later: ["l", "later", "n", "no", "あとで", "後で", "いいえ"],
            .never: ["never", "今後は聞かない"],
        ]
        let typed = text.lowercased().filter { !$0.isWhitespace }
        return words.first { $0.value.contains(typed) }?.key
    }
}

/// The notifications.
extension Language {
    /// The question as a notification.
    ///
    /// - Parameters:
    ///   - hasButtons: Whether the server can show them; otherwise the text gives the commands.
    ///   - hasMarkup: whether the server reads the text as markup.
    func question(_ prompt: PromptKey, hasButtons: Bool, hasMarkup: Bool) -> DesktopNotification {
        let question = Self.shown(question(ssid: prompt.ssid, prompt.situation), hasMarkup)
        let sentences = [question, note(prompt.situation)].compactMap(\.self)
        let command = hasButtons ? "" : " okaeri answer \(prompt.id) join"
        let others =
            switch self {
            case .english: " (or later, or never)"
            case .japanese: "（あとで: later、今後は聞かない: never）"
            }
        let buttons = PromptAnswer.allCases.map {
            DesktopNotification.Button(key: $0.rawValue, label: label($0, prompt.situation))
        }
        return DesktopNotification(
            summary: prompt.situation?.action.isOfDeparture == true ? "Okaeri" : welcome,
            body: sentences.joined(separator: self == .english ? " " : "") + (hasButtons ? "" : command + others),
            buttons: hasButtons ? buttons : [], stays: true)
    }

    /// Returns the notification of an answer's result.
    func outcome(_ outcome: PromptBoard.Outcome, hasMarkup: Bool) -> DesktopNotification {
        let text =
            switch (self, outcome) {
            case (_, .completed(let action, let ssid)): completed(action, ssid: ssid)
            case (_, .notCompleted(let action, let ssid, let code, let reason)):
                notCompleted(action, ssid: ssid, reason: self.reason(code, reason))
            case (_, .accessLimited(let ssid, let code, let reason)):
                accessLimited(ssid: ssid, reason: self.reason(code, reason))
            case (.english, .tooLate(let ssid)):
                "The question about “\(ssid)” was answered already, or withdrawn."
            case (.japanese, .tooLate(let ssid)): "「\(ssid)」の質問は、すでに回答されたか、取り下げられました。"
            case (.english, .notAnswered(let ssid, let reason)):
                "The answer about “\(ssid)” did not arrive: \(reason)"
            case (.japanese, .notAnswered(let ssid, let reason)): "「\(ssid)」への回答が届きませんでした: \(reason)"
            }
        return DesktopNotification(summary: "Wi-Fi", body: Self.shown(text, hasMarkup))
    }

    /// Returns the notification that Bluetooth does not work.
    func bluetooth(_ update: AdapterUpdate, hasMarkup: Bool) -> DesktopNotification {
        DesktopNotification(
            summary: self == .english ? "Bluetooth does not work" : "Bluetooth が使えません",
            body: Self.shown(bluetoothReason(update), hasMarkup), stays: true)
    }

    /// Foreign text as it can be shown: on one line, nothing turned around, and no markup where markup is read.
    private static func shown(_ text: String, _ hasMarkup: Bool) -> String {
        let plain = text.plain(replacement: "\u{FFFD}", replacesFormat: true)
        return hasMarkup ? plain.escapedForMarkup : plain
    }
}
