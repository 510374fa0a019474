import Foundation
import OkaeriTestSupport
import Testing

@testable import OkaeriEvents

/// Texts name the commands of the installation.
@Suite struct InstallationTests {
    private static let top = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// A container has none of these commands.
    private static var foreign: Regex<Substring> { #/systemctl|\bsudo|journalctl|\bapt /# }

    private func expectAdapted(_ text: String, _ name: String) {
        for installation in [Installation.container, .homeAssistant] {
            let adapted = installation.adapted(text)
            #expect(!adapted.contains(Self.foreign), "\(name), \(installation): \(adapted)")
            #expect(installation.adapted(adapted) == adapted, "\(name): twice")
        }
        #expect(Installation.machine.adapted(text) == text)
    }

    @Test(arguments: [
        ([:], Installation.machine), (["container": ""], .machine), (["container": "lxc"], .machine),
        (["container": "systemd-nspawn"], .machine), (["container": "oci"], .container),
        (["container": "podman"], .container), (["container": "homeassistant"], .homeAssistant),
    ])
    func `the environment decides how the program is installed`(
        environment: [String: String], installation: Installation
    ) {
        #expect(Installation(environment: environment) == installation)
    }

    @Test(arguments: PhraseTests.all)
    func `no text of a catalogue names a command that a container does not have`(text: PhraseTests.Text) {
        expectAdapted(text.english, text.name)
        expectAdapted(text.japanese, text.name)
    }

    @Test func `no recorded message names a command that a container does not have`() throws {
        let file = Self.top.appending(path: "Tests/okaeriTests/Messages/Messages.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count > 500)
        for line in lines { expectAdapted(String(line), "Messages.txt") }
    }

    @Test(arguments: ["en.js", "en.more.js", "ja.js", "ja.more.js"])
    func `no text of the page names a command that a container does not have`(name: String) throws {
        let file = Self.top.appending(path: "Sources/Daemon/Server/Web/Page/\(name)")
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.contains("//") {
            expectAdapted(String(line), name)
            // The text stays within its quotation marks.
            func marks(_ text: String) -> Int { text.count { $0 == "'" || $0 == "\\" } }
            #expect(marks(Installation.container.adapted(String(line))) == marks(String(line)))
        }
    }

    @Test func `no sentence in the source names a command that a container does not have`() throws {
        var count = 0
        for folder in ["Core", "Daemon", "Library", "Platform", "Programs"] {
            let folder = Self.top.appending(path: "Sources/\(folder)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files)
            where file.pathExtension == "swift" && file.lastPathComponent != "Installation.swift" {
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    let line = line.trimmingCharacters(in: .whitespaces)
                    // A sentence with commands, and no comment.
                    guard !line.hasPrefix("//"), line.contains("\""), line.contains("`"), line.contains(Self.foreign)
                    else { continue }
                    // A command that goes on in the next line is among the recorded messages.
                    guard line.count(where: { $0 == "`" }).isMultiple(of: 2) else { continue }
                    expectAdapted(line, file.lastPathComponent)
                    count += 1
                }
            }
        }
        #expect(count > 100)
    }

    @Test(arguments: [
        (
            "it is old → run `sudo systemctl restart okaeri`", "it is old → restart the container",
            "it is old → restart the app in Home Assistant"
        ),
        (
            "look for the reason with `journalctl -u okaeri`", "look for the reason in the log of the container",
            "look for the reason in the log of the app in Home Assistant"
        ),
        (
            "{0} → `sudo okaeri setup` finds your beacon", "{0} → `okaeri setup` finds your beacon",
            "{0} → the page in Home Assistant finds your beacon"
        ),
        (
            "このページでは変更できません。{1} で変更してから `sudo systemctl reload okaeri` を実行してください",
            "このページでは変更できません。{1} で変更してからコンテナーを再起動してください",
            "このページでは変更できません。{1} で変更してから Home Assistant のアプリを再起動してください"
        ),
        ("`journalctl -u okaeri` を確認してください", "コンテナーのログを確認してください", "Home Assistant のアプリのログを確認してください"),
        (
            "start it with `sudo systemctl enable --now bluetooth` (Debian's package is bluez)",
            "start bluetooth on the machine, and mount its system bus into the container (Debian's package is bluez)",
            "start bluetooth on the machine (Debian's package is bluez)"
        ),
        (
            "hci0 がオフです → `bluetoothctl power on` か `sudo hciconfig hci0 up` を実行してください",
            "hci0 がオフです → `bluetoothctl power on` かホストの `hciconfig hci0 up` を実行してください",
            "hci0 がオフです → `bluetoothctl power on` かホストの `hciconfig hci0 up` を実行してください"
        ),
        (
            "it cannot be loaded; run `sudo apt install libcurl3-gnutls`",
            "it cannot be loaded; build the image of the container anew",
            "it cannot be loaded; build the image of the app in Home Assistant anew"
        ),
        (
            "the system bus cannot be reached; check that dbus runs with `systemctl status dbus`",
            "the system bus cannot be reached; check that the container has the socket of the system bus, and the machine its user, as docs/containers.md shows",
            "the system bus cannot be reached; check that the app in Home Assistant has the socket of the system bus, and the machine its user, as docs/containers.md shows"
        ),
        (
            "start the broker (`sudo systemctl start mosquitto`), correct \"port\"",
            "start the broker, correct \"port\"",
            "start the broker, correct \"port\""
        ),
        (
            "run `okaeri status` of Anna`s `sudo", "run `okaeri status` of Anna`s `sudo",
            "run `okaeri status` of Anna`s `sudo"
        ),
    ])
    func `a text has the commands of its installation`(text: String, container: String, app: String) {
        #expect(Installation.container.adapted(text) == container)
        #expect(Installation.homeAssistant.adapted(text) == app)
    }

    @Test func `a JSON object stays one`() throws {
        let values = Dictionary(uniqueKeysWithValues: PhraseTests.all.map { ($0.name, $0.english + $0.japanese) })
        let adapted = Installation.container.adapted(Array(try JSONEncoder().encode(values)))
        let read = try JSONDecoder().decode([String: String].self, from: Data(adapted))
        #expect(read.count == values.count && read["FindingPhrase.stale"]?.contains("systemctl") != true)
    }

    @Test func `a long text of backquotes takes a short time`() {
        let text = String(repeating: "`sudo ", count: 20_000) + String(repeating: "`", count: 20_000)
        let began = ContinuousClock.now
        #expect(!Installation.container.adapted(text).contains("systemctl"))
        #expect(ContinuousClock.now - began < .seconds(20))
    }
}
