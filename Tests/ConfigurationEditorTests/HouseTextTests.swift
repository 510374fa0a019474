import OkaeriMQTT
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration

/// A machine's place in a house, in the text of its configuration.
@Suite struct HouseTextTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    private func draft(_ change: (inout HouseDraft) -> Void = { _ in }) -> HouseDraft {
        var draft = HouseDraft(
            broker: .init(
                host: "mqtt.lan", port: 1883, allowsClearPassword: true,
                login: .init(username: "okaeri", passwordFile: "/etc/okaeri/mqtt.password")),
            site: "home", node: "kitchen", room: "Küche")
        change(&draft)
        return draft
    }

    private func joined(_ text: String?, _ draft: HouseDraft) throws -> (text: String, configuration: Configuration) {
        let text = try ConfigurationText(text, file: "beacons.json").joining(draft)
        return (text, try Configuration(json: Array(text.utf8), file: "beacons.json"))
    }

    @Test(arguments: [nil, "{\n  \"regions\": []\n}\n", "{}"])
    func `a configuration without regions becomes that of a receiver`(text: String?) throws {
        let (text, configuration) = try joined(text, draft())
        #expect(text.contains(#""mqtt": { "host": "mqtt.lan", "tls": false, "username": "okaeri", "#), "\(text)")
        #expect(text.contains(#""node": { "name": "kitchen", "room": "Küche" }"#), "\(text)")
        #expect(configuration.mqtt?.broker == draft().broker)
        #expect((configuration.node.name, configuration.node.room) == ("kitchen", "Küche"))
        #expect(configuration.isReceiver && configuration.regions.isEmpty && configuration.notices.isEmpty)
    }

    @Test func `a password over the network is not written without a decision`() throws {
        let undecided = draft { $0.broker.allowsClearPassword = false }
        let error = #expect(throws: ConfigurationError.self) { try joined(nil, undecided) }
        #expect(error?.description.contains("mqtt.tls: found nothing") == true, "\(String(describing: error))")
        let decided = "{\"mqtt\": {\"host\": \"mqtt.lan\", \"tls\": false}}"
        #expect(throws: ConfigurationError.self, "an earlier decision is of an earlier broker") {
            try joined(decided, undecided)
        }
    }

    @Test func `the regions and the rest of the file stay`() throws {
        let old = """
            { "adapter": "hci1", "regions": [ { "identifier": "keys", "uuid": "\(Self.uuid)", "major": 9, "enterRSSI": -70,
              "onEnter": ["/bin/true"] }, { "identifier": "mine", "uuid": "\(Self.uuid)" } ],
              "mqtt": { "host": "old", "port": 1884, "discovery": false }, "node": { "offset": 3, "room": "old" } }
            """
        let (_, configuration) = try joined(old, draft { $0.room = nil })
        #expect(configuration.adapter == "hci1" && configuration.node.offset == 3 && configuration.node.room == nil)
        #expect(configuration.mqtt?.discovery == nil && configuration.mqtt?.broker.port == 1883)
        #expect(configuration.regions.map(\.identifier) == ["keys", "mine"])
        #expect(configuration.isReceiver && configuration.regions[0].monitored.enterRSSI == -70)
    }

    @Test func `the encryption of the connection is written`() throws {
        let files = try joined(nil, draft { $0.broker.tls = .init(authorities: "/etc/okaeri/ca.pem") })
        #expect(files.text.contains(#""port": 1883, "tls": { "ca": "/etc/okaeri/ca.pem" }"#), "\(files.text)")
        let plain = try joined(
            nil,
            draft {
                $0.broker.tls = .init()
                $0.broker.port = 8883
                $0.broker.login = nil
            })
        #expect(plain.text.contains(#""mqtt": { "host": "mqtt.lan", "tls": true, "site": "home" }"#), "\(plain.text)")
    }

    @Test func `a key is removed, and a mistake is reported with its place`() throws {
        let text = try ConfigurationText(
            "{\n  \"web\": {\"listen\": \"127.0.0.1:1\"},\n  \"regions\": []\n}\n", file: "f")
        #expect(try text.merging(["web": .null]) == "{\n  \"regions\": []\n}\n")
        #expect(try text.merging(["metrics": .null]).contains("web"))
        #expect(throws: ConfigurationError.self) {
            try ConfigurationText("{\"regions\": [], \"adaptor\": 1}", file: "f").merging(["web": .null])
        }
        #expect(throws: ConfigurationError.self) { try ConfigurationText("[]", file: "f").merging(["web": .null]) }
    }
}
