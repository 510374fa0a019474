/// The reasons why the history cannot be read or written, with the remedies.
package enum HistoryPhrase: Phrase {
    case damaged, foreign, newer, missing, full, denied, notPermitted, notAFile, locked, failed

    package var texts: (english: String, japanese: String) {
        switch self {
        case .damaged:
            (
                "{0} is damaged: {1}; `okaeri monitor` moves it away and begins a new one",
                "{0} が壊れています（{1}）。`okaeri monitor` は、これを別の名前に移して新しい履歴を始めます"
            )
        case .foreign:
            (
                "{0} is the database of another program, and is left alone; move it away, or name another place with `--state-dir`",
                "{0} は別のプログラムのデータベースなので、変更しません。移動するか、`--state-dir` で別の場所を指定してください"
            )
        case .newer:
            (
                "{0} was written by a newer okaeri: \"{1}\" is not known here; upgrade okaeri, or move the file away to begin a new one",
                "{0} は新しい版の okaeri で書かれています（「{1}」に未対応）。okaeri を更新するか、ファイルを移動して新しい履歴を始めてください"
            )
        case .missing:
            (
                "there is no history: {0} does not exist; `okaeri monitor` writes it, and `--state-dir` names its folder",
                "履歴がありません（{0} が存在しません）。`okaeri monitor` が作成します。フォルダーは `--state-dir` で指定できます"
            )
        case .full:
            (
                "{0} cannot grow: the disk is full; make room, or keep less with \"history\": {\"keep\": DAYS} in beacons.json",
                "ディスクがいっぱいのため、{0} に書き込めません。空きを作るか、beacons.json の \"history\": {\"keep\": 日数} で保存期間を短くしてください"
            )
        case .denied:
            (
                "{0} cannot be opened: {1}; check the permissions of the file and its folder, and whether the disk is mounted read-only, or name another place with `--state-dir`",
                "{0} を開けません（{1}）。ファイルとフォルダーの権限、ディスクが読み取り専用でないかを確認するか、`--state-dir` で別の場所を指定してください"
            )
        case .notPermitted: ("you may not read {0}; {1}", "{0} を読む権限がありません。{1}")
        case .notAFile:
            (
                "{0} is not a regular file, and is left alone; move it away, or name another place with `--state-dir`",
                "{0} は通常のファイルではないので、変更しません。移動するか、`--state-dir` で別の場所を指定してください"
            )
        case .locked: ("{0} is locked by another program; close it", "{0} は別のプログラムが使用中です。終了してください")
        case .failed:
            (
                "{0} cannot be used: {1}; check the disk (`dmesg` shows its errors), or name another place with `--state-dir`",
                "{0} を使えません（{1}）。ディスクを確認するか（`dmesg` にエラーが表示されます）、`--state-dir` で別の場所を指定してください"
            )
        }
    }
}
