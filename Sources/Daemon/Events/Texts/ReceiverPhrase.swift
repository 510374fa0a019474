/// The offer of receivers of other makes that publish at the broker.
package enum ReceiverPhrase: Phrase {
    case looking, lookingStep, offer, room, added, notLooked, noBroker, atHub

    package var texts: (english: String, japanese: String) {
        switch self {
        case .looking: ("Looking for other receivers at the broker …", "ブローカーでほかの受信機を探しています…")
        case .lookingStep: ("listening to the broker", "ブローカーのメッセージを待っています")
        case .offer:
            (
                "Found at the broker: {0 receiver} of {1} ({2}). Use their receptions?",
                "ブローカーに {1} の受信機が {0} 台見つかりました（{2}）。使いますか？"
            )
        case .room:
            (
                "In which room is {0}? A name such as kitchen, or Enter for {0}: ",
                "{0} はどの部屋にありますか？ kitchen のような名前、または Enter で {0}："
            )
        case .added: ("{0 receiver} of {1} will be used.", "{1} の受信機 {0} 台を使います。")
        case .notLooked:
            ("Other receivers were not looked for: {0}.", "ほかの受信機は探せませんでした：{0}")
        case .noBroker:
            (
                "there is no broker in the configuration; add \"mqtt\" to beacons.json",
                "設定にブローカーがありません。beacons.json に \"mqtt\" を追加してください"
            )
        case .atHub:
            (
                "this machine is a receiver of a house; choose other receivers at the hub",
                "この機器は家の受信機です。ほかの受信機はハブで選んでください"
            )
        }
    }
}
