/// The findings of `okaeri doctor` about another program that scans with the same adapter: the adapter, and the part of the time in %.
package enum OtherScanPhrase: Phrase {
    case sufficient, rare

    package var texts: (english: String, japanese: String) {
        switch self {
        case .sufficient:
            (
                "another program scans with {0} too, {1} % of the time; both receive each advertisement",
                "別のプログラムも {0} で全体の {1} % の時間スキャンしています。どちらもすべてのアドバタイズを受信します"
            )
        case .rare:
            (
                "another program scans with {0} too, only {1} % of the time, so that okaeri receives less → if exits are false or arrivals late, plug in an adapter for okaeri alone, and name it in beacons.json (\"adapter\")",
                "別のプログラムも {0} でスキャンしていますが、全体の {1} % の時間だけなので、受信が減ります → 誤った退出や到着の遅れがあれば、okaeri 専用のアダプターを接続し、beacons.json の \"adapter\" に書いてください"
            )
        }
    }
}
