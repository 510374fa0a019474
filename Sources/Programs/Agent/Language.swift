package import Events
package import WiFi

extension Language {
    /// The question that a prompt puts on a terminal.
    package func terminalQuestion(ssid: String, _ situation: PromptSituation?) -> String {
        let question = question(ssid: ssid, situation)
        let note = note(situation)
        let action = situation?.action ?? .join
        if action != .join {
            let words = [action.isOfDeparture ? nil : self == .english ? "Welcome home." : "お帰りなさい。", note, question]
            let choice = self == .english ? "[y]es, [l]ater, never:" : "[y] はい / [l] あとで / 今後は聞かない:"
            return (words + [choice]).compactMap(\.self).joined(separator: self == .english ? " " : "")
        }
        return switch self {
        case .english: "Welcome home. " + (note.map { "\($0) " } ?? "") + "\(question) [j]oin, [l]ater, never:"
        case .japanese: "お帰りなさい。\(note ?? "")\(question) [j] 接続する / [l] あとで / 今後は聞かない:"
        }
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
