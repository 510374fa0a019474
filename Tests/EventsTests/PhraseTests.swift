import Foundation
import HCI
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriEvents

/// Each text exists in both languages.
@Suite struct PhraseTests {
    /// A text of a catalogue.
    struct Text: Sendable, CustomStringConvertible {
        let name: String
        let english: String
        let japanese: String

        var description: String { name }

        /// The numbers of the values that a text has.
        func places(_ text: String) -> Set<Int> {
            Set((0...9).filter { text.contains("{\($0)}") || text.contains("{\($0) ") })
        }
    }

    private static func texts<Catalogue: Phrase>(_: Catalogue.Type) -> [Text] {
        Catalogue.allCases.map { phrase in
            Text(name: "\(Catalogue.self).\(phrase)", english: phrase.texts.english, japanese: phrase.texts.japanese)
        }
    }

    /// The texts in the words of the current installation.
    static var all: [Text] {
        texts(StatusPhrase.self) + texts(ExplanationPhrase.self) + texts(PlotPhrase.self) + texts(SubjectPhrase.self)
            + texts(Finding.Verdict.self) + texts(DoctorPhrase.self) + texts(FailurePhrase.self)
            + texts(ValuePhrase.self)
            + texts(SetupPhrase.self) + texts(ServicePhrase.self) + texts(WritePhrase.self)
            + texts(ScanMode.Reason.self)
            + texts(NetworkCoolDown.Cause.self) + texts(RefusalPhrase.self) + texts(CalibrationPhrase.self)
            + texts(JoinPhrase.self) + texts(RequestPhrase.self) + texts(HistoryPhrase.self)
            + texts(ReceiverPhrase.self)
            + texts(RemedyPhrase.self)
    }

    @Test(arguments: all) func `a text has the same values in both languages`(text: Text) {
        #expect(!text.english.isEmpty && !text.japanese.isEmpty)
        // A reason of another program is in the place of its translation.
        let moved: Set = [
            "DoctorPhrase.noConfiguration", "DoctorPhrase.wrongConfiguration", "DoctorPhrase.serviceSilent",
            "DoctorPhrase.adapterError",
            "DoctorPhrase.noNetworkManager",
        ]
        // The Japanese text has no word in the place of these values.
        let omitted: Set = [
            "StatusPhrase.distance", "ExplanationPhrase.metres", "SetupPhrase.severalSigns",
            "SetupPhrase.factoryIdentity",
            "FailurePhrase.noConfiguration",
        ]
        if moved.contains(text.name) { return }
        let isSubset = text.places(text.japanese).isSubset(of: text.places(text.english))
        #expect(omitted.contains(text.name) ? isSubset : text.places(text.japanese) == text.places(text.english))
        #expect(text.english.contains("→") == text.japanese.contains("→"), "both have a remedy, or none")
    }

    @Test func `no two texts of a catalogue are the same`() {
        for (catalogue, texts) in Dictionary(grouping: Self.all, by: { $0.name.prefix { $0 != "." } }) {
            let repeated = Dictionary(grouping: texts, by: \.english).values.filter { $0.count > 1 }.map {
                $0.map(\.name)
            }
            #expect(repeated.isEmpty, "\(catalogue): \(repeated)")
        }
    }

    @Test func `commands in backquotes are the same in both languages`() {
        func commands(_ text: String) -> Set<Substring> {
            Set(
                text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
                    .map(\.element))
        }
        for text in Self.all {
            let (english, japanese) = (commands(text.english), commands(text.japanese))
            #expect(japanese.isSubset(of: english) || english.isSubset(of: japanese), "\(text): \(english) \(japanese)")
        }
    }

    @Test func `values go into their places, and braces in them stay`() {
        let english = Language.english(ExplanationPhrase.afterSilence, "{1}", "{0} {x} {")
        #expect(english == "after {1} s of silence: {0} {x} {")
        #expect(Language.japanese(ExplanationPhrase.afterSilence, "9", "exit") == "9 秒途絶えたら：exit")
        #expect(Language.english(ExplanationPhrase.afterSilence, "9") == "after 9 s of silence: {1}")
    }

    @Test(arguments: [
        ("a whole number from 0 to 65535", "0～65535 の整数"), ("a number from 1 to 86400 seconds", "1～86400 秒の数値"),
        ("a number from 1.5 to 6", "1.5～6 の数値"), ("at most 3", "3 以下"),
        ("at most the interval, 50", "interval の 50 以下"),
        ("\"prompt\" or \"auto\" or \"off\"", "\"prompt\" か \"auto\" か \"off\""),
        ("an object, such as {\"host\": \"mqtt.lan\"}", "{\"host\": \"mqtt.lan\"} のようなオブジェクト"),
        (
            "the host alone, \"h\", without \"mqtts://\", and \"tls\": true",
            "\"mqtts://\" を除いたホストの \"h\" だけ。暗号化には \"tls\": true と書きます"
        ),
        ("a text of a later version", "a text of a later version"), ("", ""),
    ])
    func `a value with numbers or names has them in Japanese, too`(english: String, japanese: String) {
        #expect(Language.japanese.value(english) == japanese && Language.english.value(english) == english)
    }

    @Test func `a text of the file stays as it is`() {
        for text in ["\"a or b\"", "\"a number\"", "\"at most 3\""] { #expect(Language.japanese.found(text) == text) }
        #expect(Language.japanese.found("\"once\" without \"passphraseFile\"") != "\"once\" without \"passphraseFile\"")
        #expect(Language.japanese.found("an array of 3") == "要素が 3 個の配列")
    }

    @Test func `an encoder writes a text in the language that it was given, and without one in English`() throws {
        let text = LocalizedText(RefusalPhrase.noRegion, "home")
        #expect(JSON.line(["reason": text]).contains("there is no region home"))
        let encoder = JSONEncoder()
        encoder.userInfo[try #require(LocalizedText.languageKey)] = Language.japanese
        let japanese = String(decoding: try encoder.encode(["reason": text]), as: UTF8.self)
        #expect(japanese.contains("リージョン home はありません"))
        #expect(
            try JSONDecoder().decode([String: LocalizedText].self, from: Data(japanese.utf8))["reason"]?.english
                .hasPrefix("リージョン") == true)
    }

    @Test(arguments: [ScanTiming.shared, .continuous])
    func `the page has the extent of a scan as the daemon has it`(timing: ScanTiming) {
        let mode = ScanMode(timing: timing, reason: .wifiInUse)
        let phrase = timing.share < 1 ? StatusPhrase.scanPart : .scanAll
        let share = "\(Int((timing.share * 100).rounded()))"
        #expect(Language.english(phrase, "\(mode.reason)", share) == mode.description)
    }

    @Test func `a column of Japanese is as wide as one of English`() {
        #expect("Wi-Fi".displayWidth == 5 && "圏内 3 分".displayWidth == 9 && "ページ".displayWidth == 6)
        #expect(Language.japanese.column("通知", width: 11) == "通知       ")
        #expect(Language.english.column("a long label", width: 4) == "a long label ")
    }

    // MARK: Reasons of the daemon

    @Test(arguments: AdapterUpdate.Cause.allCases)
    func `a cause of Bluetooth has a Japanese text with the name of the adapter`(cause: AdapterUpdate.Cause) {
        let text = Language.japanese.bluetooth(code: cause.rawValue, adapter: "hci7", reason: "the daemon's own")
        if cause == .other {
            #expect(text == "the daemon's own")
        } else {
            #expect(text != "the daemon's own" && !text.contains("{0}"))
            #expect(cause == .noKernelSupport || text.contains("hci7"))
        }
        #expect(
            Language.english.bluetooth(code: cause.rawValue, adapter: "hci7", reason: "the daemon's own")
                == "the daemon's own")
    }

    @Test(arguments: BrokerCode.allCases) func `a state of the broker has a Japanese text`(code: BrokerCode) {
        let text = Language.japanese.broker(code: code.rawValue, address: "mqtt.lan:1883", reason: "the daemon's own")
        #expect(text != "the daemon's own" && (code == .siteTaken || text.contains("mqtt.lan:1883")))
        #expect(Language.english.broker(code: code.rawValue, address: "mqtt.lan:1883", reason: "own") == "own")
    }

    @Test(arguments: [BrokerCode.file, .notPermitted])
    func `the file or the topic of a refusal is named in Japanese, too`(code: BrokerCode) {
        let text = Language.japanese.broker(
            code: code.rawValue, address: "mqtt.lan:1883", reason: "/k/pw has mode 0644")
        #expect(text.hasSuffix("：/k/pw has mode 0644"), "\(text)")
    }

    @Test func `a code of a later version keeps the sentence of the daemon`() {
        #expect(Language.japanese.bluetooth(code: "melted", adapter: "hci0", reason: "it melted") == "it melted")
        #expect(Language.japanese.bluetooth(code: nil, adapter: "hci0", reason: "it melted") == "it melted")
        #expect(Language.japanese.broker(code: "melted", address: "a:1", reason: "it melted") == "it melted")
        #expect(Language.japanese.coolDown("melted", "it melted") == "it melted")
    }

    // MARK: Findings

    /// A report with everything wrong.
    private var wrong: StatusReport {
        var region = regionReport("keys", .outside)
        region.battery = BatteryReport(
            percent: 3, time: "2026-11-20T18:42:03.250Z", source: "advertised", major: 7, minor: 8)
        var report = statusReport(region, stale: true)
        report.bluetooth = .init(
            AdapterUpdate(state: .poweredOff, adapter: "hci0", cause: .switchedOff, reason: "hci0 is off"),
            listening: false, pausedFor: nil, scan: nil)
        report.kept = .init(file: "/s", start: "restored", reason: "r", problem: "no space", historyProblem: "locked")
        report.configuration = .init(
            file: "f", time: "2026-11-21T07:31:09Z", problem: "f: a",
            restart: [.init(key: "history.keep", reason: "later")])
        report.saved = .init(file: "/s/regions.json", problems: ["keys is not used"])
        report.mqtt = .init(connected: false, reason: "r", code: .refused, broker: "mqtt.lan:1883")
        report.listeners = [
            .init(name: "web", address: "127.0.0.1:1", problem: "taken"),
            .init(name: "metrics", address: "a:2", refused: "b:3"),
        ]
        report.services = [.init(service: "180F", connected: false, reason: "it is far")]
        report.simulated = ["wifi"]
        return report
    }

    @Test func `what is wrong with a daemon is named in Japanese, with its values`() {
        let findings = wrong.judged
        #expect(Set(findings.compactMap(\.code)).count >= 12)
        for finding in findings where finding.code != nil {
            let text = finding.text(in: .japanese)
            #expect(finding.translation != nil, "\(finding)")
            #expect(
                !text.contains("{") && text.unicodeScalars.contains { ("\u{3041}"..."\u{30FF}").contains($0) },
                "\(text)")
        }
        let broker = findings.first { $0.code == "brokerAway" }
        #expect(broker?.text(in: .japanese).hasPrefix("異常   MQTT：mqtt.lan:1883 ではブローカーが待ち受けていません") == true)
    }

    @Test func `a finding of a later version is shown as the daemon sends it`() throws {
        var later = Finding("daemon", .wrong, .stale, "it melted", remedy: "cool it")
        later.code = "melted"
        #expect(later.translation == nil && later.text(in: .japanese) == "異常   デーモン：it melted\n         → cool it")
    }

    @Test(arguments: [
        ("network “HomeNet”", "ネットワーク「HomeNet」"), ("network “a” b”", "ネットワーク「a” b」"), ("identity", "識別"),
        ("mdns", "mDNS"), ("mDNS", "mDNS"), ("exitTime", "退出時間"), ("melted “x”", "melted “x”"),
        ("network “x", "network “x"),
    ])
    func `the part of a finding is Japanese, and keeps its name`(subject: String, japanese: String) {
        let text = Finding.ok(subject, "fine").text(in: .japanese)
        #expect(text == "正常   \(japanese)：fine")
    }

    @Test func `each part of a daemon's finding is one of those that the page names`() {
        let parts = Set(wrong.judged.compactMap { SubjectPhrase(subject: $0.subject) })
        #expect(parts.count >= 10 && parts.isSubset(of: SubjectPhrase.ofDaemon), "\(parts)")
    }

    @Test func `JSON has a finding in English alone`() {
        let finding = Finding.wrong("adapter", DoctorPhrase.adapterDown, "hci0")
        #expect(finding.text(in: .japanese).contains("オフ") && !JSON.line(finding).contains("オフ"))
        #expect(
            finding.text()
                == "wrong  adapter: hci0 is down\n         → run `bluetoothctl power on`, or `sudo hciconfig hci0 up`")
    }

    @Test func `values out of bounds do not trap`() throws {
        var report = wrong
        report.findings = nil
        report.bluetooth = .init(
            AdapterUpdate(state: .poweredOn, adapter: "hci0", reason: "on"), listening: false, pausedFor: 1e300,
            scan: nil)
        report.kept = .init(file: "/s", start: "stale", age: 1e300, reason: "r")
        for language in Language.allCases {
            let text = try #require(StatusSummary(report, region: nil)).text(in: language)
            #expect(text.contains("1000000000"), "\(text)")
        }
    }

    @Test func `the status has Japanese lines`() throws {
        let text = try #require(StatusSummary(wrong, region: nil)).text(in: .japanese)
        for words in [
            "keys       圏外", "Bluetooth  オフ、", "hci0 がオフです。`sudo okaeri bluetooth on`", "MQTT       mqtt.lan:1883 では",
            "状態       保存された状態を復元しました", "読込失敗   ", "ページ     127.0.0.1:1 で待ち受けできません", "応答なし   ", "電池残量低下：major 7",
        ] { #expect(text.contains(words), "\(words) is not in\n\(text)") }
    }
}
