import Events
import Plumbing
import WiFi

/// The words of the notifications.
extension Language {
    /// The question as a notification.
    ///
    /// - Parameters:
    ///   - hasButtons: Whether the server can show them; otherwise the text gives the commands.
    ///   - hasMarkup: whether the server reads the text as markup.
    func question(_ prompt: PromptKey, hasButtons: Bool, hasMarkup: Bool) -> DesktopNotification {
        let question = Self.shown(question(ssid: prompt.ssid, prompt.situation), hasMarkup)
        let note = note(prompt.situation)
        let command = "okaeri answer \(prompt.id)"
        let isArrival = prompt.situation?.action.isOfDeparture != true
        let yes = join(prompt.situation)
        switch self {
        case .english:
            return DesktopNotification(
                summary: isArrival ? "Welcome home" : "Okaeri",
                body: [question, note].compactMap(\.self).joined(separator: " ")
                    + (hasButtons ? "" : " \(command) join (or later, or never)"),
                buttons: hasButtons ? buttons([yes, "Later", "Never"]) : [], stays: true)
        case .japanese:
            return DesktopNotification(
                summary: isArrival ? "お帰りなさい" : "Okaeri",
                body: question + (note ?? "")
                    + (hasButtons ? "" : " \(command) join（あとで: later、今後は聞かない: never）"),
                buttons: hasButtons ? buttons([yes, "あとで", "今後は聞かない"]) : [], stays: true)
        }
    }

    /// Returns the notification of an answer's result.
    func outcome(_ outcome: PromptBoard.Outcome, hasMarkup: Bool) -> DesktopNotification {
        switch (self, outcome) {
        case (_, .completed(let action, let ssid)):
            DesktopNotification(summary: "Wi-Fi", body: Self.shown(completed(action, ssid: ssid), hasMarkup))
        case (_, .notCompleted(let action, let ssid, let code, let reason)):
            DesktopNotification(
                summary: "Wi-Fi",
                body: Self.shown(
                    notCompleted(
                        action, ssid: ssid, reason: self == .japanese ? code?.japanese(reason) ?? reason : reason),
                    hasMarkup))
        case (.english, .accessLimited(let ssid, _, let reason)):
            failure("“\(Self.shown(ssid, hasMarkup))” is connected, but", reason, hasMarkup)
        case (.japanese, .accessLimited(let ssid, let code, let reason)):
            failure("「\(Self.shown(ssid, hasMarkup))」に接続しましたが、", code?.japanese(reason) ?? reason, hasMarkup)
        case (.english, .tooLate(let ssid)):
            DesktopNotification(
                summary: "Wi-Fi",
                body: "The question about “\(Self.shown(ssid, hasMarkup))” was answered already, or withdrawn.")
        case (.japanese, .tooLate(let ssid)):
            DesktopNotification(
                summary: "Wi-Fi", body: "「\(Self.shown(ssid, hasMarkup))」の質問は、すでに回答されたか、取り下げられました。")
        case (.english, .notAnswered(let ssid, let reason)):
            failure("The answer about “\(Self.shown(ssid, hasMarkup))” did not arrive:", reason, hasMarkup)
        case (.japanese, .notAnswered(let ssid, let reason)):
            failure("「\(Self.shown(ssid, hasMarkup))」への回答が届きませんでした:", reason, hasMarkup)
        }
    }

    private func failure(_ sentence: String, _ reason: String, _ hasMarkup: Bool) -> DesktopNotification {
        DesktopNotification(summary: "Wi-Fi", body: "\(sentence) \(Self.shown(reason, hasMarkup))")
    }

    private func buttons(_ labels: [String]) -> [DesktopNotification.Button] {
        zip(PromptAnswer.allCases, labels).map { DesktopNotification.Button(key: $0.rawValue, label: $1) }
    }

    /// Foreign text as it can be shown: on one line, nothing turned around, and no markup where markup is read.
    private static func shown(_ text: String, _ hasMarkup: Bool) -> String {
        let plain = text.plain(replacement: "\u{FFFD}", replacesFormat: true)
        return hasMarkup ? plain.escapedForMarkup : plain
    }
}
