import IBeacon
import OkaeriConfiguration
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriEvents
@testable import OkaeriSetup

private let uuidText = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

private func beacon(_ minor: UInt16, rssi: Int8?, age: Double = 0.2) -> BeaconReport {
    BeaconReport(
        uuid: uuidText, major: 100, minor: minor, measuredPower: -59, rssi: rssi, accuracy: 1, proximity: "near",
        age: age, count: 9, regions: [])
}

/// A home of one beacon and a Wi-Fi.
private let homeText = """
    {"regions": [{"identifier": "home", "uuid": "\(uuidText)", "major": 100, "minor": 1, "exitAfter": 9,
    "wifi": {"ssid": "HomeNet", "join": "auto", "passphraseFile": "/etc/okaeri/HomeNet.psk"}}]}
    """

/// A set-up by a script: its result and its records.
struct ScriptedRegion {
    let script: Script
    let outcome: RegionSetup.Outcome?
    let failure: RegionSetup.Failure?
    let unsavedNetwork: String?

    /// Asks until the script ends.
    init(
        _ answers: [String], given: RegionSetup.Answers = .init(), text: String? = nil, owner: String? = "home",
        joined: String? = nil, machine: Script.Machine = .init(), language: Language = .english
    ) async throws {
        let script = Script(answers, machine: machine, language: language)
        self.script = script
        let regions = try text.map { try Configuration(json: Array($0.utf8), file: "b.json").regions } ?? []
        var setup = RegionSetup(
            given, text: text, regions: regions, file: "b.json", owner: owner, joined: joined, console: script,
            receiver: script, wifi: script)
        do {
            outcome = try await setup.run()
            failure = nil
        } catch {
            outcome = nil
            failure = error as? RegionSetup.Failure
        }
        unsavedNetwork = setup.unsavedNetwork
    }

    var turns: [Script.Turn] { script.turns }
    var last: Script.Turn { script.last }

    /// The text that is written.
    var text: String? {
        guard case .text(let text, _)? = outcome else { return nil }
        return text
    }
}

/// A machine that receives the beacons, each list in a question about them.
private func receiving(_ lists: [BeaconReport]...) -> Script.Machine {
    .init(receptions: lists.map { [.beacons($0)] })
}

/// Beacon 7 as the nearest of two.
private let two = receiving([beacon(7, rssi: -40), beacon(1, rssi: -70)])

@Suite struct RegionSetupTests {
    private let networks: [VisibleNetwork] = [
        .init(ssid: "HomeNet", strength: 80, security: .robust(.psk)),
        .init(ssid: "Café", strength: 60, security: .weak(.open)),
        .init(ssid: "5", strength: 50, security: .robust(.sae)),
    ]

    @Test func `a beacon whose minor changes gets a mask, unless the user does not want it`() async throws {
        var changing = beacon(57, rssi: -40)
        changing.proposedMask = MaskReport(try #require(BeaconMask(minor: 0xFF00)))
        for (answer, constraint) in [("", "\(uuidText)/100/0:FF00"), ("n", "\(uuidText)/100/57")] {
            let setup = try await ScriptedRegion(
                ["", "1", answer, "tag", "", "n", "n", ""], machine: .init(receptions: [[.beacons([changing])]]))
            let text = try #require(setup.text, "\(setup.turns)")
            let regions = try Configuration(json: Array(text.utf8), file: "b.json").regions
            #expect(regions.map(\.monitored.signsText) == [constraint])
            #expect(setup.turns.contains { $0.question?.hasPrefix("Its minor changes") == true })
        }
    }

    @Test func `an identity of two devices and that of a factory are explained at once`() async throws {
        var shared = beacon(1, rssi: -40)
        shared.transmitters = 2
        shared.major = 1
        let setup = try await ScriptedRegion(["", "1"], machine: .init(receptions: [[.beacons([shared])]]))
        #expect(setup.last.said.contains("give yours another UUID, major or minor"))
        #expect(setup.last.said.contains("Apple's sample AirLocate, and major 1 minor 1 are those of a new beacon"))
        let own = try await ScriptedRegion(["", "1"], machine: .init(receptions: [[.beacons([beacon(7, rssi: -40)])]]))
        #expect(!own.last.said.contains("devices send") && !own.last.said.contains("AirLocate"))
    }

    @Test func `from nothing to a file`() async throws {
        var machine = receiving([beacon(1, rssi: -70), beacon(7, rssi: -40)])
        machine.networks = .success(networks)
        machine.condition = .ready(via: .savedProfile)
        machine.calibrations = [.success(-61)]
        let setup = try await ScriptedRegion(
            ["", "", " my keys ", "1", "", "y", "", "", ""], machine: machine)
        let turns = setup.turns
        #expect(turns[0].said == "After the last answer, the command writes b.json.")
        #expect(turns[0].question?.hasPrefix("Is this the first or only Pi of your house?") == true)
        #expect(
            turns[1].steps == ["bluetooth", "listen"] && turns[1].said == "Hold your beacon close to this machine.")
        #expect(
            turns[1].lists.last?.candidates == [
                .init(number: 1, beacon: beacon(7, rssi: -40)), .init(number: 2, beacon: beacon(1, rssi: -70)),
            ])
        #expect(turns[2].steps == ["stop"])
        #expect(turns[2].said == "\(uuidText)/100/7, -40 dBm")
        #expect(turns[2].question == "Whose beacon is this? A name such as Anna or keys [home]: ")
        #expect(turns[3].steps == ["networks"] && turns[3].said.hasPrefix("Looking for Wi-Fi …\n"))
        #expect(turns[3].said.contains("2   60 %   Café  (not secured: never joined)"))
        #expect(turns[4].steps == ["condition HomeNet"] && turns[4].said == "NetworkManager can join this network.")
        #expect(turns[4].question?.hasPrefix("Does this machine stay here") == true)
        #expect(turns[5].question?.hasPrefix("Measure") == true)
        #expect(turns[6].question?.hasPrefix("Put the beacon one metre") == true)
        #expect(turns[7].steps == ["calibrate \(uuidText)/100/7 my keys"])
        #expect(turns[7].said == "-61 dBm at one metre.")
        #expect(turns[7].question?.hasPrefix("Is the region inside only while the beacon is near") == true)
        #expect(
            turns[8].said.contains(
                "my keys: \(uuidText)/100/7; on arrival, Okaeri asks whether to join \"HomeNet\"; -61 dBm"))
        #expect(turns[8].question == "Write that to b.json? [Y/n] ")
        #expect(
            setup.text == """
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

    @Test func `a Japanese terminal is asked in Japanese, and the file is the same`() async throws {
        var machine = receiving([beacon(1, rssi: -70), beacon(7, rssi: -40)])
        machine.networks = .success(networks)
        machine.condition = .unavailable(.notInSight(ssid: "HomeNet"))
        let answers = ["", "", "keys", "1", "はい", "いいえ", "たぶん", "ｎ", ""]
        let setup = try await ScriptedRegion(answers, machine: machine, language: .japanese)
        let turns = setup.turns
        #expect(turns[0].question?.hasPrefix("この家で最初の") == true)
        #expect(turns[1].said == "ビーコンをこの機器に近づけてください。")
        #expect(turns[2].question == "だれのビーコンですか？ Anna や keys のような名前 [home]：")
        #expect(turns[3].said.contains("Café  （保護なし：接続不可）"))
        #expect(turns[4].said.hasPrefix("現在このネットワークには接続できません：アクセスポイントが見つかりません"))
        #expect(turns[7].question == "y か n で答えてください：")
        #expect(turns[8].said.hasPrefix("keys：\(uuidText)/100/7。到着時に「HomeNet」に接続するか確認"))
        let english = try await ScriptedRegion(
            ["", "", "keys", "1", "y", "n", "n", ""], machine: machine)
        #expect(setup.text != nil && setup.text == english.text)
    }

    @Test func `with all answers nothing is asked`() async throws {
        let setup = try await ScriptedRegion(
            [], given: .init(beacons: BeaconConstraint("\(uuidText)/100"), identifier: "home"))
        let text = try #require(setup.text)
        #expect(text.contains("\"major\": 100\n") && !text.contains("minor") && !text.contains("wifi"))
        #expect(setup.turns == [.init()])
    }

    @Test func `some answers leave the other questions`() async throws {
        let setup = try await ScriptedRegion(
            ["", "n", "n", "y"],
            given: .init(beacons: BeaconConstraint(uuidText), network: try HomeNetwork(ssid: "N")))
        let questions = setup.turns.map { $0.question ?? "" }
        #expect(questions[0].hasPrefix("Whose beacon"))
        #expect(questions[1].hasPrefix("Measure"), "the network is known")
        #expect(questions[2].hasPrefix("Is the region inside only"))
        #expect(questions[3].hasPrefix("Write"))
        #expect(setup.text?.contains("\"ssid\": \"N\"") == true)
    }

    @Test func `the end of the input at any question writes nothing`() async throws {
        var machine = two
        machine.calibrations = [.success(-61)]
        machine.receptions.append([.beacons([beacon(7, rssi: -40)]), .left(.zero)])
        let answers = ["", "", "keys", "HomeNet", "", "y", "", "y", "", "n", ""]
        for count in 0..<answers.count {
            let setup = try await ScriptedRegion(Array(answers.prefix(count)), machine: machine)
            #expect(setup.outcome == nil && setup.failure == nil && setup.last.question != nil, "\(count)")
        }
        #expect(try await ScriptedRegion(answers, machine: machine).text != nil)
    }
}

/// The place of the machine in a house.
@Suite struct SetupHouseTests {
    @Test func `a further machine of a house joins it`() async throws {
        let wrong = ["", "mqtt lan", "mqtt.lan:x", "user@mqtt.lan"]
        let setup = try await ScriptedRegion(["two", "n"] + wrong + ["mqtt.lan:1884"])
        #expect(setup.turns[1].question == "Answer y or n: ")
        #expect(setup.turns[2].question?.hasPrefix("What is the address of the MQTT broker of the house?") == true)
        for again in setup.turns[3...6] {
            #expect(
                again.said.hasPrefix("Enter a name such as mqtt.lan") && again.question?.contains("MQTT broker") == true
            )
        }
        #expect(setup.outcome == .join("mqtt.lan:1884"))
    }

    @Test func `a machine with a region, and one with an answer about a region, is the first`() async throws {
        let known = try await ScriptedRegion([], text: homeText)
        #expect(known.turns[0].steps.first == "bluetooth")
        let answered = try await ScriptedRegion([], given: .init(identifier: "home"), joined: "mqtt.lan:1883")
        #expect(answered.turns[0].steps.first == "bluetooth")
    }

    @Test func `a receiver is not asked for a beacon`() async throws {
        let setup = try await ScriptedRegion([], joined: "mqtt.lan:8883 --tls")
        #expect(setup.outcome == .receiver && setup.last.question == nil)
        let said = setup.last.said
        #expect(said.contains("sudo okaeri join mqtt.lan:8883 --tls ") && said.contains("from b.json"))
    }
}

/// Bluetooth and the beacon.
@Suite struct SetupBeaconTests {
    @Test func `Bluetooth is switched on after a yes`() async throws {
        let setup = try await ScriptedRegion(
            ["", "maybe", "yes"], machine: .init(bluetooth: [.off(intention: "switch hci0 on"), .on]))
        #expect(setup.turns[1].question == "Bluetooth is off. Shall okaeri switch hci0 on? [Y/n] ")
        #expect(setup.turns[2].question == "Answer y or n: ")
        #expect(setup.turns[3].steps == ["switchOn", "listen"])
    }

    @Test func `without Bluetooth the set-up ends with the reason`() async throws {
        let none = try await ScriptedRegion(
            [""], machine: .init(bluetooth: [.unusable(reason: "There is none.", isPermission: true)]))
        #expect(none.last.said == "There is none." && none.failure == .noBluetooth(isPermission: true))
        let declined = try await ScriptedRegion(
            ["", "n"], machine: .init(bluetooth: [.off(intention: "switch hci0 on")]))
        #expect(declined.failure == .declined)
    }

    @Test(arguments: [("", 2), ("1", 1)])
    func `a beacon keeps its number when another comes nearer, and Enter is the nearest`(
        line: String, minor: Int
    ) async throws {
        var machine = Script.Machine()
        machine.receptions = [
            [
                .beacons([beacon(1, rssi: -50)]),
                .beacons([beacon(1, rssi: -60), beacon(2, rssi: -40), beacon(3, rssi: nil)]),
            ]
        ]
        let setup = try await ScriptedRegion(["", line], machine: machine)
        let candidates = try #require(setup.turns[1].lists.last?.candidates)
        #expect(candidates.map(\.number) == [2, 1, 3])
        #expect(candidates.map(\.beacon.minor) == [2, 1, 3])
        #expect(setup.last.said.contains("/100/\(minor), ") && setup.last.steps == ["stop"])
    }

    @Test func `a problem of the adapter is shown, also above the beacons`() async throws {
        var machine = Script.Machine()
        machine.receptions = [
            [.trouble("hci0 is off."), .beacons([]), .trouble(nil), .beacons([beacon(1, rssi: -50)])]
        ]
        let setup = try await ScriptedRegion([""], machine: machine)
        #expect(
            setup.last.lists == [
                .init(trouble: "hci0 is off."), .init(trouble: "hci0 is off.", candidates: []),
                .init(candidates: [.init(number: 1, beacon: beacon(1, rssi: -50))]),
            ])
    }

    @Test(arguments: ["", "1", "0", "x", "999999999999999999999"])
    func `what is not a choice is asked again`(line: String) async throws {
        let setup = try await ScriptedRegion(["", line, "x"], machine: receiving([], [beacon(1, rssi: -50)]))
        let again = setup.turns[2]
        #expect(again.question?.hasPrefix("Which beacon is yours?") == true)
        #expect(again.said.contains("No beacon is received yet"))
        #expect(setup.last.said == "\"x\" is not one of the numbers.")
    }

    @Test func `a signal that is weak for a beacon in the hand is doubted`() async throws {
        let setup = try await ScriptedRegion(
            ["", "", "", "1", "y"],
            machine: receiving(
                [beacon(1, rssi: -61), beacon(2, rssi: -80)], [beacon(1, rssi: -61), beacon(3, rssi: nil)]))
        let question = "100/1 is received with only -61 dBm. Is this the beacon in your hand? [y/N] "
        #expect(setup.turns[2].question == question && setup.turns[2].steps.isEmpty)
        #expect(setup.turns[3].question?.hasPrefix("Which beacon is yours?") == true)
        #expect(setup.turns[4].question == question)
        #expect(setup.turns[5].steps == ["stop"] && setup.turns[5].said.contains("\(uuidText)/100/1, -61 dBm"))
    }

    @Test func `a constraint can be typed, with any major and minor`() async throws {
        let setup = try await ScriptedRegion(["", "\(uuidText.lowercased())/5"])
        #expect(setup.last.said.contains("\(uuidText)/5/*"))
    }
}

/// Names.
@Suite struct SetupNameTests {
    @Test func `a beacon that has a region keeps its name`() async throws {
        let setup = try await ScriptedRegion(["", ""], text: homeText, machine: receiving([beacon(1, rssi: -40)]))
        #expect(setup.turns[1].said.contains("This beacon already has the region \"home\"."))
        #expect(setup.turns[1].question == "Whose beacon is this? A name such as Anna or keys [home]: ")
        #expect(setup.turns[2].steps == ["networks"])
    }

    @Test func `a name that is taken is given away only after a yes`() async throws {
        let setup = try await ScriptedRegion(
            ["", "", "home", "", "", "home", "y"], text: homeText, machine: two)
        #expect(setup.turns[1].question == "Whose beacon is this? A name such as Anna or keys: ")
        #expect(setup.turns[2].said.contains("Enter a name such as"))
        #expect(
            setup.turns[3].question
                == "The region \"home\" has the beacon \(uuidText)/100/1. Replace it with this one? [y/N] ")
        #expect(
            setup.turns[4].question
                == "Shall this beacon be one more sign of \"home\", beside the present ones? [y/N] ")
        #expect(setup.turns[5].question == "Whose beacon is this? A name such as Anna or keys: ")
        #expect(setup.turns[7].steps == ["networks"])
    }

    @Test(arguments: [
        (
            #"{"regions": [{"identifier": "Anna", "phone": "/k/anna.irk", "exitAfter": 600}]}"#, ["y"],
            #"[{"phone":"/k/anna.irk","exitAfter":600},{"uuid":"#
        ),
        (
            #"{"regions": [{"identifier": "Anna", "uuid": "00112233-4455-6677-8899-AABBCCDDEEFF", "enterRSSI": -70}]}"#,
            ["", "y"], #"[{"uuid":"00112233-4455-6677-8899-AABBCCDDEEFF","enterRSSI":-70},{"uuid":"#
        ),
        (
            #"{"regions": [{"identifier": "Anna", "anyOf": [{"phone": "/k/a.irk"}, {"phone": "/k/b.irk"}]}]}"#, ["y"],
            #"[{"phone":"/k/a.irk"},{"phone":"/k/b.irk"},{"uuid":"#
        ),
    ])
    func `a beacon becomes one more sign of a region that exists`(
        text: String, answers: [String], signs: String
    ) async throws {
        let setup = try await ScriptedRegion(
            ["Anna"] + answers + ["", "", "n", "y"], given: .init(beacons: BeaconConstraint("\(uuidText)/100/1")),
            text: text)
        #expect(setup.turns.contains { $0.question?.contains("one more sign of \"Anna\"") == true })
        let written = try #require(setup.text, "\(setup.last)")
        let dense = written.filter { !$0.isWhitespace }
        #expect(dense.contains("\"anyOf\":" + signs + "\"\(uuidText)\",\"major\":100,\"minor\":1}]"), "\(dense)")
        #expect(try ConfigurationText(written, file: "").configuration().regions.map(\.identifier) == ["Anna"])
    }

    @Test(arguments: [true, false])
    func `a further sign of a region with thresholds is measured as well, unless the user refuses`(isLimited: Bool)
        async throws
    {
        let limit = isLimited ? #", "exitRSSI": -80"# : ""
        let text =
            #"{"regions": [{"identifier": "desk", "anyOf": [{"phone": "/k/a.irk"}, {"uuid": "\#(uuidText)", "major": 1\#(limit)}]}]}"#
        let setup = try await ScriptedRegion(
            ["desk", "y", "", ""], given: .init(beacons: BeaconConstraint("\(uuidText)/100/1")), text: text)
        #expect(setup.last.said.contains("is inside only while its present signs are near") == isLimited)
        #expect(setup.last.question?.hasPrefix("Is the region inside only while the beacon is near,") == true)
        #expect(setup.last.question?.hasSuffix(isLimited ? "[Y/n] " : "[y/N] ") == true)
    }

    @Test func `the user's name stands for Enter, unless it is taken or no name`() async throws {
        for (owner, shown) in [("Anna", " [Anna]"), (nil, ""), ("\u{1B}[2J", ""), ("keys", "")] {
            let text = #"{"regions": [{"identifier": "keys", "uuid": "\#(uuidText)", "major": 9}]}"#
            let setup = try await ScriptedRegion(
                [], given: .init(beacons: BeaconConstraint("\(uuidText)/1/2")), text: text, owner: owner)
            #expect(setup.last.question == "Whose beacon is this? A name such as Anna or keys\(shown): ")
        }
    }

    @Test(arguments: ["\u{1B}[2J", "a\u{202E}b", "\u{7}"])
    func `a name that moves the cursor is not one`(name: String) async throws {
        let setup = try await ScriptedRegion(["", "", name], machine: two)
        #expect(setup.last.said.contains("Enter a name such as"))
    }

    @Test func `the example's beacon does not exist`() async throws {
        let setup = try await ScriptedRegion(
            ["", "", "", "", "n", "n", ""], text: Configuration.example, machine: two)
        #expect(setup.turns[2].question == "Whose beacon is this? A name such as Anna or keys [home]: ")
        let text = try #require(setup.text)
        #expect(!text.contains("HomeNet") && !text.contains("adapter") && text.contains("\"minor\": 7"))
    }
}

/// The Wi-Fi, the calibration, the end.
@Suite struct SetupEndingTests {
    /// The answers up to the question about the Wi-Fi, with beacon 7 as the nearest.
    private let start = ["", "", ""]

    private func machine(_ networks: VisibleNetwork..., condition: NetworkCondition = .alreadyConnected)
        -> Script.Machine
    {
        var machine = two
        (machine.networks, machine.condition) = (.success(networks), condition)
        return machine
    }

    @Test func `an open network is never joined, and a wrong number is reported`() async throws {
        let setup = try await ScriptedRegion(
            start + ["1", "7", String(repeating: "é", count: 17), "5"],
            machine: machine(
                .init(ssid: "Open", strength: 60, security: .weak(.open)),
                .init(ssid: "5", strength: 50, security: .robust(.sae))))
        let again = setup.turns[4]
        #expect(
            again.said.contains("anyone can set up such a network") && again.question?.hasPrefix("Which Wi-Fi") == true)
        #expect(setup.turns[5].said == "\"7\" is not one of the numbers.")
        #expect(setup.turns[6].question?.hasPrefix("Which Wi-Fi") == true, "34 bytes")
        #expect(setup.turns[7].steps == ["condition 5"], "its name comes first")
    }

    @Test func `a name that a stranger chose does not reach the terminal as it is`() async throws {
        let setup = try await ScriptedRegion(
            start, machine: machine(.init(ssid: "\u{1B}[2Jx", strength: 60, security: .robust(.psk))))
        #expect(!setup.last.said.contains("\u{1B}") && setup.last.said.contains("[2Jx"))
    }

    @Test func `without NetworkManager a name can be typed`() async throws {
        var machine = two
        machine.networks = .failure(.noNetworkManager)
        let setup = try await ScriptedRegion(start + ["HomeNet"], machine: machine)
        #expect(setup.turns[3].said.contains("NetworkManager does not answer"))
        #expect(
            setup.turns[3].question == "Which Wi-Fi should Okaeri offer on arrival? Its name, or Enter for none: ")
        #expect(setup.turns[4].steps == ["condition HomeNet"])
    }

    @Test func `a network without a profile is remembered for what comes next`() async throws {
        let setup = try await ScriptedRegion(
            start + ["HomeNet", "", "n", "n", ""],
            machine: machine(condition: .unavailable(.noCredentials(ssid: "HomeNet"))))
        #expect(setup.turns[4].said.contains("At present this network cannot be joined"))
        guard case .text(_, unsavedNetwork: "HomeNet")? = setup.outcome else {
            return #expect(Bool(false), "\(String(describing: setup.outcome))")
        }
    }

    @Test func `a machine that moves asks at each arrival, also beside another connection`() async throws {
        let setup = try await ScriptedRegion(start + ["HomeNet", "n", "n", "n", ""], machine: machine())
        let answered = setup.turns[5]
        #expect(
            answered.said.contains("Okaeri asks at each arrival of this machine")
                && answered.question?.hasPrefix("Measure") == true)
        let wifi = #""wifi": { "ssid": "HomeNet", "join": "prompt", "whenOnline": "always" }"#
        #expect(try #require(setup.text).contains(wifi))
    }

    @Test func `a region keeps what is not asked`() async throws {
        func ended(_ network: String) async throws -> String {
            let setup = try await ScriptedRegion(
                ["", "home", "y", network, "n", "n", ""], text: homeText, machine: machine())
            #expect(
                setup.turns[3].question?.contains("Enter to keep \"HomeNet\", - for none") == true)
            return try #require(setup.text)
        }
        let kept = #""wifi": {"ssid": "HomeNet", "join": "auto", "passphraseFile": "/etc/okaeri/HomeNet.psk"}"#
        #expect(try await ended("") == homeText.replacing("\"minor\": 1,", with: "\"minor\": 7,"))
        #expect(try await ended("HomeNet").contains(kept))
        #expect(try await ended("Other").contains(#""wifi": {"ssid": "Other", "join": "auto"}"#))
        #expect(try await !ended("-").contains("wifi"))
    }

    @Test func `a measurement that failed can be had again, or left`() async throws {
        var machine = machine()
        machine.calibrations = [.failure(Mistake("Nothing was heard.")), .failure(Mistake("Nothing was heard."))]
        let setup = try await ScriptedRegion(start + ["", "y", "", "y", "", "", "", "n"], machine: machine)
        #expect(setup.turns[6].said == "Nothing was heard." && setup.turns[6].question == "Measure again? [y/N] ")
        #expect(setup.turns[7].question?.hasPrefix("Put the beacon one metre") == true)
        #expect(setup.turns[9].question?.hasPrefix("Is the region inside only") == true)
        #expect(setup.turns[10].question?.hasPrefix("Write that") == true)
        #expect(setup.failure == .declined)
    }

    @Test func `what would not be a configuration is not written`() async throws {
        let setup = try await ScriptedRegion(
            [],
            given: .init(
                beacons: BeaconConstraint(uuidText), identifier: "home",
                network: try HomeNetwork(ssid: "N", passphraseFile: "here")))
        guard case .noConfiguration(let error)? = setup.failure else {
            Issue.record("\(setup.failure as Any)")
            return
        }
        #expect(error.description.contains("regions[0].wifi.passphraseFile: found a string"))
    }
}
