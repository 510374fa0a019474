import OkaeriPlumbing

/// A failure with texts for people. Programs get the English one.
package protocol LocalizedFailure {
    /// Returns the failure, its reason and the remedy.
    func sentence(in language: Language) -> String
}

/// The failures that a new user meets.
package enum FailurePhrase: Phrase {
    case noDaemon, socketNotPermitted, noAnswer, noRegion, noRegions
    case noConfiguration, warning, unreadableFile, value, noValue, suggestion, region, inBrackets, line, lineAndColumn
    case noEvents, noEventsOf, noEventsSince, noEventsOfSince
    case nothingWritten, orBySudo, daemonNeither, noTerminal, jsonAsksNothing, noLibrary

    package var texts: (english: String, japanese: String) {
        switch self {
        case .noDaemon:
            (
                "no okaeri runs here: there is no listener on {0}; \(Remedy.start().order("start one with `okaeri monitor` or ")), or name its socket with `--socket`",
                "okaeri が動いていません（{0} で待ち受けていません）。\(Remedy.start().japaneseOrder("か `okaeri monitor` で起動するか", or: "するか"))、`--socket` でソケットを指定してください"
            )
        case .socketNotPermitted:
            (
                "you may not use {0}; \(Remedy.admission.english)",
                "{0} を使う権限がありません。\(Remedy.admission.japanese)"
            )
        case .noAnswer:
            (
                "the okaeri on {0} does not answer: {1}; \(Remedy.log()) may show more",
                "{0} の okaeri が応答しません：{1}。\(Remedy.log().japanese("を"))確認してください"
            )
        case .noRegion:
            ("there is no region \"{0}\"; the daemon watches {1}", "リージョン「{0}」はありません。監視しているのは {1} です")
        case .noRegions: ("there is no region \"{0}\"; the daemon watches none", "リージョン「{0}」はありません。監視しているリージョンがありません")
        case .noConfiguration:
            (
                "{0}: no configuration: found {1}, expected one of them; `okaeri setup` writes one",
                "設定ファイルがありません（{0}）。`okaeri setup` で作成できます"
            )
        case .warning: ("warning: ", "注意：")
        case .unreadableFile: ("cannot read {0}: {1}; {2}", "{0} を読めません：{1}。{2}")
        case .value: ("{0}: found {1}, expected {2}", "{0}：「{1}」は使えません。正しい形：{2}")
        case .noValue: ("{0}: found nothing, expected {1}", "{0}：値がありません。正しい形：{1}")
        case .region: ("region {0}", "リージョン {0}")
        case .inBrackets: (" ({0})", "（{0}）")
        case .suggestion: ("{0}; did you mean \"{1}\"?", "{0}。\"{1}\" の間違いではありませんか？")
        case .line: ("line {0}", "{0} 行目")
        case .lineAndColumn: ("line {0}, column {1}", "{0} 行目の {1} 文字目")
        case .noEvents: ("the history has no events", "履歴に出来事はありません")
        case .noEventsOf: ("the history has no events of \"{0}\"", "履歴に「{0}」の出来事はありません")
        case .noEventsSince: ("the history has no events since {0}", "履歴に {0} 以降の出来事はありません")
        case .noEventsOfSince:
            ("the history has no events of \"{0}\" since {1}", "履歴に「{0}」の {1} 以降の出来事はありません")
        case .nothingWritten: ("nothing was written", "何も書き込んでいません")
        case .daemonNeither:
            ("{0}; the daemon cannot be asked either: {1}", "{0}。デーモンにも問い合わせできません：{1}")
        case .orBySudo:
            (
                "{0}; or \(Remedy.root("okaeri {1}"))",
                "{0}。\(Remedy.root("okaeri {1}").japanese(after: "または ")) を実行してください"
            )
        case .noLibrary:
            (
                "{0} cannot be loaded: {1}; \(Remedy.install("--reinstall {2}").order())",
                "{0} を読み込めません：{1}。\(Remedy.install("--reinstall {2}").japaneseOrder())"
            )
        case .noTerminal:
            (
                "there is no terminal to ask on; use `--beacon UUID/MAJOR/MINOR --identifier home`, and `--ssid HomeNet` if there is a Wi-Fi to join: `okaeri scan` lists the beacons",
                "質問できる端末がありません。`--beacon UUID/MAJOR/MINOR --identifier home` を指定してください。接続する Wi-Fi があれば `--ssid HomeNet` も指定します。`okaeri scan` でビーコンの一覧が表示されます"
            )
        case .jsonAsksNothing:
            (
                "with --json nothing is asked; use `--beacon UUID/MAJOR/MINOR --identifier home`, and `--ssid HomeNet` if there is a Wi-Fi to join: `okaeri scan` lists the beacons",
                "--json では質問しません。`--beacon UUID/MAJOR/MINOR --identifier home` を指定してください。接続する Wi-Fi があれば `--ssid HomeNet` も指定します。`okaeri scan` でビーコンの一覧が表示されます"
            )
        }
    }
}
