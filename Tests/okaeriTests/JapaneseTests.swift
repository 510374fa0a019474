import Foundation
import OkaeriTestSupport
import Testing

/// The command line in a Japanese locale: texts for people are Japanese, texts for programs stay English.
@Suite(.blocks, .timeLimit(.minutes(5))) struct JapaneseTests {
    private let binary: Binary
    private let japanese = ["LANG": "ja_JP.UTF-8"]

    init() throws { binary = try Binary() }

    private var noSocket: [String] { ["--socket", "\(binary.folder)/none.sock"] }

    @Test func `without a daemon the status has the reason in Japanese`() throws {
        let outcome = try binary.run(["status"] + noSocket, environment: japanese)
        #expect(outcome.status == 3 && outcome.errors.hasPrefix("okaeri: okaeri が動いていません（\(binary.folder)/none.sock"))
        let explain = try binary.run(["explain", "home"] + noSocket, environment: japanese)
        #expect(explain.status == 69 && explain.errors.contains("okaeri が動いていません"))
    }

    @Test(arguments: [
        ["LC_ALL": "C", "LC_MESSAGES": "ja_JP.UTF-8", "LANG": "ja_JP.UTF-8"],
        ["LC_MESSAGES": "en_GB.UTF-8", "LANG": "ja_JP.UTF-8"],
        [:],
    ]) func `the first variable of the locale decides`(environment: [String: String]) throws {
        let outcome = try binary.run(["status"] + noSocket, environment: environment)
        #expect(outcome.errors.hasPrefix("okaeri: no okaeri runs here"))
    }

    @Test func `JSON and the answer of a plugin stay English`() throws {
        let json = try binary.run(["status", "--json"] + noSocket, environment: japanese)
        #expect(json.output.contains("\"error\":\"no okaeri runs here") && json.output.contains("\"status\":3"))
        #expect(json.errors.contains("okaeri が動いていません"))
        let plugin = try binary.run(["status", "--nagios"] + noSocket, environment: japanese)
        #expect(plugin.status == 2 && plugin.output.hasPrefix("OKAERI CRITICAL") && plugin.output.allSatisfy(\.isASCII))
    }

    @Test func `mistakes of a configuration are shown in Japanese`() throws {
        let text = try binary.file("text.json", "{ \"regions\": [".utf8)
        let check = try binary.run(["config", "check", "--config", text], environment: japanese)
        #expect(check.status == 78 && check.errors.contains("1 行目の "), "\(check)")
        #expect(check.errors.contains("「ファイルの終わり」は使えません。正しい形："), "\(check)")
        for (text, words) in [
            ("{} // a", "「コメント」は使えません。正しい形：JSON にコメントは書けません"),
            (#"{"regions": [],}"#, "「} の前のコンマ」は使えません"), ("{\"regions\"：[]}", "「全角のコロン」は使えません"),
            (
                #"{"regions": [{"identifier": "home", "uuid": "5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34", "major": 70000}]}"#,
                "regions[0].major：「70000」は使えません。正しい形：0～65535 の整数"
            ),
            (#"{"regions": [], "mqtt": {"host": "mqtt://hub"}}"#, "正しい形：\"mqtt://\" を除いたホストの \"hub\" だけ"),
            ("{}", "regions：値がありません。正しい形：リージョンの配列"),
            (#"{"regions": [{"identifier": "home", "uuid": 7}]}"#, "（リージョン \"home\"、1 行目）"),
        ] {
            let file = try binary.file("mistake.json", text.utf8)
            let check = try binary.run(["config", "check", "--config", file], environment: japanese)
            #expect(check.errors.contains(words), "\(text): \(check)")
        }
        let key = try binary.file("key.json", #"{"regions": [], "adaptor": "hci0"}"#.utf8)
        let misspelt = try binary.run(["config", "check", "--config", key], environment: japanese)
        #expect(misspelt.errors.contains("\"adapter\" の間違いではありませんか？"), "\(misspelt)")
        let none = try binary.run(["config", "check", "--config", "\(binary.folder)/none.json"], environment: japanese)
        #expect(none.status == 78 && none.errors.contains("none.json を読めません"), "\(none)")
    }

    @Test func `the history that cannot be read, and remarks, are named in Japanese`() throws {
        let folder = "\(binary.folder)/state"
        let none = try binary.run(["history", "--state-dir", folder], environment: japanese)
        #expect(none.status == 69 && none.errors.contains("履歴がありません（\(folder)/history.sqlite が存在しません）"), "\(none)")
        let english = try binary.run(["history", "--state-dir", folder])
        #expect(english.errors.contains("there is no history: \(folder)/history.sqlite does not exist;"), "\(english)")
        let factory = try binary.file(
            "factory.json",
            #"{"regions": [{"identifier": "home", "uuid": "FDA50693-A4E2-4FB1-AFCF-C6EB07647825"}]}"#.utf8)
        let check = try binary.run(["config", "check", "--config", factory], environment: japanese)
        #expect(check.status == 0 && check.errors.contains("注意：regions[0].uuid：UUID が工場出荷時のもの"), "\(check)")
    }

    @Test func `the doctor and the first steps are Japanese`() throws {
        let doctor = try binary.run(["doctor"] + noSocket, environment: japanese)
        #expect(
            doctor.lines.contains { $0.hasPrefix("正常   ") || $0.hasPrefix("異常   ") || $0.hasPrefix("注意   ") },
            "\(doctor)")
        #expect(doctor.output.contains("サービス：動作していません"), "\(doctor)")
        let json = try binary.run(["doctor", "--json"] + noSocket, environment: japanese)
        #expect(json.output.contains("it does not run") && !json.output.contains("動作していません"))
        #expect(doctor.status == json.status)
    }

    @Test func `a set-up without a terminal names its options in Japanese`() throws {
        let setup = try binary.run(["setup"] + noSocket, environment: japanese)
        #expect(setup.status == 64 && setup.errors.contains("質問できる端末がありません"))
    }

    @Test func `a person reads that the history has no events, and a program reads nothing`() throws {
        let state = ["--state-dir", binary.folder]
        #expect(try binary.run(["replay"] + state + binary.demo).status == 0)
        let since = ["history", "--region", "home", "--since", "2026-12-24"] + state
        let piped = try binary.run(since)
        #expect(piped.status == 0 && piped.output.isEmpty && piped.errors.isEmpty, "\(piped)")
        for (environment, words) in [
            (japanese, "履歴に「home」の 2026-12-24 00:00:00 UTC 以降の出来事はありません"),
            ([:], "the history has no events of \"home\" since 2026-12-24 00:00:00 UTC"),
        ] {
            let terminal = try Pseudoterminal()
            let process = try binary.start(since, on: terminal, environment: environment)
            terminal.end(of: process, within: 30)
            #expect(process.terminationStatus == 0 && terminal.text == "okaeri: \(words)\r\n", "\(terminal.text)")
        }
        let terminal = try Pseudoterminal()
        let json = try binary.start(since + ["--json"], on: terminal)
        terminal.end(of: json, within: 30)
        #expect(json.terminationStatus == 0 && terminal.text.isEmpty, "\(terminal.text)")
    }

    @Test func `the mistakes of join and of calibrate are Japanese`() throws {
        for (arguments, words) in [
            (["join", "mqtt://lan"], "mqtt://lan は HOST か HOST:PORT の形ではありません"),
            (["join", "mqtt.lan", "--room", ""], "--room には、kitchen のような部屋の名前を"),
            (["join", "127.0.0.1:1", "--config", "beacons.json"], "質問できる端末がありません"),
            (["calibrate", "home", "--distance", "0"], "--distance には 2～1000 m の値を"),
        ] {
            let outcome = try binary.run(arguments, environment: japanese)
            #expect(outcome.status == 64 && outcome.errors.contains(words), "\(arguments): \(outcome)")
        }
        let options = ["--config", "beacons.json", "--username", "", "--room", "r", "--name", "n", "--yes"]
        let refused = try binary.run(["join", "127.0.0.1:1"] + options, environment: japanese)
        #expect(refused.status == 69 && refused.errors.contains("127.0.0.1:1 ではブローカーが待ち受けていません。ブローカーを起動するか"))
        let english = try binary.run(["join", "mqtt.lan", "--room", ""])
        #expect(english.status == 64 && english.errors.contains("--room takes the name of a room, such as kitchen"))
    }

    @Test func `a picture of a day is Japanese`() throws {
        let state = ["--state-dir", binary.folder]
        #expect(try binary.run(["replay"] + state + binary.demo).status == 0)
        let plot = try binary.run(["plot", "--day", "2026-11-20"] + state, environment: japanese)
        #expect(plot.status == 0 && plot.output.contains("2026年11月20日(金)") && plot.output.contains("圏内"))
        let english = try binary.run(["plot", "--day", "2026-11-20"] + state)
        #expect(english.output.contains("Friday, 20 November 2026") && !english.output.contains("圏"))
    }
}
