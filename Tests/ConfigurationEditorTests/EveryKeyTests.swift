import OkaeriTestSupport
import Testing

@testable import OkaeriConfiguration

/// Edits of a configuration that has every key, so that an edit that loses a key is seen.
@Suite(.computes) struct EveryKeyTests {
    private typealias Members = [(key: String, value: String)]

    private static let identifiers = ["home", "caf\u{e9}"]

    private static let wifi: Members = [
        ("ssid", "\"Caf\\u00e9 \\\"Net\\\"\""), ("join", "\"off\""), ("passphraseFile", "\"/etc/okaeri/a.psk\""),
        ("security", "\"wpa3\""), ("whenOnline", "\"always\""), ("onArrival", "\"hotspot\""),
        ("onDeparture", "\"hotspot-off\""), ("hotspot", "\"Hotspot\""), ("guests", "true"),
    ]
    private static let sign: Members = [
        ("uuid", "\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\""), ("major", "1.0e2"), ("minor", "7"),
        ("mask", "{ \"minor\" : \"00ff\"}"),
        ("enterRSSI", "-8.0e1"), ("exitRSSI", "-90"), ("exitAfter", "30.50"), ("sensitivity", "\"patient\""),
        ("measuredPower", "-61"), ("pathLossExponent", "2.50"),
    ]
    private static let region: Members = [
        ("notifyOnEntry", "true"), ("notifyOnExit", "false"), ("ranging", "true"), ("battery", "\"off\""),
        ("scope", "\"house\""),
    ]
    private static let commands = ["onEnter", "onExit", "onPrompt"]
    private static let mqtt: Members = [
        ("host", "\"mqtt.lan\""), ("port", "8883"), ("username", "\"okaeri\""),
        ("passwordFile", "\"/etc/okaeri/mqtt\""),
        ("site", "\"home\""), ("discovery", "\"homeassistant\""),
    ]
    private static let tls: Members = [("ca", "\"/a.pem\""), ("certificate", "\"/b.pem\""), ("key", "\"/c.pem\"")]
    private static let node: Members = [("room", "\"kitchen\""), ("offset", "-1.50")]
    private static let web: Members = [
        ("listen", "\"127.0.0.1:8080\""), ("open", "false"), ("mdns", "false"), ("backup", "true"),
        ("ingress", "\"172.30.32.2\""),
    ]
    private static let notify: Members = [
        ("type", "\"ntfy\""), ("url", "\"https://ntfy.sh/topic\""), ("tokenFile", "\"/etc/okaeri/token\""),
    ]
    private static let service: Members = [("identifier", "\"remote\""), ("service", "\"180F\"")]

    /// A random layout of a configuration with every key.
    private func document(_ layout: inout RandomLayout) -> String {
        func commands(_ keys: [String]) -> Members {
            keys.map { ($0, layout.array(["\"/bin/\($0)\"", "\"--token=}],\""])) }
        }
        func region(_ identifier: String) -> String {
            let wifi: Members = [("wifi", layout.object(Self.wifi))]
            return layout.object(
                [("identifier", "\"\(identifier)\"")] + Self.sign + Self.region + wifi + commands(Self.commands))
        }
        let signs = layout.array([layout.object(Self.sign), layout.object([("phone", "\"/etc/okaeri/anna.irk\"")])])
        let regions = Self.identifiers.map(region) + [layout.object([("identifier", "\"signs\""), ("anyOf", signs)])]
        let house = layout.object(commands(["onOccupied", "onEmpty"]))
        let mqtt = layout.object(
            Self.mqtt + [("tls", layout.object(Self.tls)), ("radios", layout.array(["\"attic\""]))])
        let web = layout.object(
            Self.web + [
                ("hosts", layout.array(["\"okaeri.example.org\""])), ("users", layout.array(["\"anna\""])),
            ])
        let service = layout.object(Self.service + commands(["onConnect", "onDisconnect"]))
        let lists: Members = [("events", layout.array(["\"enter\""])), ("regions", layout.array(["\"home\""]))]
        let notify = layout.object(Self.notify + lists)
        let rooms = layout.object([("kitchen", layout.object(Self.node))])
        let espresense = layout.object([("type", "\"espresense\""), ("base", "\"espresense\""), ("rooms", rooms)])
        let shelly = layout.object([("type", "\"shelly\""), ("topic", "\"shelly-ble/+\"")])
        let members: Members = [
            ("adapter", "\"hci7\""), ("scan", layout.object([("interval", "200"), ("window", "50.0")])),
            ("state", layout.object([("validFor", "900")])), ("history", layout.object([("keep", "3")])),
            ("sensitivity", "\"quick\""), ("regions", layout.array(regions)), ("house", house),
            ("services", layout.array([service])),
            ("node", layout.object([("name", "\"pi\"")] + Self.node)),
            ("nodes", layout.object([("kitchen", layout.object(Self.node))])), ("mqtt", mqtt), ("receiver", "false"),
            ("standby", "false"), ("receivers", layout.array([espresense, shelly])),
            ("web", web),
            ("metrics", layout.object([("listen", "\"[::1]:9464\"")])), ("notify", layout.array([notify])),
        ]
        return layout.space() + layout.object(members) + layout.space()
    }

    private func edited(_ text: String, _ draft: RegionPatch) throws -> String {
        try ConfigurationText(text, file: "beacons.json").setting(draft)
    }

    /// The raw text of each value, by its path. An object or an array has an entry for each of its members.
    private func values(_ text: String) throws -> [String: String] {
        let bytes = Array(text.utf8)
        var found: [String: String] = [:]
        func visit(_ node: JSONNode, _ path: String) {
            switch node.value {
            case .object(let members): for member in members { visit(member.node, "\(path).\(member.key)") }
            case .array(let elements):
                for (index, element) in elements.enumerated() { visit(element, "\(path)[\(index)]") }
            case .null, .bool, .number, .string: found[path] = String(decoding: bytes[node.range], as: UTF8.self)
            }
        }
        visit(try JSONNode(json: bytes, file: "beacons.json"), "")
        return found
    }

    @Test func `the configuration of these tests has every key`() throws {
        var layout = RandomLayout(seed: 1)
        let text = document(&layout)
        func keys(_ path: String) throws -> Set<String> {
            Set(
                try values(text).keys.filter { $0.hasPrefix("\(path).") }.map { key in
                    String(key.dropFirst(path.utf8.count + 1).prefix { !".[".contains($0) })
                })
        }
        for (path, known) in [
            ("", Configuration.keys), (".scan", Configuration.scanKeys.filter { $0 != "lateShare" }),
            (".state", Configuration.stateKeys),
            (".history", Configuration.historyKeys), (".house", Configuration.houseKeys),
            (".regions[0]", Configuration.regionKeys.filter { !["anyOf", "phone"].contains($0) }),
            (".regions[1]", Configuration.regionKeys.filter { !["anyOf", "phone"].contains($0) }),
            (".regions[2]", ["identifier", "anyOf"]),
            (".regions[2].anyOf[0]", Configuration.signKeys.filter { $0 != "phone" }),
            (".regions[2].anyOf[1]", ["phone"]),
            (".regions[0].wifi", Configuration.wifiKeys.filter { $0 != "ssidHex" }),
            (".mqtt", Configuration.mqttKeys), (".mqtt.tls", Configuration.tlsKeys),
            (".node", Configuration.nodeKeys), (".nodes.kitchen", Configuration.namelessKeys),
            (".web", Configuration.webKeys), (".metrics", Configuration.listenerKeys),
            (".receivers[0]", Configuration.receiverKeys.filter { $0 != "topic" }),
            (".receivers[1]", ["type", "topic"]),
            (".receivers[0].rooms.kitchen", Configuration.namelessKeys),
            (".services[0]", Configuration.serviceKeys), (".notify[0]", Configuration.notifyKeys),
        ] {
            #expect(try keys(path) == Set(known), "\(path)")
        }
    }

    @Test func `an edit that changes no member leaves the file as it is, byte for byte`() throws {
        var layout = RandomLayout(seed: 2)
        for _ in 0..<200 {
            let text = document(&layout)
            for identifier in Self.identifiers {
                let result = try edited(text, RegionPatch(identifier: identifier))
                #expect(Array(result.utf8) == Array(text.utf8), "\(text)")
            }
        }
    }

    @Test(arguments: PageRights.keys)
    func `an edit of one member keeps every other value`(member: String) throws {
        let settings: [JSONNode.Value] =
            switch member {
            case "uuid": [.string("00112233-4455-6677-8899-AABBCCDDEEFF")]
            case "major", "minor": [.number(9)]
            case "mask": [.null]
            case "enterRSSI", "exitRSSI": [.number(-85), .null]
            case "measuredPower": [.number(-59), .null]
            case "exitAfter", "pathLossExponent": [.number(3), .null]
            case "sensitivity": [.string("quick"), .null]
            case "notifyOnEntry", "notifyOnExit", "ranging": [.bool(true), .bool(false), .null]
            case "wifi": [["ssid": .string("Caf\u{e9} \"Net\""), "join": .string("auto")], .null]
            default: []
            }
        let kept = ["passphraseFile", "security", "whenOnline", "onArrival", "onDeparture", "hotspot", "guests"]
        // The members that belong to the one that is edited.
        let together: [String] =
            switch member {
            case "uuid": ["uuid", "major", "minor", "mask.minor"]
            // The mask is that of the former numbers.
            case "major", "minor": [member, "mask.minor"]
            case "mask": ["mask.minor"]
            case "wifi": ["wifi.ssid", "wifi.join"] + kept.map { "wifi.\($0)" }
            default: [member]
            }
        try #require(!settings.isEmpty, "the key has no value in this test")
        var layout = RandomLayout(seed: 3)
        for setting in settings {
            for _ in 0..<20 {
                let text = document(&layout)
                var draft = RegionPatch(identifier: Self.identifiers[1])
                draft[member] = setting
                var (before, after) = try (values(text), values(edited(text, draft)))
                if case .object = setting {
                    for key in kept {
                        let path = ".regions[1].wifi.\(key)"
                        #expect(after[path] != nil && after[path] == before[path], "\(key) belongs to the network")
                    }
                    #expect(after[".regions[1].wifi.join"] == "\"auto\"")
                } else if setting == .null {
                    #expect(after.keys.allSatisfy { !$0.hasPrefix(".regions[1].\(member)") })
                }
                for key in together {
                    before[".regions[1].\(key)"] = nil
                    after[".regions[1].\(key)"] = nil
                }
                #expect(after == before, "\(text)")
            }
        }
    }
}
