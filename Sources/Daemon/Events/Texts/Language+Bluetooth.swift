import HCI
import OkaeriPlumbing

extension AdapterUpdate.Cause {
    /// The cause and the remedy in Japanese, with `{0}` in the place of the adapter; `nil` for a cause that only the daemon's own sentence
    /// names.
    private var japanese: String? {
        switch self {
        case .notAnswered:
            "{0} の応答を待っています"
        case .working:
            "{0} は動作しています"
        case .repaired:
            "{0} が何も受信しなくなったため、一度オフにしてオンに戻しました"
        case .receivingNothing:
            "{0} は応答しますが、何も受信していません。機器を再起動するか、別のアダプターを使ってください"
        case .noAdapter:
            "{0} が見つかりません。アダプターを接続するか、beacons.json の \"adapter\" を直してください"
        case .noLowEnergy:
            "{0} は Bluetooth LE に対応していません。Bluetooth 4.0 以降のアダプターを接続してください"
        case .noKernelSupport:
            "カーネルが Bluetooth に対応していないか、このサンドボックスでは許可されていません。\(Remedy.machine("modprobe bluetooth").japanese()) を試してください"
        case .notPermitted:
            "{0} を使う権限がありません。\(Installation.words("コマンドを `sudo` で実行してください", or: Remedy.scanRights.japanese))"
        case .switchedOff:
            "{0} がオフです。\(Remedy.okaeri("bluetooth on")) でオンにしてください"
        case .blockedByProgram:
            "{0} が rfkill で無効になっています。`rfkill unblock bluetooth` で有効にしてください"
        case .blockedBySwitch:
            "{0} が機器のスイッチかキーでオフになっています。スイッチかキーでオンにしてください"
        case .powerCycling:
            "{0} を一度オフにしてオンに戻しています"
        case .commandUnanswered:
            "{0} がコマンドに応答しません。もう一度試します"
        case .commandRefused:
            "{0} がコマンドを拒否しました。もう一度試します"
        case .hardwareError:
            "{0} がハードウェアの異常を報告しました。接続し直すか、機器を再起動してください"
        case .systemCallFailed:
            "システムコールが失敗したため、{0} を使えません。`dmesg | grep -i bluetooth` で理由を確認してください"
        case .other:
            nil
        }
    }

    /// The texts of the page, by the codes of the causes.
    package static var japaneseTexts: [String: String] {
        Dictionary(uniqueKeysWithValues: allCases.compactMap { cause in cause.japanese.map { (cause.rawValue, $0) } })
    }
}

extension Language {
    /// Returns the state of Bluetooth, its reason and the remedy.
    ///
    /// - Parameters:
    ///   - code: The cause. A later version may have others, whose sentences are returned as they are.
    ///   - reason: The daemon's own sentence, in English.
    package func bluetooth(code: String?, adapter: String?, reason: String) -> String {
        guard self == .japanese, let text = code.flatMap({ AdapterUpdate.Cause.japaneseTexts[$0] }) else {
            return reason
        }
        return text.filled(with: [(adapter ?? "Bluetooth").plain(replacement: "\u{FFFD}", replacesFormat: true)])
    }
}
