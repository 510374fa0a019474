import OkaeriPlumbing

/// The refusals of the daemon that a person at the page reads, with the remedies.
package enum RefusalPhrase: Phrase {
    case noHistory, noNetwork, noRegion, noSuchRegion, regionExists, noChanges, noName, noSign, onlySign,
        onlySignOfFile, noStateDirectory,
        cannotSave, changeOfSigns, changeOfSavedSigns, changeOfAddedSigns, changeOfNetwork, changeOfPhone,
        changeOfCommands, renamingOfCommands, renamingOfRoot, renamingOfChanged,
        deletionOfCommands,
        deletionOfRoot, captureForAdapter, noKeyDirectory, keyExists, phoneName, phoneIsEnrolled,
        daemonChanges, cannotPair, enrollmentRuns, questionIsOver, noPage, noBrowser, invisibleName,
        linkIsNotValid, foreignHost, foreignOrigin, noLogin, noToken, notListed, tooManyRequests, tooManyAnswers,
        tooLarge, notAnswered

    package var texts: (english: String, japanese: String) { regions ?? others }

    private var regions: (english: String, japanese: String)? {
        switch self {
        case .noHistory:
            (
                "there is no history: the daemon runs without `--state-dir`",
                "履歴がありません。デーモンが `--state-dir` なしで動作しています"
            )
        case .noNetwork: ("no region has the network “{0}”", "ネットワーク「{0}」を設定したリージョンはありません")
        case .noRegion:
            (
                "there is no region {0}; `okaeri status` lists the regions",
                "リージョン {0} はありません。`okaeri status` で一覧が表示されます"
            )
        case .noSuchRegion: ("there is no such region", "そのリージョンはありません")
        case .regionExists:
            (
                "there is a region {0} already; choose another name",
                "リージョン {0} は既にあります。別の名前にしてください"
            )
        case .noChanges:
            (
                "the page has changed no region {0} of {1}",
                "{1} のリージョン {0} は、このページで変更されていません"
            )
        case .noSign:
            (
                "{0} has no sign {1}; its signs are: {2}",
                "リージョン {0} に目印 {1} はありません。目印は次のとおりです：{2}"
            )
        case .onlySign:
            (
                "{0} has one sign alone; to remove it, delete the region",
                "リージョン {0} の目印は 1 つだけです。外すには、リージョンを削除してください"
            )
        case .onlySignOfFile:
            (
                "this is the only sign of {0} in {1}; write another one there first, or delete the region",
                "{1} にあるリージョン {0} の目印はこれだけです。先に別の目印を {1} に書くか、リージョンを削除してください"
            )
        case .noName:
            (
                "the new name is not a name; a region has a name that can be read, without control characters, spaces at its ends and a hyphen at its beginning, of at most {0} bytes",
                "新しい名前は使えません。リージョンの名前は読めるもので、{0} バイト以内にしてください。制御文字、前後の空白、先頭のハイフンは使えません"
            )
        case .noStateDirectory:
            (
                "the daemon has no state directory; start it with `--state-dir`",
                "デーモンに状態のフォルダーがありません。`--state-dir` を付けて起動してください"
            )
        case .cannotSave:
            (
                "cannot save: {0}; correct the file or delete it",
                "保存できません：{0}。ファイルを直すか、削除してください"
            )
        case .changeOfSigns:
            (
                "cannot change the beacons of {0} from the page: the region has several signs; change that in {1}, then \(Remedy.reload().order())",
                "このページではリージョン {0} のビーコンを変更できません。目印が複数あるため、{1} で変更して\(Remedy.reload().japaneseOrder(after: "から"))"
            )
        case .changeOfSavedSigns:
            (
                "cannot change the beacons of {0} from the page: the page has added its signs; delete the region, and add it again",
                "このページではリージョン {0} のビーコンを変更できません。目印はこのページで追加したものなので、リージョンを削除してから追加し直してください"
            )
        case .changeOfAddedSigns:
            (
                "cannot change the beacons of {0} from the page: the page has added signs to it; undo the changes of the page",
                "このページではリージョン {0} のビーコンを変更できません。このページで目印を追加しているため、このページでの変更を取り消してください"
            )
        case .changeOfNetwork:
            (
                "cannot change the Wi-Fi of {0} from the page: it is in {1}, which the daemon may not write; change it there, then \(Remedy.reload().order())",
                "このページではリージョン {0} の Wi-Fi を変更できません。{1} にはデーモンから書き込めないため、そこで変更して\(Remedy.reload().japaneseOrder(after: "から"))"
            )
        case .changeOfPhone:
            (
                "cannot change the beacons of {0} from the page: the region is a phone; change that in {1}, then \(Remedy.reload().order())",
                "このページではリージョン {0} のビーコンを変更できません。スマートフォンのため、{1} で変更して\(Remedy.reload().japaneseOrder(after: "から"))"
            )
        case .changeOfCommands:
            (
                "cannot change the beacon of {0} from the page: the region runs commands; change it \(Installation.current == .homeAssistant ? "in {1}" : "on the machine, with \(Remedy.setup()) or in {1}")",
                "このページではリージョン {0} のビーコンを変更できません。このリージョンはコマンドを実行します。\(Installation.current == .homeAssistant ? "" : "Raspberry Pi で、\(Remedy.setup().japanese("か")) "){1} で変更してください"
            )
        case .renamingOfCommands:
            (
                "cannot rename {0} from the page: the region runs commands; rename it in {1}, then \(Remedy.reload().order())",
                "このページではリージョン {0} の名前を変更できません。このリージョンはコマンドを実行します。{1} で変更して\(Remedy.reload().japaneseOrder(after: "から"))"
            )
        case .renamingOfRoot:
            (
                "cannot rename {0} from the page: it is in {1}, where root names it; rename it there, then \(Remedy.reload().order())",
                "このページではリージョン {0} の名前を変更できません。{1} にあるため、そこで root として変更して\(Remedy.reload().japaneseOrder(after: "から"))"
            )
        case .renamingOfChanged:
            (
                "cannot rename {0} from the page: the page has changed the region; undo its changes first",
                "このページではリージョン {0} の名前を変更できません。先に、このページでの変更を取り消してください"
            )
        case .deletionOfCommands:
            (
                "cannot delete {0} from the page: the region runs commands; delete it in {1}, then \(Remedy.reload().order())",
                "このページではリージョン {0} を削除できません。このリージョンはコマンドを実行します。{1} で削除して\(Remedy.reload().japaneseOrder(after: "から"))"
            )
        case .deletionOfRoot:
            (
                "cannot delete {0} from the page: it is in {1}, which the daemon may not write; delete it there, then \(Remedy.reload().order())",
                "このページではリージョン {0} を削除できません。{1} にはデーモンから書き込めないため、そこで削除して\(Remedy.reload().japaneseOrder(after: "から"))"
            )
        default: nil
        }
    }

    private var others: (english: String, japanese: String) {
        switch self {
        case .captureForAdapter:
            (
                "a capture stands in for the Bluetooth adapter, and no phone can pair with it",
                "Bluetooth アダプターの代わりに記録ファイルを使っているため、スマートフォンとペアリングできません"
            )
        case .noKeyDirectory:
            (
                "the daemon has no state directory for the key of a phone; start it with `--state-dir`",
                "スマートフォンの鍵を保存するフォルダーがありません。デーモンに `--state-dir` を付けて起動してください"
            )
        case .keyExists:
            (
                "{0} is there already; choose another name, or delete the file",
                "{0} は既にあります。別の名前にするか、ファイルを削除してください"
            )
        case .phoneName:
            (
                "the name of a phone has 1 to 64 letters of ASCII, digits, hyphens and underscores",
                "スマートフォンの名前には、半角の英字、数字、ハイフン、下線を 1～64 文字で入力してください"
            )
        case .phoneIsEnrolled:
            (
                "the phone is enrolled already: {0} has its key",
                "このスマートフォンは登録済みです。鍵は {0} にあります"
            )
        case .daemonChanges:
            (
                "the daemon starts or ends; try again in a moment",
                "デーモンが起動中または終了中です。しばらくしてからもう一度試してください"
            )
        case .cannotPair:
            (
                "this daemon cannot receive the keys of phones: {0}; run \(Remedy.okaeri("enroll {1}")) on the machine",
                "このデーモンはスマートフォンの鍵を受け取れません：{0}。Raspberry Pi で \(Remedy.okaeri("enroll {1}")) を実行してください"
            )
        case .enrollmentRuns:
            (
                "a phone is being enrolled already; wait for its end, or end it",
                "別のスマートフォンを登録しています。終わるまで待つか、終了してください"
            )
        case .questionIsOver:
            (
                "this question does not wait for an answer any more; begin again on the phone",
                "この質問への回答は締め切られました。スマートフォンで最初からやり直してください"
            )
        case .noPage:
            (
                "there is no page; run \(Remedy.okaeri("web on"))",
                "ページがありません。\(Remedy.okaeri("web on")) を実行してください"
            )
        case .noBrowser:
            (
                "there is no browser {0}; `okaeri web devices` lists them",
                "ブラウザー {0} はありません。`okaeri web devices` で一覧が表示されます"
            )
        case .invisibleName:
            (
                "the name has no visible character; send one such as \"Anna's phone\"",
                "名前に見える文字がありません。「Anna のスマートフォン」のように入力してください"
            )
        case .linkIsNotValid:
            (
                "the link is not valid: it was used before, is older than ten minutes, or does not exist; `okaeri web link` on the machine prints a new one",
                "このリンクは使えません。使用済みか、10 分を過ぎたか、存在しません。Raspberry Pi で `okaeri web link` を実行すると新しいリンクが表示されます"
            )
        case .foreignHost:
            (
                "the request names another machine in its Host field; use this machine's address, its name, or localhost",
                "別の機器の名前（Host）で接続しています。この機器のアドレス、名前、または localhost を使ってください"
            )
        case .foreignOrigin:
            (
                "a change is only accepted from the page itself; open it again",
                "変更はこのページからのみ受け付けます。ページを開き直してください"
            )
        case .noLogin:
            (
                "this browser is not logged in; `okaeri web link` on the machine prints an address that logs it in",
                "このブラウザーはログインしていません。Raspberry Pi で `okaeri web link` を実行すると、ログイン用のアドレスが表示されます"
            )
        case .noToken:
            (
                "the page's token for changes is missing or old; load the page again",
                "変更用のトークンがないか、古くなっています。ページを読み込み直してください"
            )
        case .notListed:
            (
                "only the users whom the option Users of the app names may do this (`web.users`); add {0} there, and restart the app",
                "この操作は、アプリのオプション「ユーザー」（`web.users`）に登録されたユーザーだけが行えます。{0} を追加して、アプリを再起動してください"
            )
        case .tooManyRequests:
            (
                "the daemon answers too many requests at once; try again in {0} s",
                "同時に処理する要求が多すぎます。{0} 秒後にもう一度試してください"
            )
        case .tooManyAnswers:
            (
                "answers that are not read yet fill their memory; try again in {0} s",
                "読み取られていない応答が多すぎます。{0} 秒後にもう一度試してください"
            )
        case .tooLarge:
            (
                "the body is too large; {0} has at most {1} bytes",
                "送信された内容が大きすぎます。{0} は {1} バイト以内です"
            )
        default:
            (
                "the request could not be answered; look at \(Remedy.log())",
                "要求を処理できませんでした。\(Remedy.log().japanese("を"))確認してください"
            )
        }
    }
}
