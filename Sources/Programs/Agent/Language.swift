package import Events
package import WiFi

extension Language {
    /// The question a prompt puts.
    package func question(ssid: String) -> String {
        switch self {
        case .english: "Welcome home. Join the Wi-Fi network \"\(ssid)\"? [j]oin, [l]ater, [n]ever:"
        case .japanese: "お帰りなさい。Wi-Fi「\(ssid)」に接続しますか？ [j] 接続する / [l] あとで / [n] 今後は聞かない:"
        }
    }

    /// Returns the answer that a person typed; `nil` for anything else.
    package func answer(_ text: String) -> PromptAnswer? {
        let words: [PromptAnswer: [String]] = [
            .join: ["j", "join", "y", "yes", "はい", "接続", "接続する"],
            .later: ["l", "later", "あとで", "後で", "いいえ", "no"],
            .never: ["n", "never", "今後は聞かない"],
        ]
        let typed = text.lowercased().filter { !$0.isWhitespace }
        return words.first { $0.value.contains(typed) }?.key
    }
}
