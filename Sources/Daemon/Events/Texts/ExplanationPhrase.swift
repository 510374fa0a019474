import OkaeriPlumbing

/// The texts of `okaeri explain`.
package enum ExplanationPhrase: Phrase {
    // The labels of the lines.
    case received, exit, errors, basis, others, interval, signal, distance, radio
    // The state and its rule.
    case head, headSince, headLastKnown, notKnown, insideKept, outsideNever
    case outsideSilentBeacon, outsideSilentPhone, outsideWeakBeacon, outsideWeakPhone
    case insideBeacon, insidePhone, insideNearBeacon, insideNearPhone
    case anyOfSigns, enterAny, enterAt, exitSilence, exitAt, flapping, sensitivity, phoneSensitivity
    case mistakes, rate, wouldHave, none, day, days, minutes, hour, hours
    case scan, fewDevices, devices, manyDevices, noScan, stuck, noBeacon, noPhone
    case sign, phone, keepsRegion, keepsSign
    // The numbers.
    case seconds, ago, unlistened, afterSilence, configured, learned, learnedMinutes, initial, longer, shortest, longest
    case expected, timesADay, onceADay, lessThanMonthly, onceInDays, remedyForLongest
    case tail, scanMinutes, scanHours, with, notKnownYet, every, filtered, last
    case mask, identity, sharedIdentity, changingIdentity
    case implausible, noPower, calibrate, calibrateOnPage, metres, measured, calibrated, claimed, thisMachine, away,
        receivedLast, decides, notReceived

    package var texts: (english: String, japanese: String) { labels ?? states ?? rules ?? numbers }

    private var labels: (english: String, japanese: String)? {
        switch self {
        case .received: ("received", "受信")
        case .exit: ("exit", "退出")
        case .errors: ("errors", "誤り")
        case .basis: ("basis", "根拠")
        case .others: ("others", "他の感度")
        case .interval: ("interval", "間隔")
        case .signal: ("signal", "信号")
        case .distance: ("distance", "距離")
        case .radio: ("radio", "受信機")
        default: nil
        }
    }

    private var states: (english: String, japanese: String)? {
        switch self {
        case .head: ("{0}  {1}", "{0}  {1}")
        case .headSince: ("{0} since {1}", "{0}（{1} から）")
        case .headLastKnown: ("{0}, last known {1}", "{0}、最後に分かっていた状態：{1}")
        case .notKnown: ("The state of {0} is not known now", "{0} の状態は現在不明です")
        case .insideKept:
            (
                "{0} is inside, as it was before the start; no beacon of it has been received since then",
                "{0} は起動前と同じく圏内です。起動後、ビーコンはまだ受信されていません"
            )
        case .outsideNever:
            ("{0} is outside: no beacon of it has been received since the start", "{0} は圏外です。起動後、ビーコンはまだ受信されていません")
        case .outsideSilentBeacon:
            ("{0} is outside: its beacon was last received {1} ago", "{0} は圏外です。ビーコンの最後の受信は {1}前です")
        case .outsideSilentPhone:
            ("{0} is outside: its phone was last received {1} ago", "{0} は圏外です。スマートフォンの最後の受信は {1}前です")
        case .outsideWeakBeacon:
            ("{0} is outside: its beacon is received, but the signal is too weak", "{0} は圏外です。ビーコンは受信していますが、信号が弱すぎます")
        case .outsideWeakPhone:
            ("{0} is outside: its phone is received, but the signal is too weak", "{0} は圏外です。スマートフォンは受信していますが、信号が弱すぎます")
        case .insideBeacon:
            (
                "{0} is inside: its beacon was received {1} ago; the region becomes outside after {2} of silence",
                "{0} は圏内です（ビーコンを {1}前に受信）。{2}受信がなければ圏外になります"
            )
        case .insidePhone:
            (
                "{0} is inside: its phone was received {1} ago; the region becomes outside after {2} of silence",
                "{0} は圏内です（スマートフォンを {1}前に受信）。{2}受信がなければ圏外になります"
            )
        case .insideNearBeacon:
            (
                "{0} is inside: its beacon was received {1} ago; the region becomes outside if the signal becomes too weak, or after {2} of silence",
                "{0} は圏内です（ビーコンを {1} 秒前に受信）。信号が弱くなるか、{2}受信がなければ圏外になります"
            )
        case .insideNearPhone:
            (
                "{0} is inside: its phone was received {1} ago; the region becomes outside if the signal becomes too weak, or after {2} of silence",
                "{0} は圏内です（スマートフォンを {1} 秒前に受信）。信号が弱くなるか、{2}受信がなければ圏外になります"
            )
        case .noBeacon: ("No beacon of this region has been received since the start.", "起動後、このリージョンのビーコンはまだ受信されていません。")
        case .noPhone: ("The phone has not been received since the start.", "起動後、スマートフォンはまだ受信されていません。")
        case .sign: ("Sign {0}  {1}", "目印 {0}  {1}")
        case .phone: ("phone {0}", "スマートフォン {0}")
        case .keepsRegion: ("keeps the region inside", "この信号で圏内")
        case .keepsSign: ("keeps the sign inside", "このビーコンで目印が圏内")
        default: nil
        }
    }

    private var rules: (english: String, japanese: String)? {
        switch self {
        case .anyOfSigns: ("Any of {0} signs keeps the region inside", "{0} 個の目印のどれか一つでも受信していれば圏内です")
        case .enterAny: ("Any advertisement causes an entry; {0}", "信号を一度でも受信すると圏内になります。{0}")
        case .enterAt:
            ("A filtered signal of {1} dBm or more causes an entry; {0}", "平滑化した信号が {1} dBm 以上になると圏内になります。{0}")
        case .exitSilence: ("silence causes an exit", "受信が途絶えると圏外になります")
        case .exitAt: ("a signal below {0} dBm, or silence, causes an exit", "{0} dBm を下回るか、受信が途絶えると圏外になります")
        case .flapping:
            (
                "The state changes too often: {0} times in the last hour the signal became too weak and soon strong enough again. Set exitRSSI at least {1} dB below enterRSSI",
                "出入りを繰り返しています：直近 1 時間に {0} 回、信号が弱まって圏外になり、すぐに圏内に戻りました。exitRSSI を enterRSSI より {1} dB 以上低くしてください"
            )
        case .sensitivity: ("Sensitivity {0}", "感度 {0}")
        case .phoneSensitivity:
            (
                "Sensitivity {0}: a phone that is not received may still be near, because a locked phone may be silent for an hour",
                "感度 {0}：ロック中のスマートフォンは 1 時間ほど信号を出さないことがあるため、受信がなくても近くにある場合があります"
            )
        case .mistakes: ("False exits in the last {0}: {1}{2}; {3}", "直近{0}の誤った退出：{1}{2}。{3}")
        case .rate: (", {0} a day", "（1 日に {0} 回）")
        case .wouldHave: ("{0} would have had {1}", "{0} なら {1}")
        case .none: ("none", "0")
        case .day: ("day", "1 日")
        case .days: ("{0} days", "{0} 日間")
        case .minutes: ("few minutes", "数分間")
        case .hour: ("hour", "1 時間")
        case .hours: ("{0} hours", "{0} 時間")
        case .scan: ("Scan {0}", "{0}")
        case .fewDevices:
            (
                "Other devices in range: {0}. These are too few to show whether the beacon is absent or the receiver is faulty",
                "周囲のほかの機器：{0} 台。ビーコンの不在か受信機の不調かを見分けるには少なすぎます"
            )
        case .devices:
            (
                "Other devices in range: {0}. Since the start, the adapter received none of them for {1} s in total",
                "周囲のほかの機器：{0} 台。そのすべてを受信できなかった時間は、起動後 {1} 秒です"
            )
        case .manyDevices: ("more than 50", "50 以上")
        case .noScan:
            (
                "The adapter does not scan now. Time without a scan does not count as silence. {0}",
                "現在は受信していません。受信していない時間は、途絶えたとはみなしません。{0}"
            )
        case .stuck:
            (
                "STALE: the daemon is stuck; \(Remedy.restart().order("restart it with "))",
                "応答なし：デーモンの処理が止まっています。\(Remedy.restart().japaneseOrder("で再起動してください"))"
            )
        default: nil
        }
    }

    private var numbers: (english: String, japanese: String) {
        switch self {
        case .seconds: ("{0} s", "{0} 秒")
        case .ago: ("{0} s ago", "{0} 秒前")
        case .unlistened:
            (
                "{0} s ago; only the {1} s in which the adapter scanned count as silence",
                "{0} 秒前（うち受信していたのは {1} 秒。残りは数えません）"
            )
        case .afterSilence: ("after {0} s of silence: {1}", "{0} 秒途絶えたら：{1}")
        case .configured: ("set by exitAfter", "exitAfter で指定")
        case .learned: ("learned from the gaps between receptions", "受信の間隔から学習")
        case .learnedMinutes: ("learned from the gaps between receptions in the last minutes", "直近数分の受信の間隔から学習")
        case .initial:
            (
                "the initial time, because only {0} of the {1} gaps that are needed to learn it were received",
                "最初の値（学習に必要な {1} 回の間隔のうち {0} 回を受信）"
            )
        case .longer: ("{0} times as long, because the signal becomes weaker", "信号が弱まっているため {0} 倍")
        case .shortest: ("limited to the shortest possible time", "最短の時間に制限")
        case .longest: ("limited to the longest possible time", "最長の時間に制限")
        case .expected: ("a false exit is expected {0}, according to the longest gaps", "誤った退出の見込み：{0}（長い間隔からの推定）")
        case .timesADay: ("{0} times a day", "1 日に約 {0} 回")
        case .onceADay: ("once a day", "1 日に約 1 回")
        case .lessThanMonthly: ("less than once a month", "1 か月に 1 回未満")
        case .onceInDays: ("once in {0} days", "約 {0} 日に 1 回")
        case .remedyForLongest:
            (
                "{0}. The beacon is often silent for longer than the longest exit time: set a shorter advertising interval in the beacon, or let the adapter scan more (\"scan\": \"continuous\" in beacons.json)",
                "{0}。ビーコンの途絶が最長の退出時間を超えることがあります。ビーコンの発信間隔を短くするか、受信時間を増やしてください（beacons.json の \"scan\": \"continuous\"）"
            )
        case .tail: ("the {0} longest gaps, {1} to {2} s, in {3} of scanning", "{3}の受信中、長いほうから {0} 回の間隔（{1}～{2} 秒）")
        case .scanMinutes: ("{0} min", "{0} 分間")
        case .scanHours: ("{0} h", "{0} 時間")
        case .with: ("{1} s with {0}", "{0} なら {1} 秒")
        case .notKnownYet: ("not known yet", "まだ不明")
        case .every: ("every {0} s; {1} % of the advertisements are lost", "{0} 秒ごと。うち {1} % を取りこぼし")
        case .filtered: ("{0} dBm filtered", "平滑化した値 {0} dBm")
        case .last: ("{0} dBm filtered, {1} dBm last", "平滑化した値 {0} dBm、最新 {1} dBm")
        case .implausible:
            (
                "unknown: the beacon states {0} dBm at one metre, which is not between {1} and {2} dBm; {3}",
                "不明。ビーコンの示す 1 m での信号 {0} dBm は {1}～{2} dBm の範囲外です。{3}"
            )
        case .mask:
            (
                "Mask {0}: the other bits of its {1} may change, and count as zeros here",
                "マスク {0}：{1} のほかのビットは変わってもよく、ここでは 0 と見なします"
            )
        case .identity: ("identity", "識別")
        case .sharedIdentity:
            (
                "{0} devices send this identity, and each of them keeps the region inside → give yours another UUID, major or minor with its maker's app, then in beacons.json",
                "{0} 台の機器がこの値を送信しており、どの 1 台でも圏内のままになります → メーカーのアプリで自分のビーコンの UUID、major、minor のいずれかを変更し、beacons.json にも書いてください"
            )
        case .changingIdentity:
            (
                "its {0} changes, as a battery level or a counter in it does, so a region of one {0} loses it → write \"mask\": {1} beside \"uuid\" in beacons.json",
                "{0} が電池残量やカウンターのように変わるため、1 つの値のリージョンでは見失います → beacons.json の \"uuid\" の横に \"mask\": {1} を書いてください"
            )
        case .noPower:
            (
                "unknown: the beacon does not advertise its signal at one metre; {0}",
                "不明。ビーコンは 1 m での信号の値を送信していません。{0}"
            )
        case .calibrate: ("run `okaeri calibrate {0}`", "`okaeri calibrate {0}` で測定してください")
        case .calibrateOnPage:
            ("to measure it, change the region {0} under Set up", "「設定」でリージョン {0} を変更し、測定してください")
        case .metres: ("{0} m, {1}", "{0} m")
        case .measured:
            ("{0}, from a measured power of {1} and a path loss exponent of {2}", "{0}（1 m での信号 {1}、減衰指数 {2} による）")
        case .calibrated: ("{0} dBm as calibrated", "{0} dBm（測定済み）")
        case .claimed: ("{0} dBm as the beacon states", "{0} dBm（ビーコンの値）")
        case .thisMachine: ("this machine", "この機器")
        case .away: ("away", "応答なし")
        case .receivedLast: ("received it last", "最後に受信")
        case .decides: ("alone decides an exit after {0} s", "単独では {0} 秒で退出と判断")
        default: ("has not received it for a while", "しばらく受信していません")
        }
    }
}
