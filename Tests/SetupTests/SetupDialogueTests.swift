import IBeacon
import OkaeriConfiguration
import Testing
import WiFi

@testable import Events
@testable import Setup

private let uuidText = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

private func beacon(_ minor: UInt16, rssi: Int8?, age: Double = 0.2) -> BeaconReport {
    BeaconReport(
        uuid: uuidText, major: 100, minor: minor, measuredPower: -59, rssi: rssi, accuracy: 1, proximity: "near",
        age: age,
        count: 9, regions: [])
}

private func dialogue(
    _ answers: SetupDialogue.Answers = .init(), text: String? = nil, owner: String? = "home", receiver: String? = nil
) throws -> SetupDialogue {
    let regions = try text.map { try Configuration(json: Array($0.utf8), file: "b.json").regions } ?? []
    return SetupDialogue(answers, text: text, regions: regions, file: "b.json", owner: owner, receiver: receiver)
}

/// A home of one beacon and a Wi-Fi.
private let homeText = """
    {"regions": [{"identifier": "home", "uuid": "\(uuidText)", "major": 100, "minor": 1, "exitAfter": 9,
    "wifi": {"ssid": "HomeNet", "join": "auto", "passphraseFile": "/etc/okaeri/HomeNet.psk"}}]}
    """

extension SetupDialogue {
    /// Types a line.
    fileprivate mutating func type(_ line: String) -> [Action] { handle(.line(line)) }

    /// Begins, at the first machine of a house.
    mutating func beginFirst() -> [Action] {
        let actions = begin()
        return question == .first ? type("") : actions
    }

    /// Up to the question about the Wi-Fi, with beacon 7 as the nearest.
    fileprivate mutating func advanceToNetwork(name: String = "") {
        _ = beginFirst()
        _ = handle(.bluetooth(.on))
        _ = handle(.beacons([beacon(7, rssi: -40), beacon(1, rssi: -70)]))
        _ = type("")
        _ = type(name)
    }
}

extension [SetupDialogue.Action] {
    /// The text that is written.
    fileprivate var text: String? {
        guard case .write(let text)? = last else { return nil }
        return text
    }

    fileprivate var question: String? {
        switch last {
        case .ask(let words)?, .choose(let words)?: words
        default: nil
        }
    }

    fileprivate var said: String {
        compactMap { if case .say(let words) = $0 { words } else { nil } }.joined(separator: "\n")
    }
}

@Suite struct SetupDialogueTests {
    private let networks: [VisibleNetwork] = [
        .init(ssid: "HomeNet", strength: 80, security: .robust(.psk)),
        .init(ssid: "Café", strength: 60, security: .weak(.open)),
        .init(ssid: "5", strength: 50, security: .robust(.sae)),
    ]

    @Test func `from nothing to a file`() throws {
        var setup = try dialogue()
        let begun = setup.begin()
        #expect(begun.first == .say("Your answers are written to b.json, after the last one."))
        #expect(begun.question?.hasPrefix("Is this the first or only Pi of your house?") == true)
        #expect(setup.type("") == [.findBluetooth])
        #expect(setup.handle(.bluetooth(.on)).contains(.listen))
        #expect(
            setup.handle(.beacons([beacon(1, rssi: -70), beacon(7, rssi: -40)])).last
                == .show([
                    .init(number: 1, beacon: beacon(7, rssi: -40)), .init(number: 2, beacon: beacon(1, rssi: -70)),
                ]))
        let named = setup.type("")
        #expect(named.first == .stopListening)
        #expect(named.said.contains("\(uuidText)/100/7, -40 dBm"))
        #expect(named.question == "Whose beacon is this? A name such as Anna or keys [home]: ")
        #expect(setup.type(" my keys ").last == .findNetworks)
        let asked = setup.handle(.networks(.success(networks)))
        #expect(asked.said.contains("2   60 %   Café  (not secured: never joined)"))
        #expect(try setup.type("1") == [.examine(HomeNetwork(ssid: "HomeNet"))])
        let examined = setup.handle(.condition(.ready(via: .savedProfile)))
        #expect(examined.question?.hasPrefix("Does this machine stay here") == true)
        #expect(setup.type("").question?.hasPrefix("Measure") == true)
        #expect(setup.type("y").question?.hasPrefix("Put it down one metre") == true)
        #expect(
            setup.type("") == [.calibrate(try #require(BeaconConstraint("\(uuidText)/100/7")), identifier: "my keys")])
        #expect(setup.handle(.calibrated(-61)).question?.hasPrefix("Count it as inside only while it is near") == true)
        let summary = setup.type("")
        #expect(
            summary.said.contains("my keys: \(uuidText)/100/7; its Wi-Fi is \"HomeNet\", which is asked about; -61 dBm")
        )
        #expect(summary.question == "Write that to b.json? [Y/n] ")
        #expect(
            setup.type("").text == """
                {
                  "regions": [
                    {
                      "identifier": "my keys",
                      "uuid": "\(uuidText)",
                      "major": 100,
                      "minor": 7,
                      "measuredPower": -61,
                      "wifi": { "ssid": "HomeNet", "join": "prompt" }
                    }
                  ]
                }

                """)
    }

    @Test func `with all answers nothing is asked`() throws {
        var setup = try dialogue(.init(beacons: BeaconConstraint("\(uuidText)/100"), identifier: "home"))
        let text = try #require(setup.begin().text)
        #expect(text.contains("\"major\": 100\n") && !text.contains("minor") && !text.contains("wifi"))
    }

    @Test func `some answers leave the other questions`() throws {
        var setup = try dialogue(.init(beacons: BeaconConstraint(uuidText), network: try HomeNetwork(ssid: "N")))
        #expect(setup.begin().question?.hasPrefix("Whose beacon") == true)
        #expect(setup.type("").question?.hasPrefix("Measure") == true, "the network is known")
        #expect(setup.type("n").question?.hasPrefix("Count it as inside only") == true)
        #expect(setup.type("n").question?.hasPrefix("Write") == true)
        #expect(setup.type("y").text?.contains("\"ssid\": \"N\"") == true)
    }
}

/// The place of the machine in a house.
@Suite struct SetupHouseTests {
    @Test func `a further machine of a house joins it`() throws {
        var setup = try dialogue()
        _ = setup.begin()
        #expect(setup.type("two").question == "Please answer y or n: ")
        #expect(setup.type("n").question?.hasPrefix("The MQTT broker of the house") == true)
        for wrong in ["", "mqtt lan", "mqtt.lan:x", "user@mqtt.lan"] {
            let again = setup.type(wrong)
            #expect(again.said.hasPrefix("A name such as mqtt.lan") && again.question?.hasPrefix("The MQTT") == true)
        }
        #expect(setup.type("mqtt.lan:1884") == [.join("mqtt.lan:1884")])
    }

    @Test func `a machine with a region, and one with an answer about a region, is the first`() throws {
        var known = try dialogue(text: homeText)
        #expect(known.begin().last == .findBluetooth)
        var answered = try dialogue(.init(identifier: "home"), receiver: "mqtt.lan:1883")
        #expect(answered.begin().last == .findBluetooth)
    }

    @Test func `a receiver is not asked for a beacon`() throws {
        var setup = try dialogue(receiver: "mqtt.lan:8883 --tls")
        let ended = setup.begin()
        #expect(ended.last == .end(.receiver))
        #expect(ended.said.contains("sudo okaeri join mqtt.lan:8883 --tls ") && ended.said.contains("from b.json"))
    }
}

/// Bluetooth and the beacon.
@Suite struct SetupBeaconTests {
    @Test func `Bluetooth is switched on after a yes`() throws {
        var setup = try dialogue()
        _ = setup.beginFirst()
        let asked = setup.handle(.bluetooth(.off(intention: "switch hci0 on")))
        #expect(asked == [.ask("Bluetooth is off. Shall okaeri switch hci0 on? [Y/n] ")])
        #expect(setup.type("maybe").question == "Please answer y or n: ")
        #expect(setup.type("yes") == [.switchOn])
        #expect(setup.handle(.bluetooth(.on)).contains(.listen))
    }

    @Test func `without Bluetooth the set-up ends with the reason`() throws {
        var setup = try dialogue()
        _ = setup.beginFirst()
        #expect(
            setup.handle(.bluetooth(.unusable(reason: "There is none.", isPermission: true)))
                == [.say("There is none."), .end(.noBluetooth(isPermission: true))])
        var other = try dialogue()
        _ = other.beginFirst()
        _ = other.handle(.bluetooth(.off(intention: "switch hci0 on")))
        #expect(other.type("n") == [.end(.declined)])
    }

    @Test func `a beacon keeps its number when another comes nearer, and Enter is the nearest`() throws {
        var setup = try dialogue()
        _ = setup.beginFirst()
        _ = setup.handle(.bluetooth(.on))
        _ = setup.handle(.beacons([beacon(1, rssi: -50)]))
        let shown = setup.handle(.beacons([beacon(1, rssi: -60), beacon(2, rssi: -40), beacon(3, rssi: nil)]))
        guard case .show(let candidates)? = shown.last else { return #expect(Bool(false), "\(shown)") }
        #expect(candidates.map(\.number) == [2, 1, 3])
        #expect(candidates.map(\.beacon.minor) == [2, 1, 3])
        var nearest = setup
        #expect(nearest.type("").said.contains("/100/2, "))
        #expect(setup.type("1").said.contains("/100/1, "))
        #expect(setup.handle(.beacons([])) == [], "it is chosen")
    }

    @Test(arguments: ["", "1", "0", "x", "999999999999999999999"])
    func `what is no choice is asked again`(line: String) throws {
        var setup = try dialogue()
        _ = setup.beginFirst()
        _ = setup.handle(.bluetooth(.on))
        let again = setup.type(line)
        #expect(again.question?.hasPrefix("Which is yours?") == true)
        #expect(again.said.contains("No beacon is heard yet"))
        _ = setup.handle(.beacons([beacon(1, rssi: -50)]))
        if line == "x" { #expect(setup.type(line).said == "\"x\" is none of the numbers.") }
    }

    @Test func `a signal that is weak for a beacon in the hand is doubted`() throws {
        var setup = try dialogue()
        _ = setup.beginFirst()
        _ = setup.handle(.bluetooth(.on))
        _ = setup.handle(.beacons([beacon(1, rssi: -61), beacon(2, rssi: -80)]))
        let question = "100/1 is received with -61 dBm only. Is this the one in your hand? [y/N] "
        #expect(setup.type("") == [.ask(question)])
        #expect(setup.handle(.beacons([beacon(2, rssi: -40)])) == [])
        #expect(setup.type("").question?.hasPrefix("Which is yours?") == true)
        _ = setup.handle(.beacons([beacon(1, rssi: -61), beacon(3, rssi: nil)]))
        _ = setup.type("1")
        let taken = setup.type("y")
        #expect(taken.first == .stopListening && taken.said.contains("\(uuidText)/100/1, -61 dBm"))
    }

    @Test func `a constraint can be typed, with any major and minor`() throws {
        var setup = try dialogue()
        _ = setup.beginFirst()
        _ = setup.handle(.bluetooth(.on))
        #expect(setup.type("\(uuidText.lowercased())/5").said.contains("\(uuidText)/5/*"))
    }

    @Test func `what is typed before a question counts for nothing`() throws {
        var setup = try dialogue()
        _ = setup.beginFirst()
        #expect(setup.type("y") == [])
        #expect(setup.handle(.beacons([beacon(1, rssi: -50)])) == [])
        #expect(setup.handle(.networks(.success([]))) != [.findNetworks])
    }
}

/// Names.
@Suite struct SetupNameTests {
    private func atName(_ text: String?, minor: UInt16 = 7) throws -> SetupDialogue {
        var setup = try dialogue(text: text)
        _ = setup.beginFirst()
        _ = setup.handle(.bluetooth(.on))
        _ = setup.handle(.beacons([beacon(minor, rssi: -40)]))
        return setup
    }

    @Test func `a beacon that has a region keeps its name`() throws {
        var setup = try atName(homeText, minor: 1)
        let asked = setup.type("")
        #expect(asked.said.contains("It is the region \"home\" already."))
        #expect(asked.question == "Whose beacon is this? A name such as Anna or keys [home]: ")
        #expect(setup.type("").last == .findNetworks)
    }

    @Test func `a name that is taken is given away only after a yes`() throws {
        var setup = try atName(homeText)
        #expect(setup.type("").question == "Whose beacon is this? A name such as Anna or keys: ")
        #expect(setup.type("").said.contains("A name such as"))
        #expect(
            setup.type("home").question
                == "\"home\" is \(uuidText)/100/1 so far. Shall it be this one from now on? [y/N] ")
        #expect(setup.type("").question == "Whose beacon is this? A name such as Anna or keys: ")
        _ = setup.type("home")
        #expect(setup.type("y").last == .findNetworks)
    }

    @Test func `the user's name stands for Enter, unless it is taken or no name`() throws {
        for (owner, shown) in [("Anna", " [Anna]"), (nil, ""), ("\u{1B}[2J", ""), ("keys", "")] {
            let text = #"{"regions": [{"identifier": "keys", "uuid": "\#(uuidText)", "major": 9}]}"#
            var setup = try dialogue(.init(beacons: BeaconConstraint("\(uuidText)/1/2")), text: text, owner: owner)
            #expect(setup.begin().question == "Whose beacon is this? A name such as Anna or keys\(shown): ")
        }
    }

    @Test(arguments: ["\u{1B}[2J", "a\u{202E}b", "\u{7}"])
    func `a name that moves the cursor is none`(name: String) throws {
        var setup = try atName(nil)
        _ = setup.type("")
        #expect(setup.type(name).said.contains("A name such as"))
    }

    @Test func `the example's beacon does not exist`() throws {
        var setup = try atName(Configuration.example)
        #expect(setup.type("").question == "Whose beacon is this? A name such as Anna or keys [home]: ")
        _ = setup.type("")
        _ = setup.handle(.networks(.success([])))
        _ = setup.type("")
        _ = setup.type("n")
        _ = setup.type("n")
        let text = try #require(setup.type("").text)
        #expect(!text.contains("HomeNet") && !text.contains("adapter") && text.contains("\"minor\": 7"))
    }
}

/// The Wi-Fi, the calibration, the end.
@Suite struct SetupEndingTests {
    @Test func `an open network is never joined, and a wrong number is reported`() throws {
        var setup = try dialogue()
        setup.advanceToNetwork()
        _ = setup.handle(
            .networks(
                .success([
                    .init(ssid: "Open", strength: 60, security: .weak(.open)),
                    .init(ssid: "5", strength: 50, security: .robust(.sae)),
                ])))
        let again = setup.type("1")
        #expect(
            again.said.contains("anyone can set up such a network") && again.question?.hasPrefix("Which Wi-Fi") == true)
        #expect(setup.type("7").said == "7 is none of the numbers.")
        #expect(setup.type(String(repeating: "é", count: 17)).question?.hasPrefix("Which Wi-Fi") == true, "34 bytes")
        #expect(try setup.type("5") == [.examine(HomeNetwork(ssid: "5"))], "its name comes first")
    }

    @Test func `a name that a stranger chose does not reach the terminal as it is`() throws {
        var setup = try dialogue()
        setup.advanceToNetwork()
        let shown = setup.handle(
            .networks(.success([.init(ssid: "\u{1B}[2Jx", strength: 60, security: .robust(.psk))])))
        #expect(!shown.said.contains("\u{1B}") && shown.said.contains("[2Jx"))
    }

    @Test func `without NetworkManager a name can be typed`() throws {
        var setup = try dialogue()
        setup.advanceToNetwork()
        let asked = setup.handle(.networks(.failure(.noNetworkManager)))
        #expect(asked.said.contains("NetworkManager does not answer"))
        #expect(asked.question == "Which Wi-Fi is to be offered on arrival? Its name, or Enter for none: ")
        #expect(try setup.type("HomeNet") == [.examine(HomeNetwork(ssid: "HomeNet"))])
    }

    @Test func `a network without a profile is remembered for what comes next`() throws {
        var setup = try dialogue()
        setup.advanceToNetwork()
        _ = setup.handle(.networks(.success([])))
        _ = setup.type("HomeNet")
        let examined = setup.handle(.condition(.unavailable(.noCredentials(ssid: "HomeNet"))))
        #expect(examined.said.contains("For now it could not be joined"))
        #expect(setup.unsavedNetwork == "HomeNet")
    }

    @Test func `a machine that moves asks at each arrival, also beside another connection`() throws {
        var setup = try dialogue()
        setup.advanceToNetwork()
        _ = setup.handle(.networks(.success([])))
        _ = setup.type("HomeNet")
        _ = setup.handle(.condition(.alreadyConnected))
        let answered = setup.type("n")
        #expect(
            answered.said.contains("asks at each of its arrivals") && answered.question?.hasPrefix("Measure") == true)
        _ = setup.type("n")
        _ = setup.type("n")
        let wifi = #""wifi": { "ssid": "HomeNet", "join": "prompt", "whenOnline": "always" }"#
        #expect(try #require(setup.type("").text).contains(wifi))
    }

    @Test func `a region keeps what is not asked`() throws {
        func ended(_ network: String) throws -> String {
            var setup = try dialogue(text: homeText)
            setup.advanceToNetwork(name: "home")
            _ = setup.type("y")
            let asked = setup.handle(.networks(.success([])))
            #expect(asked.question?.contains("Enter to leave it at \"HomeNet\", - for none") == true)
            if !setup.type(network).contains(where: { $0.isQuestion }) {
                _ = setup.handle(.condition(.alreadyConnected))
            }
            _ = setup.type("n")
            _ = setup.type("n")
            return try #require(setup.type("").text)
        }
        let kept = #""wifi": {"ssid": "HomeNet", "join": "auto", "passphraseFile": "/etc/okaeri/HomeNet.psk"}"#
        #expect(try ended("") == homeText.replacing("\"minor\": 1,", with: "\"minor\": 7,"))
        #expect(try ended("HomeNet").contains(kept))
        #expect(try ended("Other").contains(#""wifi": {"ssid": "Other", "join": "auto"}"#))
        #expect(try !ended("-").contains("wifi"))
    }

    @Test func `a measurement that failed can be had again, or left`() throws {
        var setup = try dialogue()
        setup.advanceToNetwork()
        _ = setup.handle(.networks(.success([])))
        _ = setup.type("")
        _ = setup.type("y")
        _ = setup.type("")
        #expect(setup.handle(.notCalibrated("Nothing was heard.")).question == "Measure again? [y/N] ")
        #expect(setup.type("y").question?.hasPrefix("Put it down") == true)
        _ = setup.type("")
        _ = setup.handle(.notCalibrated("Nothing was heard."))
        #expect(setup.type("").question?.hasPrefix("Count it as inside only") == true)
        #expect(setup.type("").question?.hasPrefix("Write that") == true)
        #expect(setup.type("n") == [.end(.declined)])
    }

    @Test func `what would be no configuration is not written`() throws {
        var setup = try dialogue(
            .init(
                beacons: BeaconConstraint(uuidText), identifier: "home",
                network: try HomeNetwork(ssid: "N", passphraseFile: "here")))
        let end = setup.begin()
        #expect(end.last == .end(.noConfiguration))
        #expect(end.said.contains("regions[0].wifi.passphraseFile: found a string"))
    }
}

extension SetupDialogue.Action {
    fileprivate var isQuestion: Bool {
        switch self {
        case .ask, .choose: true
        default: false
        }
    }
}

@Suite struct NextStepsTests {
    private let service = "/etc/okaeri/beacons.json"

    @Test func `a service that runs is notified, one that does not is started`() {
        let running = NextSteps(file: service, daemon: .runs, isService: true).lines
        #expect(running.first?.hasPrefix("sudo systemctl reload okaeri ") == true && running.count == 2)
        let absent = NextSteps(file: service, daemon: .absent, isService: true).lines
        #expect(absent.first?.hasPrefix("sudo systemctl enable --now okaeri ") == true)
        for isService in [true, false] {
            let other = NextSteps(file: "./my beacons.json", daemon: .absent, isService: isService).lines
            #expect(other.first?.hasPrefix("okaeri monitor --config './my beacons.json' ") == true)
        }
    }

    @Test func `a name is quoted for a shell`() {
        let steps = NextSteps(
            file: service, daemon: .runs, isService: true, outsider: "anna", unsavedNetwork: "Anna's $(reboot)")
        #expect(steps.lines.first?.hasPrefix(#"sudo nmcli --ask device wifi connect 'Anna'\''s $(reboot)' "#) == true)
        #expect(steps.lines.contains { $0.hasPrefix("sudo usermod -aG okaeri anna ") })
        #expect(steps.lines.last?.hasPrefix("okaeri status") == true)
    }
}
