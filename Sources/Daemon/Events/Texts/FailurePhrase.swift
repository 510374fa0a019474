/// A failure with texts for people. Programs get the English one.
package protocol LocalizedFailure {
    /// Returns the failure, its reason and the remedy.
    func sentence(in language: Language) -> String
}

/// The failures that a new user meets.
package enum FailurePhrase: Phrase {
    case noDaemon, socketNotPermitted, noAnswer, noRegion, noRegions
    case noConfiguration, unreadableFile, value, noValue, suggestion, region, inBrackets, line, lineAndColumn
    case nothingWritten, orBySudo, noTerminal, jsonAsksNothing

    package var texts: (english: String, japanese: String) {
        switch self {
        case .noDaemon:
            (
                "no okaeri runs here: there is no listener on {0}; start one with `okaeri monitor` or `sudo systemctl start okaeri`, or name its socket with `--socket`",
                "okaeri が動いていません（{0} で待ち受けていません）。`sudo systemctl start okaeri` か `okaeri monitor` で起動するか、`--socket` でソケットを指定してください"
            )
        case .socketNotPermitted:
            (
                "you may not use {0}; join its group with `sudo usermod -aG okaeri $USER` and log in again, or run the command with sudo",
                "{0} を使う権限がありません。`sudo usermod -aG okaeri $USER` でグループに加わってからログインし直すか、sudo を付けて実行してください"
            )
        case .noAnswer:
            (
                "the okaeri on {0} does not answer: {1}; `journalctl -u okaeri` may show more",
                "{0} の okaeri が応答しません：{1}。`journalctl -u okaeri` を確認してください"
            )
        case .noRegion:
            ("there is no region \"{0}\"; the daemon watches {1}", "リージョン「{0}」はありません。監視しているのは {1} です")
        case .noRegions: ("there is no region \"{0}\"; the daemon watches none", "リージョン「{0}」はありません。監視しているリージョンがありません")
        case .noConfiguration:
            (
                "{0}: no configuration: found {1}, expected one of them; `okaeri setup` writes one",
                "設定ファイルがありません（{0}）。`okaeri setup` で作成できます"
            )
        case .unreadableFile: ("cannot read {0}: {1}; {2}", "{0} を読めません：{1}。{2}")
        case .value: ("{0}: found {1}, expected {2}", "{0}：「{1}」は使えません。正しい形：{2}")
        case .noValue: ("{0}: found nothing, expected {1}", "{0}：値がありません。正しい形：{1}")
        case .region: ("region {0}", "リージョン {0}")
        case .inBrackets: (" ({0})", "（{0}）")
        case .suggestion: ("{0}; did you mean \"{1}\"?", "{0}。\"{1}\" の間違いではありませんか？")
        case .line: ("line {0}", "{0} 行目")
        case .lineAndColumn: ("line {0}, column {1}", "{0} 行目の {1} 文字目")
        case .nothingWritten: ("nothing was written", "何も書き込んでいません")
        case .orBySudo: ("{0}; or `sudo okaeri {1}`", "{0}。または `sudo okaeri {1}` を実行してください")
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

/// The values in mistakes of a configuration, as English has them. Others, such as names, are the same in each language.
package enum ValuePhrase: String, Phrase {
    case nothing = "nothing"
    case object = "an object"
    case string = "a string"
    case number = "a number"
    case bool = "true or false"
    case value = "a value"
    case endOfFile = "the end of the file"
    case quotedKey = "a key in double quotes"
    case commaOrBrace = "a comma or a closing brace"
    case commaOrBracket = "a comma or a closing bracket"
    case closingQuote = "a closing quote; control characters are written as escapes"
    case unknownKey = "an unknown key"
    case byteOrderMark = "a byte order mark"
    case network = "the network's name, 1 to 32 bytes"
    case comment = "a comment"
    case noComment = "no comment, because JSON has none: delete it"
    case commaBeforeBracket = "a comma before ']'"
    case commaBeforeBrace = "a comma before '}'"
    case noComma = "no comma behind the last value: delete it"
    case noNextComma = "no comma behind the value"
    case nextComma = "a comma before the next one"
    case comma = "a comma"
    case quotationMark = "the quotation mark"
    case straightQuote = "the straight one, '\"'; write the file with a plain text editor, such as nano"
    case noBreakSpace = "a no-break space"
    case ordinarySpace = "an ordinary space; text from a web page has others"
    case fullWidthSpace = "a full-width space"
    case space = "an ordinary space"
    case fullWidthColon = "a full-width colon"
    case fullWidthComma = "a full-width comma"
    case fullWidthBracket = "a full-width bracket"
    case singleQuote = "a single quotation mark"
    case doubleQuote = "a double one, '\"'"
    case uuid = "a UUID such as 5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34"
    case regions = "an array of regions"
    case noFile = "no such file"
    case absentFile = "No such file or directory"
    case createFile = "create one with `sudo okaeri setup`, or correct the path"

    package var texts: (english: String, japanese: String) { (rawValue, japanese) }

    private var japanese: String {
        switch self {
        case .nothing: "何も書かれていない値"
        case .object: "オブジェクト { }"
        case .string: "文字列"
        case .number: "数値"
        case .bool: "true か false"
        case .value: "値"
        case .endOfFile: "ファイルの終わり"
        case .quotedKey: "二重引用符で囲んだキー"
        case .commaOrBrace: "コンマか閉じ波括弧 }"
        case .commaOrBracket: "コンマか閉じ角括弧 ]"
        case .closingQuote: "閉じる二重引用符（制御文字はエスケープで書きます）"
        case .unknownKey: "不明なキー"
        case .byteOrderMark: "バイト順マーク（BOM）"
        case .network: "1～32 バイトのネットワーク名"
        case .comment: "コメント"
        case .noComment: "JSON にコメントは書けません。削除してください"
        case .commaBeforeBracket: "] の前のコンマ"
        case .commaBeforeBrace: "} の前のコンマ"
        case .noComma: "最後の値の後にコンマは不要です。削除してください"
        case .noNextComma: "コンマのない値"
        case .nextComma: "次の値の前のコンマ"
        case .comma: "コンマ"
        case .quotationMark: "引用符"
        case .straightQuote: "半角の \"。nano などのテキストエディターで書いてください"
        case .noBreakSpace: "改行しない空白（U+00A0）"
        case .ordinarySpace, .space: "半角の空白"
        case .fullWidthSpace: "全角の空白"
        case .fullWidthColon: "全角のコロン"
        case .fullWidthComma: "全角のコンマ"
        case .fullWidthBracket: "かぎ括弧"
        case .singleQuote: "引用符 '"
        case .doubleQuote: "二重引用符 \""
        case .uuid: "UUID（例：5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34）"
        case .regions: "リージョンの配列 [ ]"
        case .noFile, .absentFile: "ファイルがありません"
        case .createFile: "`sudo okaeri setup` で作成するか、パスを直してください"
        }
    }
}

extension Language {
    /// Returns a value of a mistake in the language, if it has a text.
    package func value(_ text: String) -> String {
        let mark = ValuePhrase.quotationMark
        if text.hasPrefix(mark.rawValue + " ") { return self(mark) + text.dropFirst(mark.rawValue.count) }
        return ValuePhrase(rawValue: text).map { self($0) } ?? text
    }
}
