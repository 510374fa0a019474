import OkaeriPlumbing

/// The findings of `okaeri doctor` and of `okaeri` without a command about the machine. A remedy follows an arrow.
package enum DoctorPhrase: Phrase {
    case noConfiguration, wrongConfiguration, noRegion, watches, savedRegions, example
    case adapterError, noSuchAdapter, onlyOthers, noAdapter, adapterUp, noLowEnergy, noLowEnergyNamed
    case hardBlocked, softBlocked, adapterDown
    case mayScan, scanUnknown, mayNotScan, bluetoothdRuns, noBluetoothd, kernelFault
    case serviceRuns, notInGroup, serviceDown, serviceSilent, beaconUnknown, beaconReceived, beaconMissing
    case noNetwork, noNetworkManager, networkManager, networkManagerDevice, connected, connecting, savedProfile,
        passphraseFile
    case noNotifications, notifications, agentRuns, noAgent
    case noReceivers, receivers, receiverAway, receiverDeaf, receiverSlow, receiverRejected, receiverDuplicate,
        receiverAmbiguous, receiversTooMany
    case otherScan, otherScanRare
    case finish, complete

    package var texts: (english: String, japanese: String) { machine ?? rest }

    private var machine: (english: String, japanese: String)? {
        switch self {
        case .noConfiguration:
            (
                "{0} → \(Remedy.setup()) finds your beacon and writes one",
                "設定ファイルがありません → \(Remedy.setup().japanese("で"))ビーコンを登録し、作成してください"
            )
        case .wrongConfiguration:
            (
                "{0} → correct the file, and check it with `okaeri config check`; `okaeri config example` prints one that works",
                "{1} → ファイルを直し、`okaeri config check` で確認してください。`okaeri config example` で正しい例が表示されます"
            )
        case .noRegion:
            (
                "{0} has no region → \(Remedy.setup()) finds your beacon",
                "{0} にリージョンがありません → \(Remedy.setup().japanese("で"))ビーコンを登録してください"
            )
        case .watches: ("{0} watches {1}", "{0} で {1} を監視しています")
        case .savedRegions: ("{0} adds or changes {1}", "{0} で {1} を追加または変更しています")
        case .example:
            (
                "{0} is still the example, whose beacon does not exist → hold your beacon close, and \(Remedy.setup().order())",
                "{0} は例のままで、そのビーコンは存在しません → ビーコンを\(Remedy.setup().japaneseOrder(after: "近づけて"))"
            )
        case .adapterError:
            (
                "{0} → look for the reason with `dmesg | grep -i bluetooth`",
                "{1} → `dmesg | grep -i bluetooth` で理由を確認してください"
            )
        case .noSuchAdapter:
            (
                "there is no {0} → plug one in, or name another in beacons.json (\"adapter\")",
                "{0} がありません → アダプターを接続するか、beacons.json の \"adapter\" を直してください"
            )
        case .onlyOthers:
            (
                "there is no {0}, only {1} → plug one in, or name another in beacons.json (\"adapter\")",
                "{0} がありません。あるのは {1} です → アダプターを接続するか、beacons.json の \"adapter\" を直してください"
            )
        case .noAdapter:
            (
                "there is none → plug one in, or name another in beacons.json (\"adapter\")",
                "アダプターがありません → アダプターを接続するか、beacons.json の \"adapter\" を直してください"
            )
        case .adapterUp: ("{0} is up", "{0} は動作しています")
        case .noLowEnergy:
            (
                "{0} has no Bluetooth LE, which beacons use → plug in an adapter with Bluetooth 4.0 or later",
                "{0} はビーコンが使う Bluetooth LE に対応していません → Bluetooth 4.0 以降のアダプターを接続してください"
            )
        case .noLowEnergyNamed:
            (
                "{0} has no Bluetooth LE, which beacons use → plug in an adapter with Bluetooth 4.0 or later, and name it in beacons.json (\"adapter\")",
                "{0} はビーコンが使う Bluetooth LE に対応していません → Bluetooth 4.0 以降のアダプターを接続し、beacons.json の \"adapter\" に書いてください"
            )
        case .hardBlocked:
            (
                "{0} is off by a hardware switch → move the switch, or press the key",
                "{0} がハードウェアのスイッチでオフになっています → スイッチかキーでオンにしてください"
            )
        case .softBlocked:
            ("{0} is blocked → run `rfkill unblock bluetooth`", "{0} が無効になっています → `rfkill unblock bluetooth` を実行してください")
        case .adapterDown:
            (
                "{0} is down → run `bluetoothctl power on`, or \(Remedy.machine("hciconfig {0} up"))",
                "{0} がオフです → `bluetoothctl power on` \(Remedy.machine("hciconfig {0} up").japanese(after: "か")) を実行してください"
            )
        case .mayScan: ("this user may scan (CAP_NET_RAW)", "このユーザーはスキャンできます（CAP_NET_RAW）")
        case .scanUnknown: ("the kernel does not report whether this user may scan", "このユーザーがスキャンできるかどうか、カーネルから分かりません")
        case .mayNotScan:
            (
                "this user may not scan: CAP_NET_RAW is missing → \(Installation.words("run the command with `sudo`; a service needs AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN", or: Remedy.scanRights.english))",
                "このユーザーはスキャンできません（CAP_NET_RAW がありません） → \(Installation.words("コマンドを `sudo` で実行してください。サービスには AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN が必要です", or: Remedy.scanRights.japanese))"
            )
        case .bluetoothdRuns: ("it runs; okaeri scans beside it", "動作しています。okaeri は並行してスキャンします")
        case .noBluetoothd:
            (
                "it does not run; okaeri does not need it, but then no program switches the adapter on",
                "動作していません。okaeri には不要ですが、アダプターをオンにするプログラムがありません"
            )
        case .kernelFault:
            (
                "Linux {0} refuses advertisements of bluetoothd (Invalid Parameters); `okaeri enroll`, `advertise` and `gatt` need root or CAP_NET_ADMIN to advertise without it → update the kernel \(Installation.words("with `sudo apt update && sudo apt full-upgrade`, and restart", or: "of the machine, and restart it"))",
                "Linux {0} は bluetoothd のアドバタイズを拒否します（Invalid Parameters）。`okaeri enroll`、`advertise`、`gatt` には root 権限か CAP_NET_ADMIN が必要です → \(Installation.words("`sudo apt update && sudo apt full-upgrade` で", or: "ホストの"))カーネルを更新し、再起動してください"
            )
        default: nil
        }
    }

    private var rest: (english: String, japanese: String) {
        switch self {
        case .serviceRuns: ("it runs, and you may query it", "動作しており、利用できます")
        case .notInGroup:
            (
                "the service runs, and you are not in its group → \(Remedy.admission.english)",
                "サービスは動作していますが、グループに加わっていません → \(Remedy.admission.japanese)"
            )
        case .serviceDown:
            (
                "it does not run → \(Remedy.start(by: "enable --now").order("run ", ", or `okaeri monitor` if it is not installed as a service"))",
                "動作していません → \(Remedy.start(by: "enable --now").japaneseOrder("を実行してください。サービスとしてインストールしていない場合は `okaeri monitor` を実行してください"))"
            )
        case .serviceSilent:
            ("{0} → \(Remedy.restart().order())", "{1} → \(Remedy.restart().japaneseOrder())")
        case .beaconUnknown: ("the service shows whether it is received", "受信しているかどうかは、サービスが動作すると分かります")
        case .beaconReceived: ("the beacon of {0} is received", "{0} のビーコンを受信しています")
        case .beaconMissing:
            (
                "no configured beacon is received → hold yours close, and compare what \(Remedy.okaeri("scan")) shows with the configuration; \(Remedy.setup()) changes it",
                "設定されたビーコンを受信していません → ビーコンを近づけ、\(Remedy.okaeri("scan")) の表示と設定を比べてください。\(Remedy.setup().japanese("で"))変更できます"
            )
        case .noNetwork: ("no region names a network to join", "接続する Wi-Fi を設定したリージョンはありません")
        case .noNetworkManager:
            (
                "{0} → \(Remedy.start("NetworkManager", by: "enable --now").order())",
                "{1} → \(Remedy.start("NetworkManager", by: "enable --now").japaneseOrder())"
            )
        case .networkManager: ("it runs", "動作しています")
        case .networkManagerDevice: ("it runs, Wi-Fi device {0}", "動作しています。Wi-Fi デバイスは {0} です")
        case .connected: ("it is connected", "接続済みです")
        case .connecting: ("it is being connected", "接続しています")
        case .savedProfile: ("in range, with a saved profile", "近くにあり、保存された接続があります")
        case .passphraseFile: ("in range, with a passphrase file", "近くにあり、パスフレーズのファイルがあります")
        case .noNotifications:
            (
                "no program shows notifications → install one, such as mako-notifier for Wayland or dunst, and log in again",
                "通知を表示するプログラムがありません → Wayland なら mako-notifier、それ以外なら dunst などをインストールし、ログインし直してください"
            )
        case .notifications: ("notifications can be shown", "通知を表示できます")
        case .agentRuns: ("it runs, and shows the prompts as notifications", "動作しており、確認を通知として表示します")
        case .noAgent:
            (
                "it does not run in this session, so no notification shows a prompt → \(Installation.words("run `systemctl --user start okaeri-agent`", or: "start okaeri-agent on the machine")), or log in again",
                "このセッションで動作していないため、確認が通知として表示されません → \(Installation.words("`systemctl --user start okaeri-agent` を実行するか", or: "ホストの okaeri-agent を起動するか"))、ログインし直してください"
            )
        case .noReceivers:
            (
                "none of the receivers in \"receivers\" has been found → compare their topics with beacons.json: `mosquitto_sub -h {0} -v -t {1}`; the broker must let this machine's user read {2}",
                "\"receivers\" の受信機が見つかりません → トピックを beacons.json と比べてください：`mosquitto_sub -h {0} -v -t {1}`。ブローカーで、このマシンのユーザーに {2} の読み取りを許可してください"
            )
        case .receivers: ("{0} report", "{0} が報告しています")
        case .receiverAway:
            (
                "{0} does not report → check its power, its Wi-Fi and its broker; if it is gone for good, run `okaeri nodes forget {0}`",
                "{0} の報告がありません → 電源、Wi-Fi、ブローカーの設定を確認してください。もう使わない場合は `okaeri nodes forget {0}` を実行してください"
            )
        case .receiverDeaf:
            (
                "{0} is online and receives no advertisement at all → restart it",
                "{0} はオンラインですが、アドバタイズをまったく受信していません → 再起動してください"
            )
        case .receiverSlow:
            (
                "{0} scans only {1} % of the time, which is too slow for presence → run `mosquitto_pub -h {2} -t {3}/commands/MQTTtoBT/config -m {4}`",
                "{0} は全体の {1} % の時間しかスキャンしないため、在室の判定には遅すぎます → `mosquitto_pub -h {2} -t {3}/commands/MQTTtoBT/config -m {4}` を実行してください"
            )
        case .receiverRejected:
            (
                "{0 message} of {1} cannot be used → compare its version and its settings with receivers.md",
                "{1} のメッセージ {0} 件が使えません → バージョンと設定を receivers.md で確認してください"
            )
        case .receiversTooMany:
            (
                "{0} receivers are known, and {1 message} of others cannot be used → name those of this house in `rooms` of receivers, and give them a user of the broker of their own",
                "受信機は {0} 台までです。ほかの受信機のメッセージ {1} 件は使われません → receivers の rooms にこの家の受信機の名前を書き、ブローカーに専用のユーザーを用意してください"
            )
        case .receiverDuplicate:
            (
                "two receivers publish as {0}, so its room and its silence are those of either → give one of them another name",
                "2 台の受信機が同じ名前 {0} で送信しているため、部屋も不在の判定も混ざります → 一方の名前を変えてください"
            )
        case .receiverAmbiguous:
            (
                "{0} reports beacons of different regions under one alias, and these reports are not used → give each beacon an alias of its own at ESPresense",
                "{0} は別々のリージョンのビーコンを同じ別名で報告しており、その報告は使えません → ESPresense でビーコンごとに別の別名を付けてください"
            )
        case .otherScan:
            (
                "another program scans with {0} too, {1} % of the time; both receive each advertisement",
                "別のプログラムも {0} で全体の {1} % の時間スキャンしています。どちらもすべてのアドバタイズを受信します"
            )
        case .otherScanRare:
            (
                "another program scans with {0} too, only {1} % of the time, so that okaeri receives less → if exits are false or arrivals late, plug in an adapter for okaeri alone, and name it in beacons.json (\"adapter\")",
                "別のプログラムも {0} でスキャンしていますが、全体の {1} % の時間だけなので、受信が減ります → 誤った退出や到着の遅れがあれば、okaeri 専用のアダプターを接続し、beacons.json の \"adapter\" に書いてください"
            )
        case .finish:
            (
                "Fix the first line that begins with \"wrong\" or has a command after an arrow, then run `okaeri` again. To list the commands, run `okaeri --help`.",
                "「異常」の行、または矢印の後にコマンドがある行を上から順に直し、もう一度 `okaeri` を実行してください。コマンドの一覧は `okaeri --help` で表示されます。"
            )
        default:
            (
                "The set-up is complete. `okaeri status` shows the regions, and `okaeri --help` lists the commands.",
                "設定は完了しています。`okaeri status` でリージョンの状態、`okaeri --help` でコマンドの一覧が表示されます。"
            )
        }
    }
}
