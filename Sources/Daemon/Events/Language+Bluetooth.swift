package import HCI
import Plumbing

/// The alert that Bluetooth does not work.
extension Language {
    /// Returns the title of the alert about a machine.
    package func bluetoothTitle(on node: String) -> String {
        let machine = node.plain(replacement: "\u{FFFD}", replacesFormat: true)
        return self == .english ? "\(machine): Bluetooth does not work" : "\(machine)：Bluetooth が使えません"
    }

    /// Returns the reason, the effect and the remedy.
    package func bluetoothReason(_ update: AdapterUpdate) -> String {
        let name = (update.adapter ?? "Bluetooth").plain(replacement: "\u{FFFD}", replacesFormat: true)
        let effect = "ビーコンを受信できません。"
        switch (self, update.state) {
        case (.english, _):
            return
                "No beacon is received, because \(update.reason.plain(replacement: "\u{FFFD}", replacesFormat: true))"
        case (.japanese, .unauthorized):
            return "\(name) を使う権限がないため、\(effect)`sudo okaeri doctor` で対処方法を確認してください。"
        case (.japanese, .unsupported):
            return "使える Bluetooth アダプターがないため、\(effect)"
                + "Bluetooth LE 対応のアダプターを接続し、`sudo okaeri doctor` で確認してください。"
        case (.japanese, _):
            return "\(name) がオフのため、\(effect)`sudo okaeri bluetooth on` でオンにしてください。"
                + "機器のスイッチでオフになっている場合は、先にスイッチを切り替えてください。"
        }
    }
}
