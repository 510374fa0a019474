import OkaeriNetworkManager
import OkaeriPlumbing
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
        network: String? = nil, text: String = text, machine: Script.Machine = .init(applied: [.success(.started)])
    ) async throws {
        let script = Script(answers, machine: machine)
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
        #expect(setup.isEnded && setup.last.question == nil && setup.last.steps == ["apply"])
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
