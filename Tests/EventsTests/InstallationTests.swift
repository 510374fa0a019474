import Foundation
import HCI
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriEvents

/// Texts name the commands of the installation.
@Suite struct InstallationTests {
    private static let top = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    @Test(arguments: [
        ("", Installation.machine), ("lxc", .machine), ("systemd-nspawn", .machine), ("oci", .container),
        ("podman", .container), ("homeassistant", .homeAssistant),
    ])
    func `the environment decides how the program is installed`(container: String, installation: Installation) {
        #expect(Installation(container: container) == installation)
    }

    /// The texts of the current installation that are in no catalogue.
    private static var others: [String] {
        let situations = PromptSituation.allCases
        let update = AdapterUpdate(state: .poweredOff, adapter: "hci0", cause: .switchedOff, reason: "off")
        return Array(AdapterUpdate.Cause.japaneseTexts.values) + Array(BrokerCode.japaneseTexts.values)
            + Finding.Code.allCases.compactMap(\.japanese) + situations.map(\.words)
            + JoinFailure.Code.allCases.map { $0.japanese("a reason") }
            + Language.allCases.flatMap { language in
                situations.compactMap { language.note($0) } + [language.bluetoothReason(update)]
            }
    }

    @Test(arguments: [Installation.container, .homeAssistant])
    func `no text of a catalogue names a command that a container does not have`(installation: Installation) {
        Installation.local.withValue(installation) {
            let texts = PhraseTests.all
            #expect(texts.count > 500)
            for text in texts.flatMap({ [$0.english, $0.japanese] }) + Self.others {
                #expect(!text.contains(foreignCommand), "\(text)")
            }
        }
    }

    @Test(arguments: [Installation.container, .homeAssistant])
    func `a text of a container has the values of that of a machine`(installation: Installation) {
        let all = PhraseTests.all
        let others = Installation.local.withValue(installation) { PhraseTests.all }
        // A command may name a value again.
        for (text, other) in zip(all, others) {
            #expect(other.places(other.english).isSubset(of: text.places(text.english)), "\(text)")
            #expect(other.places(other.japanese).isSubset(of: text.places(text.japanese)), "\(text)")
            #expect(other.english.contains("→") == text.english.contains("→"), "\(text)")
        }
    }

    @Test func `a text in the source has its commands from the installation`() throws {
        var count = 0
        for folder in ["Core", "Daemon", "Library", "Platform", "Programs"] {
            let folder = Self.top.appending(path: "Sources/\(folder)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where ["swift", "js"].contains(file.pathExtension) {
                let name = file.lastPathComponent
                if name == "Remedy.swift" { continue }
                count += 1
                // The page has a place for `sudo`.
                let text = try String(contentsOf: file, encoding: .utf8).replacing("{sudo}", with: "")
                guard ["sudo", "systemctl", "journalctl", "apt "].contains(where: text.contains) else { continue }
                let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                for (number, line) in lines.enumerated() where !line.hasPrefix("//") {
                    guard line.contains("`"), line.contains(foreignCommand) else { continue }
                    // The words of a machine, beside those of a container.
                    let call = lines[max(0, number - 1)...min(number + 1, lines.count - 1)].joined()
                    #expect(call.contains("Installation.words("), "\(name): \(line)")
                }
            }
        }
        #expect(count > 400)
    }

    /// Texts with the words of a machine, a container and the app.
    private static let samples: [(text: @Sendable () -> String, words: [String])] = [
        (
            { Remedy.restart().order() },
            ["run `sudo systemctl restart okaeri`", "restart the container", "restart the app in Home Assistant"]
        ),
        (
            { Remedy.reload().japaneseOrder(after: "から") },
            [
                "から `sudo systemctl reload okaeri` を実行してください", "からコンテナーを再起動してください", "から Home Assistant のアプリを再起動してください",
            ]
        ),
        (
            { Remedy.log().japanese(after: "詳しくは", "を") },
            ["詳しくは `journalctl -u okaeri` を", "詳しくはコンテナーのログを", "詳しくは Home Assistant のアプリのログを"]
        ),
        (
            { "{0} → \(Remedy.setup()) finds your beacon" },
            [
                "{0} → `sudo okaeri setup` finds your beacon", "{0} → `okaeri setup` finds your beacon",
                "{0} → the page in Home Assistant finds your beacon",
            ]
        ),
        (
            { Remedy.start("bluetooth", by: "enable --now").order("start it with ") },
            [
                "start it with `sudo systemctl enable --now bluetooth`",
                "start bluetooth on the machine, and mount its system bus into the container",
                "start bluetooth on the machine",
            ]
        ),
        (
            { Remedy.machine("hciconfig hci0 up").japanese(after: "か", "を") },
            ["か `sudo hciconfig hci0 up` を", "かホストの `hciconfig hci0 up` を", "かホストの `hciconfig hci0 up` を"]
        ),
        ({ "\(Remedy.root("chown 7 /k"))" }, ["`sudo chown 7 /k`", "`chown 7 /k` as root", "`chown 7 /k` as root"]),
        (
            { Remedy.install("libcurl3-gnutls").order() },
            [
                "run `sudo apt install libcurl3-gnutls`", "build the image of the container anew",
                "build the image of the app in Home Assistant anew",
            ]
        ),
        (
            { "start the broker\(Remedy.start("mosquitto").aside), or" },
            ["start the broker (`sudo systemctl start mosquitto`), or", "start the broker, or", "start the broker, or"]
        ),
        ({ Remedy.okaeri("web on") }, ["`sudo okaeri web on`", "`okaeri web on`", "`okaeri web on`"]),
    ]

    @Test func `a remedy has the words of its installation`() {
        for (text, words) in Self.samples {
            #expect(Installation.allCases.map { Installation.local.withValue($0, operation: text) } == words)
        }
    }

    @Test(arguments: Installation.allCases)
    func `a remedy in a mistake of a configuration is Japanese in each installation`(installation: Installation) {
        Installation.local.withValue(installation) {
            for phrase in RemedyPhrase.allCases {
                #expect(Language.japanese.value(phrase.texts.english) == phrase.texts.japanese)
                #expect(Language.english.value(phrase.texts.english) == phrase.texts.english)
            }
            let command = Language.japanese.value("run \(Remedy.root("chown root /k"))")
            #expect(command.contains("`\(Installation.sudo)chown root /k` を実行してください"), "\(command)")
        }
    }

    @Test func `a command in a value stays as it is`() {
        Installation.local.withValue(.container) {
            let name = "`sudo systemctl x` and sudo"
            #expect(Language.english(RefusalPhrase.noRegion, name).contains(name))
            let report = regionReport(name, .outside)
            #expect(JSON.line(report).contains("\"\(name)\""))
        }
    }
}
