import Plumbing

/// The words of a prompt, on the page of an answer and in notifications.
extension Language {
    package func promptTitle(ssid: String) -> String {
        let name = ssid.plain(replacement: "\u{FFFD}", replacesFormat: true)
        return switch self {
        case .english: "Join the Wi-Fi “\(name)”?"
        case .japanese: "Wi-Fi「\(name)」に接続しますか？"
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
