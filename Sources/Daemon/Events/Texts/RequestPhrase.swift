import OkaeriPlumbing

/// The mistakes in requests: those of a page of another version, of an address that was typed, and of programs.
package enum RequestPhrase: Phrase {
    case body, content, method, path, picture, day, width, language, scope, signals, thresholds, after, times, noTimes
    case noRegion, noSign, noNetwork, profile, timeout, passphrase, never
    case noPrompt, promptAnswered, promptDeparted, promptArrived, promptNeedless
    case downloadRuns, noDownload, noFileForDownload, noBackup, noState, noThread

    package var texts: (english: String, japanese: String) { malformed ?? prompts ?? refused }

    private var malformed: (english: String, japanese: String)? {
        switch self {
        case .body: ("the body is malformed; send {0}", "リクエストの本文が正しくありません。正しい形：{0}")
        case .content:
            (
                "{0} takes no content; send the request without a body",
                "{0} には本文がありません。本文を付けずに送ってください"
            )
        case .method: ("only {0} is allowed for {1}", "{1} で使えるのは {0} だけです")
        case .path:
            (
                "there is nothing at this path; /usr/share/doc/okaeri/api.md lists what there is",
                "このパスには何もありません。/usr/share/doc/okaeri/api.md に一覧があります"
            )
        case .picture: ("there is no such picture; ask for {0}/2026-11-21.svg", "その図はありません。例：{0}/2026-11-21.svg")
        case .day: ("{0} is not a day; write it as 2026-11-21", "{0} は日付ではありません。2026-11-21 のように書いてください")
        case .width: ("width is not a number of pixels; write it as 360", "width はピクセル数です。360 のように書いてください")
        case .language: ("there is no such language; write en or ja", "その言語はありません。en か ja と書いてください")
        case .scope:
            (
                "{0} is not a choice of regions; write configured or former",
                "{0} は configured か former と書いてください"
            )
        case .signals: ("{0} is not a choice; write true or false", "{0} は true か false と書いてください")
        case .thresholds:
            (
                "{0} takes up to {1} numbers in dBm, separated by commas",
                "{0} は、コンマで区切った {1} 個までの dBm の値です"
            )
        case .after:
            (
                "after is not a number; send the one that was answered as next",
                "after は数です。前の応答の next の値を送ってください"
            )
        case .times:
            (
                "from and to are not times; write them as 2026-11-21T07:00:00Z",
                "from と to は時刻です。2026-11-21T07:00:00Z のように書いてください"
            )
        case .noTimes: ("the query has no time; ask for {0}", "時刻が指定されていません。例：{0}")
        case .noRegion: ("the query names no region; ask for {0}", "リージョンが指定されていません。例：{0}")
        case .noSign: ("the query names no sign; ask for {0}", "目印が指定されていません。例：{0}")
        case .noNetwork: ("the query names no network; ask for {0}", "ネットワークが指定されていません。例：{0}")
        case .profile:
            (
                "\"as\" is not a device that this machine can resemble; send {0}",
                "\"as\" の値が正しくありません。{0} を送ってください"
            )
        case .timeout:
            (
                "\"timeout\" has from {0} to {1} seconds; send such a number",
                "\"timeout\" は {0}～{1} 秒です。その範囲の数を送ってください"
            )
        default: nil
        }
    }

    private var prompts: (english: String, japanese: String)? {
        switch self {
        case .noPrompt:
            (
                "there is no prompt {0}; `okaeri prompts` lists those that wait",
                "確認 {0} はありません。`okaeri prompts` で、回答を待っているものの一覧が表示されます"
            )
        case .promptAnswered: ("prompt {0} for “{1}” was answered already", "「{1}」の確認 {0} には、既に回答済みです")
        case .promptDeparted:
            (
                "prompt {0} for “{1}” was withdrawn when the region was left; the next arrival asks again",
                "リージョンを離れたため、「{1}」の確認 {0} は取り消されました。次に到着したときにもう一度確認します"
            )
        case .promptArrived:
            (
                "prompt {0} for “{1}” was withdrawn when the region was entered",
                "リージョンに入ったため、「{1}」の確認 {0} は取り消されました"
            )
        case .promptNeedless:
            (
                "prompt {0} for “{1}” was withdrawn because nothing is left to do",
                "「{1}」の確認 {0} は、必要がなくなったため取り消されました"
            )
        default: nil
        }
    }

    private var refused: (english: String, japanese: String) {
        switch self {
        case .passphrase:
            ("the passphrase is not suitable; choose one of {0}", "このパスフレーズは使えません。条件：{0}")
        case .never:
            (
                "no prompt for “{0}” was answered with never; `okaeri prompts` lists those that were",
                "「{0}」を今後確認しない設定にはなっていません。`okaeri prompts` で一覧が表示されます"
            )
        case .downloadRuns:
            (
                "another browser downloads a backup; try again in {0} s",
                "別のブラウザーがバックアップをダウンロードしています。{0} 秒後にもう一度お試しください"
            )
        case .noDownload: ("{0}", "バックアップを作成できませんでした：{0}")
        case .noFileForDownload:
            (
                "cannot make a file for the backup: {0}; make room in the state directory, and check its rights",
                "バックアップ用のファイルを作成できません：{0}。状態のフォルダーの空き容量と権限を確認してください"
            )
        case .noBackup:
            (
                "the page offers no backup, because it contains all keys and passwords of this machine; add \"backup\": true to \"web\" in beacons.json, or run \(Remedy.okaeri("backup FILE"))",
                "バックアップにはこの機器のすべての鍵とパスワードが含まれるため、このページでは提供していません。beacons.json の \"web\" に \"backup\": true を加えるか、\(Remedy.okaeri("backup FILE")) を実行してください"
            )
        case .noState:
            (
                "the daemon has no state directory to save; start it with `--state-dir`",
                "保存する状態のフォルダーがデーモンにありません。`--state-dir` を付けて起動してください"
            )
        default: ("{0}; try again", "処理を開始できませんでした：{0}。もう一度お試しください")
        }
    }
}
