import BlueZ
import OkaeriTestSupport
import Testing

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents

/// Rules for peripherals: their configuration, events and persisted state, and their hooks.
@Suite struct ServiceRuleTests {
    private let lamp = Event.Peripheral(
        identifier: "lamp", service: "180F", address: "DC:A6:32:01:02:03", name: "Lampe \"é\"")

    private func configuration(_ services: String) throws -> Configuration {
        try Configuration(json: Array(#"{"regions": [], "services": \#(services)}"#.utf8), file: "beacons.json")
    }

    private func problems(_ services: String) -> [String] {
        do {
            _ = try configuration(services)
            return []
        } catch {
            return (error as? ConfigurationError)?.problems.map(\.description) ?? []
        }
    }

    @Test func `a rule needs no more than a service`() throws {
        let rules = try configuration(
            """
            [ { "service": "180F" },
              { "identifier": "lamp", "service": "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
                "onConnect": ["/usr/local/bin/on", "x"], "onDisconnect": ["/usr/local/bin/off"] } ]
            """
        ).services
        #expect(rules.map(\.label) == ["180F", "lamp"])
        #expect(rules[0].service == BluetoothUUID(0x180F))
        #expect(rules[0].onConnect == [])
        #expect(rules[1].onConnect == ["/usr/local/bin/on", "x"])
        #expect(rules[1].onDisconnect == ["/usr/local/bin/off"])
        #expect(try configuration("[]").services == [])
    }

    @Test(arguments: [
        ("{}", "services: found an object, expected an array of services"),
        ("[1]", "services[0]: found 1, expected an object"),
        (
            "[{}]",
            "services[0].service: found nothing, expected a service's UUID of 4, 8 or 32 digits, such as \"180F\""
        ),
        (
            #"[{"service": "180"}]"#,
            "services[0].service: found \"180\", expected a service's UUID of 4, 8 or 32 digits, such as \"180F\""
        ),
        (
            #"[{"service": "180F", "onConect": ["/x"]}]"#,
            "services[0].onConect: found an unknown key, expected one of identifier, service, onConnect, onDisconnect; "
                + "did you mean \"onConnect\"?"
        ),
        (
            #"[{"service": "180F", "onConnect": "/x"}]"#,
            "services[0].onConnect: found a string, expected a command and its arguments, such as "
                + "[\"/usr/local/bin/welcome\"]"
        ),
        (
            #"[{"service": "180F", "identifier": ""}]"#,
            "services[0].identifier: found \"\", expected a name for the rule, such as \"remote\""
        ),
        (
            #"[{"service": "180F"}, {"service": "0000180f"}]"#,
            "services[1].service: found \"180F\", which services[0] has too, expected an identifier of its own beside it"
        ),
        (
            #"[{"service": "180F", "identifier": "a"}, {"service": "180D", "identifier": "a"}]"#,
            "services[1].identifier: found \"a\", which services[0] has too, expected a name of its own"
        ),
    ]) func `a mistake is reported with place, found and expected`(_ services: String, _ problem: String) {
        #expect(problems(services) == [problem])
    }

    @Test func `an event has its service, its address and its name`() {
        let event = Event(time: evening, kind: .peripheralDidConnect(lamp))
        #expect(
            event.json
                == #"{"time":"2026-11-20T18:42:00.000Z","event":"peripheralDidConnect","identifier":"lamp","#
                + #""service":"180F","address":"DC:A6:32:01:02:03","name":"Lampe \"é\""}"#)
        var nameless = lamp
        (nameless.identifier, nameless.name) = (nil, nil)
        let gone = Event(time: evening, kind: .peripheralDidDisconnect(nameless, reason: nil))
        #expect(gone.line == "18:42:00.000 UTC  peripheralDidDisconnect  180F  DC:A6:32:01:02:03")
        let failed = Event(time: evening, kind: .peripheralDidFailToConnect(nameless, reason: "it was refused"))
        #expect(
            failed.line == "18:42:00.000 UTC  peripheralDidFailToConnect  180F  DC:A6:32:01:02:03 – it was refused")
        #expect(failed.json.hasSuffix(#""address":"DC:A6:32:01:02:03","reason":"it was refused"}"#))
    }

    @Test func `an event runs the command of its rule, and of no other`() throws {
        let rules = try configuration(
            """
            [ { "service": "180F", "onConnect": ["/other"] },
              { "identifier": "lamp", "service": "180F", "onConnect": ["/on"] } ]
            """
        ).services
        let connected = Event(time: evening, kind: .peripheralDidConnect(lamp))
        let hook = try #require(Hook(for: connected, regions: [], services: rules))
        #expect(hook.command == ["/on"])
        #expect(hook.owner == .service("lamp"))
        #expect(
            hook.environment(socket: "/s") == [
                "OKAERI_EVENT": "peripheralDidConnect", "OKAERI_TIME": "2026-11-20T18:42:00.000Z",
                "OKAERI_SOCKET": "/s", "OKAERI_IDENTIFIER": "lamp", "OKAERI_SERVICE": "180F",
                "OKAERI_ADDRESS": "DC:A6:32:01:02:03", "OKAERI_NAME": "Lampe \"é\"",
            ])
        let gone = Event(time: evening, kind: .peripheralDidDisconnect(lamp, reason: nil))
        #expect(Hook(for: gone, regions: [], services: rules) == nil)
        #expect(Hook(for: connected, regions: [], services: []) == nil)
    }

    @Test func `the connected peripheral is stored, and a file from before that is read`() throws {
        let written = StateStamp(wall: evening, boot: "a", uptime: 7)
        let peripheral = PeripheralsMemory.Peripheral(
            rule: "lamp", service: "180F", address: "DC:A6:32:01:02:03", name: nil)
        let state = PersistedState(written: written, parts: [PeripheralsMemory([peripheral])])
        #expect(try PersistedState(text: state.text, [PeripheralsMemory.self]) == state)
        #expect(state.isOccupied, "how old it is makes a difference")
        let alone = PersistedState(written: written, parts: [PeripheralsMemory([])])
        let text = String(decoding: try alone.text, as: UTF8.self)
        #expect(!text.contains("peripherals"))
        let read = try PersistedState(text: Array(text.utf8), [PeripheralsMemory.self])
        #expect(read[PeripheralsMemory.self]?.peripherals == nil)
        #expect(!alone.isSameApartFromLearning(as: state), "it is written at once")
    }
}
