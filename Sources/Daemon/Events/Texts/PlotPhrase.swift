/// The texts of the picture of a day.
package enum PlotPhrase: Phrase {
    case inside, outside, unknown, insideFor, nothingKnown, notWatched, noBluetooth
    case signal, prompt, answer, joined, joinFailed
    case enter, exit, minutes, hours
    case asked, answered, didJoin, didNotJoin
    case join, later, never
    case zones

    package var texts: (english: String, japanese: String) {
        switch self {
        case .inside: ("inside", "圏内")
        case .outside: ("outside", "圏外")
        case .unknown: ("unknown", "不明")
        case .insideFor: ("inside for {0}", "圏内 {0}")
        case .nothingKnown: ("nothing is known of this day", "この日の記録はありません")
        case .notWatched: ("not watched", "記録なし")
        case .noBluetooth: ("no Bluetooth", "Bluetooth 停止")
        case .signal: ("signal, dBm: mean and range", "信号（dBm）：平均と範囲")
        case .prompt: ("prompt", "確認")
        case .answer: ("answer", "回答")
        case .joined: ("joined", "接続")
        case .joinFailed: ("not joined", "接続失敗")
        case .enter: ("enter {0} dBm", "入 {0} dBm")
        case .exit: ("exit {0} dBm", "出 {0} dBm")
        case .minutes: ("{0} min", "{0} 分")
        case .hours: ("{0} h {1} min", "{0} 時間 {1} 分")
        case .asked: ("join “{0}”?", "「{0}」に接続しますか？")
        case .answered: ("answered: {0}", "回答：{0}")
        case .didJoin: ("joined “{0}”", "「{0}」に接続しました")
        case .didNotJoin: ("“{0}” not joined: {1}", "「{0}」に接続できませんでした：{1}")
        case .join: ("join", "接続する")
        case .later: ("later", "あとで")
        case .never: ("never", "今後は聞かない")
        case .zones: ("{0}, then {1}", "{0}、その後 {1}")
        }
    }
}
