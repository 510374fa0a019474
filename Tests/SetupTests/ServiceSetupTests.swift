import OkaeriEvents
import OkaeriNetworkManager
import OkaeriPlumbing
import OkaeriReceivers
import OkaeriWiFi
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriSetup

private let text = """
    {
      "regions": [
        { "identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "wifi": { "ssid": "HomeNet" } }
      ]
    }

    """

/// The steps after the file, by a script: what is left, and the records.
private struct ScriptedService {
    let script: Script
    let left: NextSteps
    let isEnded: Bool

    init(
        _ answers: [String], controlsService: Bool = true, isRoot: Bool = true, outsider: String? = nil,
        network: String? = nil, text: String = text, machine: Script.Machine = .init(applied: [.success(.started)]),
        language: Language = .english
    ) async throws {
        let script = Script(answers, machine: machine, language: language)
        self.script = script
        let left = NextSteps(
            file: ServiceControl.file, daemon: .absent, isService: true, outsider: outsider, unsavedNetwork: network)
        var setup = ServiceSetup(
            left, with: .init(controlsService: controlsService, isRoot: isRoot),
            network: try network.map { try HomeNetwork(ssid: $0) }, text: text, console: script, wifi: script,
            service: script)
        do {
            try await setup.run()
            isEnded = true
        } catch {
            isEnded = false
        }
        self.left = setup.left
    }

    var turns: [Script.Turn] { script.turns }
    var last: Script.Turn { script.last }
    /// The text that is written.
    var written: String? { script.written.last?.text }
}

@Suite struct ServiceSetupTests {
    @Test func `without root's rights the commands are named`() async throws {
        let setup = try await ScriptedService(
            [], controlsService: false, isRoot: false, outsider: "anna", network: "HomeNet")
        #expect(setup.isEnded && setup.turns == [.init()])
        let lines = setup.left.lines()
        #expect(lines.contains { $0.hasPrefix("sudo systemctl enable --now okaeri ") })
        #expect(lines.contains { $0.hasPrefix("sudo usermod -aG okaeri anna ") })
        #expect(lines.contains { $0.hasPrefix("sudo nmcli --ask device wifi connect HomeNet ") })
    }

    @Test func `each step is carried out after a yes, and is not named any more`() async throws {
        var machine = Script.Machine(applied: [.success(.started)])
        machine.saved = [.failure(.wrongPassphrase(ssid: "HomeNet")), .success(.joined(device: "wlan0"))]
        let setup = try await ScriptedService(
            ["what", "", "y", "short", " correct horse", "correct horse", "", "", ""], outsider: "anna",
            network: "HomeNet", machine: machine)
        let turns = setup.turns
        #expect(turns[0].question == "Start the service okaeri now and at each start of this machine? [Y/n] ")
        #expect(turns[1].question == "Answer y or n: ")
        #expect(turns[2].steps == ["apply"] && turns[2].said.contains("The service okaeri runs"))
        #expect(turns[2].sentences.first == "This may take a few seconds …")
        #expect(turns[2].question?.hasPrefix("Add anna to the group okaeri") == true)
        #expect(turns[3].steps == ["add anna"])
        #expect(turns[3].said == "anna is in the group okaeri after the next login.")
        #expect(turns[3].isSecret)
        #expect(turns[4].said.contains("a passphrase has 8 to 63") && turns[4].steps.isEmpty)
        #expect(turns[5].steps == ["save HomeNet"])
        #expect(turns[5].said.hasSuffix("The network did not accept the passphrase."))
        #expect(turns[5].question?.hasPrefix("NetworkManager has no profile of \"HomeNet\"") == true)
        let passphrase = try TypedPassphrase(" correct horse")
        #expect(setup.script.passphrases.first == passphrase, "with its space")
        #expect(turns[6].said.contains("wlan0 has joined the network"))
        #expect(
            turns[6].question
                == "Open the page to your phone in this network? The connection is not encrypted. [y/N] ")
        #expect(turns[7].question?.hasPrefix("In which room") == true)
        #expect(turns[8].question?.hasPrefix("Is there an MQTT broker") == true)
        #expect(setup.isEnded && setup.last == .init(), "nothing is changed")
        #expect(setup.left.lines() == ["okaeri status   # the states of the regions"])
    }

    @Test func `a step that is declined or fails is named at the end`() async throws {
        var machine = Script.Machine()
        machine.added = "usermod: cannot lock /etc/passwd"
        let setup = try await ScriptedService(
            ["n", "", "", "", ""], outsider: "anna", network: "HomeNet", machine: machine)
        #expect(setup.turns[1].question?.hasPrefix("Add anna") == true)
        #expect(setup.turns[2].said == "anna is not in the group okaeri: usermod: cannot lock /etc/passwd.")
        #expect(setup.turns[3].question?.hasPrefix("In which room") == true, "the page needs a service that runs")
        #expect(setup.isEnded && setup.left.lines().count == 4)
    }

    @Test func `a service that does not start is reported with its last error`() async throws {
        let failure = ServiceControl.Failure(command: "systemctl x", reason: "it failed", journal: "no adapter")
        let setup = try await ScriptedService([""], machine: .init(applied: [.failure(failure)]))
        #expect(setup.turns[1].said.contains("its last error is \"no adapter\""))
        #expect(setup.left.lines().first?.hasPrefix("sudo systemctl enable --now okaeri") == true)
    }

    @Test func `a network out of sight receives no profile`() async throws {
        let setup = try await ScriptedService(
            ["correct horse"], controlsService: false, network: "HomeNet",
            machine: .init(saved: [.failure(.notInSight(ssid: "HomeNet"))]))
        #expect(setup.last.said.contains("no access point named") && setup.isEnded)
        #expect(setup.left.unsavedNetwork == "HomeNet")
    }

    @Test func `the passphrase and the password are neither shown nor written to the configuration`() async throws {
        let setup = try await ScriptedService(
            ["", "correct horse", "n", "", "localhost", "", "pi", "donkey"], network: "HomeNet")
        #expect(setup.script.passphrases.count == 1 && setup.script.passwords == ["donkey"])
        for secret in ["horse", "donkey"] {
            #expect(!"\(setup.turns)".contains(secret) && setup.written?.contains(secret) == false)
        }
    }

    @Test func `the end of the input leaves the earlier steps carried out`() async throws {
        let setup = try await ScriptedService(["", ""], outsider: "anna", network: "HomeNet")
        #expect(!setup.isEnded && setup.last.isSecret)
        #expect(setup.left.lines().map { $0.prefix(10) } == ["sudo nmcli", "okaeri sta"])
    }
}

/// The page, the room and the broker.
@Suite struct ServiceOffersTests {
    /// The answers that start the service, decline the page, and leave out the room.
    private let start = ["", "n", ""]

    @Test func `the page is opened after a reload, and shown`() async throws {
        let setup = try await ScriptedService(["", "y", "living room", ""])
        let new = try #require(setup.written)
        let configuration = try Configuration(json: Array(new.utf8), file: "b.json")
        #expect(configuration.web?.listen.address.isLoopback == false && configuration.node.room == "living room")
        #expect(setup.script.written.map(\.old) == [text])
        #expect(setup.last.steps == ["write", "apply", "page 0.0.0.0:8080"] && setup.isEnded)
    }

    @Test func `a page for this machine alone keeps its port, and is not open without a login`() async throws {
        let rest = #""web": {"listen": "127.0.0.1:9090", "open": true}, "regions": [{"#
        let setup = try await ScriptedService(
            ["", "y", "", ""], text: text.replacing("\"regions\": [\n    {", with: rest))
        #expect(setup.written?.contains(#""web": {"listen": "0.0.0.0:9090"}"#) == true)
    }

    @Test func `what is configured is not asked`() async throws {
        let rest =
            #""web": {"listen": "0.0.0.0:80"}, "node": {"room": "hall"}, "mqtt": {"host": "h"}, "regions": [{"#
        let setup = try await ScriptedService([""], text: text.replacing("\"regions\": [\n    {", with: rest))
        #expect(setup.isEnded && setup.last.question == nil && setup.last.steps == ["apply", "receivers h"])
    }

    @Test func `a broker without a login is its address`() async throws {
        let wrong = ["0", "65536", "x", "+1"]
        let setup = try await ScriptedService(start + ["a b", "mqtt.lan"] + wrong + ["", ""])
        #expect(setup.turns[4].said.hasPrefix("Enter a name such as mqtt.lan"))
        #expect(setup.turns[5].question == "Its port [1883; 8883 with TLS]: ")
        for turn in setup.turns[6...9] { #expect(turn.said.hasPrefix("A port is")) }
        #expect(setup.turns[10].question?.hasPrefix("Your user name at the broker") == true)
        #expect(setup.written?.contains(#""mqtt": { "host": "mqtt.lan", "port": 1883 }"#) == true)
    }

    @Test(arguments: [("mqtt.lan:1884", "mqtt.lan", 1884), ("[::1]:1885", "::1", 1885)])
    func `a port behind the host is not asked for`(written: String, host: String, port: Int) async throws {
        let setup = try await ScriptedService(start + ["[::1", written, ""])
        #expect(setup.turns[4].said.hasPrefix("Enter a name such as mqtt.lan"))
        #expect(setup.turns[5].question?.hasPrefix("Your user name at the broker") == true)
        #expect(setup.written?.contains(#""mqtt": { "host": "\#(host)", "port": \#(port) }"#) == true)
    }

    @Test(arguments: [("8883", [], true), ("", ["", "y"], false), ("", ["y"], true)] as [(String, [String], Bool)])
    func `a password goes to a file of its own, and over the network with a decision`(
        port: String, answers: [String], tls: Bool
    ) async throws {
        let setup = try await ScriptedService(start + ["mqtt.lan", port, "pi", " secret "] + answers)
        #expect(setup.turns[6].isSecret)
        #expect((setup.turns[7].question?.hasPrefix("Does the broker encrypt") == true) == !answers.isEmpty)
        #expect(setup.script.passwords == [" secret "])
        let new = try #require(setup.written)
        #expect(!new.contains("secret") && new.contains(#""passwordFile": "/etc/okaeri/mqtt.password""#))
        #expect(new.contains("\"tls\": \(tls)"))
        _ = try Configuration(json: Array(new.utf8), file: "b.json")
    }

    @Test func `Enter sends no password unencrypted`() async throws {
        let setup = try await ScriptedService(start + ["mqtt.lan", "", "pi", "secret", "", ""])
        #expect(setup.turns[8].question?.contains("each host of this network can read the password") == true)
        #expect(setup.last.said.hasPrefix("The broker is left out") && setup.isEnded && setup.written == nil)
        #expect(setup.script.passwords == [])
    }

    @Test func `a broker on this machine needs no decision, and a password that is not written leaves it out`()
        async throws
    {
        var machine = Script.Machine()
        machine.passwordFile = .failure(WriteObstacle(file: "/etc/okaeri/mqtt.password", problem: .changed))
        let setup = try await ScriptedService(
            start + ["localhost", "", "pi", "a\u{7}b", "secret"], machine: machine)
        #expect(setup.turns[7].said.hasPrefix("A password has"))
        #expect(setup.script.passwords == ["secret"])
        #expect(setup.last.said.hasPrefix("The broker is left out: ") && setup.isEnded && setup.written == nil)
    }

    @Test func `a file that cannot be written ends well`() async throws {
        var machine = Script.Machine()
        machine.obstacle = WriteObstacle(file: "b.json", problem: .changed)
        let setup = try await ScriptedService(start + ["mqtt.lan", "", ""], machine: machine)
        #expect(setup.last.said.contains("was changed by another program") && setup.isEnded)
    }
}

/// The receivers of other makes that publish at the broker.
@Suite struct ReceiverOfferTests {
    private static let house = text.replacing(
        "\"regions\": [\n    {",
        with: #""web": {"listen": "0.0.0.0:80"}, "node": {"room": "hall"}, "mqtt": {"host": "h"}, "regions": [{"#)

    private static let found = [
        FoundReceiver(.espresense, name: "bath", topic: "espresense/rooms/bath/status"),
        FoundReceiver(.espresense, name: "kitchen", topic: "espresense/rooms/kitchen/status"),
        FoundReceiver(.shelly, name: "shelly1-a8", topic: "shelly-ble/shelly1-a8"),
    ]

    private func setup(
        _ answers: [String], text: String = house, language: Language = .english,
        receivers: Result<[FoundReceiver], Mistake> = .success(found)
    ) async throws -> ScriptedService {
        try await ScriptedService(answers, text: text, machine: .init(receivers: receivers), language: language)
    }

    private func rooms(_ setup: ScriptedService) throws -> [[String: String]] {
        let configuration = try Configuration(json: Array(try #require(setup.written).utf8), file: "b.json")
        return configuration.receivers.map { ($0.rooms ?? [:]).compactMapValues(\.room) }
    }

    @Test func `receivers are used after a yes for each make, with a room`() async throws {
        let setup = try await setup(["", "y", "y", " attic "])
        #expect(
            setup.turns[1].question
                == "Found at the broker: 2 receivers of ESPresense (bath, kitchen). Use their receptions? [y/N] ")
        #expect(setup.turns[2].said == "2 receivers of ESPresense will be used.")
        #expect(setup.turns[3].question?.hasPrefix("In which room is shelly1-a8?") == true)
        #expect(try rooms(setup) == [["bath": "bath", "kitchen": "kitchen"], ["shelly1-a8": "attic"]])
        #expect(setup.isEnded && setup.last.steps == ["write", "apply"])
    }

    @Test func `none is used without a yes, and one that is used already is not offered`() async throws {
        let declined = try await setup(["", "", "n"])
        #expect(declined.isEnded && declined.written == nil)
        let used = Self.house.replacing("\"mqtt\"", with: #""receivers": [{"type": "espresense"}], "mqtt""#)
        let rest = try await setup(["", ""], text: used)
        #expect(rest.turns[1].question?.contains("1 receiver of Shelly (shelly1-a8)") == true && rest.isEnded)
        let ended = try await setup(["", "y"])
        #expect(!ended.isEnded && ended.written == nil, "the end of the input is not a yes")
    }

    @Test func `the offer is in Japanese, too`() async throws {
        let setup = try await setup(["", "はい", "n"], language: .japanese)
        #expect(
            setup.turns[1].question?.hasPrefix("ブローカーに ESPresense の受信機が 2 台見つかりました（bath、kitchen）。使いますか？") == true)
        #expect(setup.turns[2].said == "ESPresense の受信機 2 台を使います。")
    }

    @Test func `a broker that cannot be read is named, and a room that cannot be used is asked for again`() async throws
    {
        let failed = try await setup([""], receivers: .failure(Mistake("no answer")))
        #expect(failed.last.said.contains("Other receivers were not looked for: no answer.") && failed.isEnded)
        let mistaken = try await setup(["", "n", "y", "a\u{7}b", ""])
        #expect(mistaken.turns[4].said.hasPrefix("A room is a name") == true)
        #expect(try rooms(mistaken) == [["shelly1-a8": "shelly1-a8"]])
    }

    @Test func `a long list of names is cut`() async throws {
        let many = (10..<30).map { FoundReceiver(.esphome, name: "r\($0)", topic: "esphome-ble/r\($0)") }
        let setup = try await setup(["", "n"], receivers: .success(many))
        let names = "r10, r11, r12, r13, r14, r15, r16, r17, …"
        #expect(setup.turns[1].question?.contains("20 receivers of ESPHome (\(names))") == true)
    }

    @Test func `a receiver of a house looks for none`() async throws {
        let receiver = """
            {"receiver": true, "mqtt": {"host": "h"}, "node": {"room": "a"}, "web": {"listen": "0.0.0.0:80"}, "regions": []}
            """
        let setup = try await setup([""], text: receiver)
        #expect(setup.isEnded && setup.last.steps == ["apply"])
    }
}
