import NetworkManager
import Plumbing
import Testing
import WiFi

@testable import OkaeriConfiguration
@testable import Setup

private let text = """
    {
      "regions": [
        { "identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "wifi": { "ssid": "HomeNet" } }
      ]
    }

    """

private func firstRun(
    controlsService: Bool = true, isRoot: Bool = true, outsider: String? = nil, network: String? = nil,
    text: String = text
) throws -> FirstRun {
    let left = NextSteps(
        file: ServiceControl.file, daemon: .absent, isService: true, outsider: outsider, unsavedNetwork: network)
    return FirstRun(
        left, on: .init(controlsService: controlsService, isRoot: isRoot),
        network: try network.map { try HomeNetwork(ssid: $0) }, text: text)
}

extension FirstRun {
    fileprivate mutating func type(_ line: String) -> [Action] { handle(.line(line)) }

    /// Declines the page, and leaves out the room.
    fileprivate mutating func advanceToBroker() {
        _ = begin()
        _ = type("")
        _ = handle(.applied(.success(.started)))
        _ = type("n")
        _ = type("")
    }
}

extension [FirstRun.Action] {
    fileprivate var question: String? {
        switch last {
        case .ask(let words)?, .askSecret(let words)?: words
        default: nil
        }
    }

    fileprivate var said: String {
        compactMap { if case .say(let words) = $0 { words } else { nil } }.joined(separator: "\n")
    }

    /// The text that is written.
    fileprivate var text: String? {
        for case .write(let text, _) in self { return text }
        return nil
    }
}

@Suite struct FirstRunTests {
    @Test func `without root's rights the commands are named`() throws {
        var run = try firstRun(controlsService: false, isRoot: false, outsider: "anna", network: "HomeNet")
        #expect(run.begin() == [.end])
        let lines = run.left.lines
        #expect(lines.contains { $0.hasPrefix("sudo systemctl enable --now okaeri ") })
        #expect(lines.contains { $0.hasPrefix("sudo usermod -aG okaeri anna ") })
        #expect(lines.contains { $0.hasPrefix("sudo nmcli --ask device wifi connect HomeNet ") })
    }

    @Test func `each step is carried out after a yes, and is not named any more`() throws {
        var run = try firstRun(outsider: "anna", network: "HomeNet")
        #expect(run.begin() == [.ask("Start the service okaeri, now and with this machine? [Y/n] ")])
        #expect(run.type("what").question == "Please answer y or n: ")
        #expect(run.type("").last == .apply)
        #expect(run.type("y") == [], "nothing is asked")
        let started = run.handle(.applied(.success(.started)))
        #expect(started.said.hasPrefix("The service okaeri runs"))
        #expect(started.question?.hasPrefix("Add anna to the group okaeri") == true)
        #expect(run.type("y") == [.addToGroup("anna")])
        let added = run.handle(.added(trouble: nil))
        #expect(added.said == "anna is in the group okaeri from the next login on.")
        guard case .askSecret? = added.last else { return #expect(Bool(false), "\(added)") }
        #expect(run.type("short").said.contains("a passphrase has 8 to 63"))
        let passphrase = try TypedPassphrase(" correct horse")
        #expect(
            try run.type(" correct horse").last == .save(HomeNetwork(ssid: "HomeNet"), passphrase), "with its space")
        let wrong = run.handle(.saved(.failure(.wrongPassphrase(ssid: "HomeNet"))))
        #expect(wrong.question?.hasPrefix("NetworkManager has no profile of \"HomeNet\"") == true)
        _ = run.type("correct horse")
        let saved = run.handle(.saved(.success(.joined(device: "wlan0"))))
        #expect(saved.said.hasPrefix("wlan0 has joined it"))
        #expect(
            saved.question == "Open the page to your phone in this network? The connection is not encrypted. [y/N] ")
        #expect(run.type("").question?.hasPrefix("Which room") == true)
        #expect(run.type("").question?.hasPrefix("Is there an MQTT broker") == true)
        #expect(run.type("") == [.end], "nothing is changed")
        #expect(run.left.lines == ["okaeri status   # the states of the regions"])
    }

    @Test func `a step that is declined or fails is named at the end`() throws {
        var run = try firstRun(outsider: "anna", network: "HomeNet", text: text)
        _ = run.begin()
        #expect(run.type("n").question?.hasPrefix("Add anna") == true)
        _ = run.type("")
        let refused = run.handle(.added(trouble: "usermod: cannot lock /etc/passwd"))
        #expect(refused.said == "anna is not in the group okaeri: usermod: cannot lock /etc/passwd.")
        #expect(run.type("").question?.hasPrefix("Which room") == true, "the page needs a service that runs")
        _ = run.type("")
        #expect(run.type("") == [.end])
        #expect(run.left.lines.count == 4)
    }

    @Test func `a service that does not start is reported with its last error`() throws {
        var run = try firstRun()
        _ = run.begin()
        _ = run.type("")
        let failure = ServiceControl.Failure(command: "systemctl x", reason: "it failed", journal: "no adapter")
        let failed = run.handle(.applied(.failure(failure)))
        #expect(failed.said.contains("its last error is \"no adapter\""))
        #expect(run.left.lines.first?.hasPrefix("sudo systemctl enable --now okaeri") == true)
    }

    @Test func `a network out of sight receives no profile`() throws {
        var run = try firstRun(controlsService: false, network: "HomeNet")
        _ = run.begin()
        _ = run.type("correct horse")
        let failed = run.handle(.saved(.failure(.notInSight(ssid: "HomeNet"))))
        #expect(failed.said.contains("no access point named") && failed.last == .end)
        #expect(run.left.unsavedNetwork == "HomeNet")
    }

    @Test func `the passphrase and the password are in no action that is shown`() throws {
        var run = try firstRun(controlsService: false, network: "HomeNet")
        _ = run.begin()
        let actions = run.type("correct horse")
        #expect(!"\(actions)".contains("horse"))
    }
}

/// The page, the room and the broker.
@Suite struct FirstRunOffersTests {
    @Test func `the page is opened after a reload, and shown`() throws {
        var run = try firstRun()
        _ = run.begin()
        _ = run.type("")
        _ = run.handle(.applied(.success(.reloaded)))
        _ = run.type("y")
        _ = run.type("living room")
        let writing = run.type("")
        let new = try #require(writing.text)
        let configuration = try Configuration(json: Array(new.utf8), file: "b.json")
        #expect(configuration.web?.listen.address.isLoopback == false && configuration.node.room == "living room")
        #expect(writing.last == .write(new, replacing: text))
        #expect(run.handle(.written(.success(()))).last == .apply)
        #expect(run.handle(.applied(.success(.reloaded))).last == .showPage(at: "0.0.0.0:8080"))
        #expect(run.handle(.pageShown) == [.end])
    }

    @Test func `a page for this machine alone keeps its port, and is not open without a login`() throws {
        let rest = #""web": {"listen": "127.0.0.1:9090", "open": true}, "regions": [{"#
        var run = try firstRun(text: text.replacing("\"regions\": [\n    {", with: rest))
        _ = run.begin()
        _ = run.type("")
        _ = run.handle(.applied(.success(.reloaded)))
        _ = run.type("y")
        _ = run.type("")
        #expect(run.type("").text?.contains(#""web": {"listen": "0.0.0.0:9090"}"#) == true)
    }

    @Test func `what is configured is not asked`() throws {
        let rest =
            #""web": {"listen": "0.0.0.0:80"}, "node": {"room": "hall"}, "mqtt": {"host": "h"}, "regions": [{"#
        var run = try firstRun(text: text.replacing("\"regions\": [\n    {", with: rest))
        _ = run.begin()
        _ = run.type("")
        #expect(run.handle(.applied(.success(.reloaded))).last == .end)
    }

    @Test func `a broker without a login is its address`() throws {
        var run = try firstRun()
        run.advanceToBroker()
        #expect(run.type("a b").said.hasPrefix("A name such as mqtt.lan"))
        #expect(run.type("mqtt.lan").question == "Its port [1883; 8883 with TLS]: ")
        for wrong in ["0", "65536", "x", "+1"] { #expect(run.type(wrong).said.hasPrefix("A port is")) }
        #expect(run.type("").question?.hasPrefix("Your name at the broker") == true)
        #expect(run.type("").text?.contains(#""mqtt": { "host": "mqtt.lan", "port": 1883 }"#) == true)
    }

    @Test func `a password goes to a file of its own, and over the network with a decision`() throws {
        for (port, answer, tls) in [("8883", nil, true), ("", "", false), ("", "y", true)] as [(String, String?, Bool)]
        {
            var run = try firstRun()
            run.advanceToBroker()
            _ = run.type("mqtt.lan")
            _ = run.type(port)
            guard case .askSecret? = run.type("pi").last else { return #expect(Bool(false), "the password is shown") }
            var actions = run.type(" secret ")
            if let answer {
                #expect(actions.question?.hasPrefix("Does the broker encrypt") == true)
                actions = run.type(answer)
            }
            #expect(actions == [.writePassword(" secret ")])
            let written = run.handle(.passwordWritten(.success("/etc/okaeri/mqtt.password")))
            let new = try #require(written.text)
            #expect(!new.contains("secret") && new.contains(#""passwordFile": "/etc/okaeri/mqtt.password""#))
            #expect(new.contains("\"tls\": \(tls)"))
            _ = try Configuration(json: Array(new.utf8), file: "b.json")
        }
    }

    @Test func `a broker on this machine needs no decision, and a password that is not written leaves it out`() throws {
        var run = try firstRun()
        run.advanceToBroker()
        for line in ["localhost", "", "pi"] { _ = run.type(line) }
        #expect(run.type("a\u{7}b").said.hasPrefix("A password has"))
        #expect(run.type("secret") == [.writePassword("secret")])
        let failed = run.handle(
            .passwordWritten(.failure(WriteObstacle(file: "/etc/okaeri/mqtt.password", problem: .changed))))
        #expect(failed.said.hasPrefix("The broker is left out: ") && failed.last == .end)
    }

    @Test func `a file that cannot be written ends well`() throws {
        var run = try firstRun()
        run.advanceToBroker()
        for line in ["mqtt.lan", ""] { _ = run.type(line) }
        _ = run.type("")
        let failed = run.handle(.written(.failure(WriteObstacle(file: "b.json", problem: .changed))))
        #expect(failed.said.contains("was changed by another program") && failed.last == .end)
    }
}
