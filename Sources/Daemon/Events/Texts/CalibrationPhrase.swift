/// The texts of `okaeri calibrate`, of the measurement in `okaeri setup`, and of that on the page.
package enum CalibrationPhrase: Phrase {
    // The measurement.
    case leave, oneMetre, metres, left, nothing, noSignal, several, severalName, tooFew, longer, again, unsteady,
        noPower,
        implausible
    // The result.
    case node, measured, exponent, summary, claim, noClaim, readings, addNode, replace, add
    // The options.
    case distanceOption, powerOption, nodeOption, receiverOption, noMeasuredPower
    // A receiver of another make.
    case leaveAtReceiver, receiver, addReceiver, receiverSilent, unknownReceiver

    package var texts: (english: String, japanese: String) { measurement ?? others }

    private var measurement: (english: String, japanese: String)? {
        switch self {
        case .leave:
            (
                "leave the beacon where it is, {0} from the antenna and in sight of it",
                "ビーコンを、アンテナから見通しのよい {0} の位置に置いたままにしてください"
            )
        case .oneMetre: ("one metre", "1 m")
        case .metres: ("{0} m", "{0} m")
        case .left: ("{0} s left, {1 reading}", "残り {0} 秒、受信 {1} 回")
        case .nothing:
            (
                "no beacon of \"{0}\" was received in {1} s; switch it on and bring it near: `okaeri scan` lists the beacons in range",
                "{1} 秒間に「{0}」のビーコンを受信できませんでした。電源を入れて近づけてください。`okaeri scan` で近くのビーコンの一覧が表示されます"
            )
        case .noSignal:
            (
                "\"{0}\" was received {1 time} in {2} s, always without a signal strength; use an adapter or a capture that has signal strengths",
                "{2} 秒間に「{0}」を {1} 回受信しましたが、信号の強さが一度も含まれていませんでした。信号の強さを測れるアダプター、またはそれを記録したキャプチャーを使ってください"
            )
        case .several:
            (
                "{0} beacons of \"{1}\" were received: {2}; move the others away, or name one with `okaeri calibrate UUID/MAJOR/MINOR`",
                "「{1}」のビーコンを {0} 個受信しました：{2}。ほかのビーコンを遠ざけるか、`okaeri calibrate UUID/MAJOR/MINOR` で 1 つを指定してください"
            )
        case .severalName: ("major {0} minor {1} ({2 reading})", "major {0} minor {1}（受信 {2} 回）")
        case .tooFew:
            (
                "only {0} of the {1} required readings were received in {2} s; {3}",
                "{2} 秒間に、必要な {1} 回のうち {0} 回しか受信できませんでした。{3}"
            )
        case .longer:
            (
                "scan longer with `--duration`, or set a shorter advertising interval in the beacon",
                "`--duration` で受信の時間を延ばすか、ビーコンの発信間隔を短くしてください"
            )
        case .again:
            (
                "check that the beacon is switched on and near, then try again",
                "ビーコンの電源と位置を確認し、もう一度試してください"
            )
        case .unsteady:
            (
                "half of the readings differ by {0} dB, and {1} dB is the limit; put the beacon down with nothing between it and the antenna, and step aside",
                "測定値の半分だけで {0} dB の幅があります（{1} dB 以内が必要）。ビーコンをアンテナから見通しのよい場所に置き、離れてください"
            )
        case .noPower:
            (
                "the beacon does not advertise its signal at one metre; name it with `--measured-power`, or measure it with `okaeri calibrate {0}`",
                "ビーコンは 1 m での信号の値を送信していません。`--measured-power` で指定するか、`okaeri calibrate {0}` で測定してください"
            )
        case .implausible:
            (
                "the path loss exponent would be {0}, and nothing has one outside of {1}...{2}; check the distance, and calibrate at one metre first",
                "減衰指数が {0} になりますが、{1}～{2} の範囲外の値はありえません。距離を確認し、先に 1 m で測定してください"
            )
        default: nil
        }
    }

    private var others: (english: String, japanese: String) {
        switch self {
        case .node:
            (
                "this machine hears {0} dBm at one metre, where {1} dBm are due",
                "この機器は 1 m で {0} dBm を受信しました。本来の値は {1} dBm です"
            )
        case .measured: ("{0} dBm at one metre", "1 m で {0} dBm")
        case .exponent:
            (
                "path loss exponent {0}: {1} dBm at one metre, {2} dBm at {3}",
                "減衰指数 {0}：1 m で {1} dBm、{3} で {2} dBm"
            )
        case .summary: ("{0}, which itself {1} at one metre", "{0}（{1}）")
        case .claim: ("states {0} dBm", "ビーコン自身の値は 1 m で {0} dBm")
        case .noClaim: ("does not advertise its signal", "ビーコンは 1 m での信号の値を送信していません")
        case .readings:
            ("{0 reading}; the middle 80 % are between {1} and {2} dBm", "受信 {0} 回、中央の 80 % は {1}～{2} dBm")
        case .addNode:
            (
                "In beacons.json, beside \"regions\", add this to \"node\", and keep its name and room if there are any:",
                "beacons.json の \"regions\" の横にある \"node\" に、次の内容を追加してください（name と room があれば残します）："
            )
        case .replace:
            (
                "In region \"{0}\" of beacons.json, replace the old line with this one:",
                "beacons.json のリージョン「{0}」で、以前の行を次の行に置き換えてください："
            )
        case .add:
            (
                "Add to region \"{0}\" of beacons.json, above \"identifier\":",
                "beacons.json のリージョン「{0}」の \"identifier\" の上に、次の行を追加してください："
            )
        case .distanceOption:
            (
                "--distance takes metres from 2 to 1000; leave it out for one metre",
                "--distance には 2～1000 m の値を指定してください。1 m で測定する場合は省いてください"
            )
        case .powerOption:
            (
                "--measured-power takes dBm from -127 to -1, and goes with --distance or --node",
                "--measured-power には -127～-1 dBm の値を、--distance か --node とともに指定してください"
            )
        case .receiverOption:
            (
                "the name of a receiver follows --node, and needs a region; leave out --distance",
                "受信機の名前は --node の後に書き、リージョンも必要です。--distance は省いてください"
            )
        case .leaveAtReceiver:
            (
                "leave the beacon one metre from {0}, and in sight of it",
                "ビーコンを、{0} から見通しのよい 1 m の位置に置いたままにしてください"
            )
        case .receiver:
            (
                "{0} reports {1} dBm at one metre, where {2} dBm are due",
                "{0} は 1 m で {1} dBm を報告しました。本来の値は {2} dBm です"
            )
        case .addReceiver:
            (
                "In its entry of \"receivers\" in beacons.json, beside the other rooms if there are any:",
                "beacons.json の \"receivers\" のその項目に追加してください（ほかの部屋があれば残します）："
            )
        case .receiverSilent:
            (
                "{0} has reported \"{1}\" in {2} of the {3} required seconds; bring the beacon near, and wait longer with --duration",
                "{0} が「{1}」を報告したのは、必要な {3} 秒のうち {2} 秒でした。ビーコンを近づけ、--duration で長く測定してください"
            )
        case .unknownReceiver:
            (
                "there is no receiver \"{0}\"; `okaeri nodes` lists them",
                "受信機「{0}」はありません。`okaeri nodes` で一覧が表示されます"
            )
        case .nodeOption:
            ("--node is measured at one metre; leave out --distance", "--node は 1 m で測定します。--distance を省いてください")
        default:
            (
                "\"{0}\" has no measuredPower; calibrate without --distance first, or use --measured-power",
                "「{0}」には measuredPower がありません。先に --distance なしで測定するか、--measured-power を指定してください"
            )
        }
    }
}
