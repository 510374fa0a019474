import OkaeriPlumbing

/// The reasons why a file cannot be written, with the remedies.
package enum WritePhrase: Phrase {
    case notAFile, foreign, untrusted, changed, readOnly, notPermitted, mount, exists, diskFull, failed

    package var texts: (english: String, japanese: String) {
        switch self {
        case .notAFile:
            ("{0} is not a regular file; name the file itself", "{0} は通常のファイルではありません。ファイルそのものを指定してください")
        case .foreign:
            (
                "{0} belongs to {1}, and this program runs as {2}; write it as its owner, for example with \(Remedy.edit("{0}"))",
                "{0} の所有者は {1} ですが、このプログラムは {2} として動作しています。\(Remedy.edit("{0}").japanese("などで"))、所有者として書き込んでください"
            )
        case .untrusted: ("cannot write {0} as root: {1}; {2}", "root として {0} に書き込めません：{1}。{2}")
        case .changed:
            (
                "{0} was changed by another program meanwhile, so nothing was written; begin again",
                "{0} がほかのプログラムによって変更されたため、何も書き込んでいません。最初からやり直してください"
            )
        case .readOnly:
            (
                "{0} is read-only for this program, by a file system or by the protection of its systemd unit; write it from outside, for example with \(Remedy.edit("{0}"))",
                "このプログラムからは {0} に書き込めません（ファイルシステムか systemd の保護によるもの）。\(Remedy.edit("{0}").japanese("などで"))外から書き込んでください"
            )
        case .notPermitted:
            (
                "{0} may not be written by {1}, as which this program runs; write it with \(Remedy.edit("{0}"))",
                "{1} には {0} に書き込む権限がありません。\(Installation.words("コマンドに sudo を付けるか、", or: ""))\(Remedy.edit("{0}").japanese("で"))書き込んでください"
            )
        case .mount:
            (
                "{0} is a mount of its own, as containers have it, and cannot be replaced; mount its folder instead",
                "{0} はコンテナーなどで個別にマウントされているため、置き換えられません。フォルダーをマウントしてください"
            )
        case .exists:
            ("{0} is there already; choose another name, or delete the file", "{0} は既にあります。別の名前にするか、ファイルを削除してください")
        case .diskFull:
            (
                "{0} was not written: the disk is full; make room, and try again",
                "ディスクがいっぱいのため、{0} に書き込めませんでした。空きを作って、もう一度試してください"
            )
        case .failed: ("{0} cannot be written: {1}; check the disk", "{0} に書き込めません：{1}。ディスクを確認してください")
        }
    }
}
