import OkaeriConfiguration
import OkaeriEvents
import Testing

@testable import OkaeriSetup

struct ReceiverFindingTests {
    private func configuration() throws -> Configuration {
        let text = """
            {"regions":[],"mqtt":{"host":"mqtt.lan"},"receivers":[{"type":"openmqttgateway","topic":"house/+/BTtoMQTT/#"}]}
            """
        return try Configuration(json: Array(text.utf8), file: "beacons.json")
    }

    private func findings(_ nodes: [NodeReport], rejected: [String: UInt64]? = nil) throws -> [Finding] {
        Doctor.receiverFindings(
            NodesReport(
                node: "hall", site: "home", connected: true, reason: "", nodes: nodes, rejected: rejected, regions: []),
            try configuration())
    }

    private func node(
        online: Bool = true, scans: Double? = nil, deaf: Bool = false, rejected: [String: UInt64] = [:]
    ) -> NodeReport {
        NodeReport(
            name: "openmqttgateway-OMG", online: online, room: "attic",
            receiver: .init(
                make: "OpenMQTTGateway", name: "OMG", interval: 60, scans: scans, deaf: deaf, rejected: rejected))
    }

    @Test func `A gateway that scans too little is offered the command that makes it quick`() throws {
        let finding = try #require(try findings([node(scans: 0.15)]).last)
        let text = finding.text(in: .english)
        #expect(
            text.contains("15 %") && text.contains("mosquitto_pub -h mqtt.lan -t house/OMG/commands/MQTTtoBT/config"))
        #expect(text.contains(#"'{"adaptivescan":false"#) && finding.text(in: .japanese).contains("mosquitto_pub"))
        #expect(try findings([node(scans: 0.9)]).map(\.verdict) == [.ok])
    }

    @Test func `A receiver that is away, deaf, or has rejected messages is named`() throws {
        #expect(try findings([node(online: false)]).first?.text(in: .english).contains("okaeri nodes forget") == true)
        #expect(try findings([node(deaf: true)]).map(\.verdict) == [.wrong])
        #expect(try findings([node(rejected: ["malformed": 12])]).map(\.verdict) == [.ok, .note])
        let many = try findings([node()], rejected: ["too many receivers": 7]).last
        #expect(many?.verdict == .wrong && many?.text(in: .japanese).contains("7 件") == true)
        #expect(
            try findings([]).first?.text(in: .english).contains("mosquitto_sub -h mqtt.lan -v -t 'house/+/BTtoMQTT/#'")
                == true)
        #expect(
            try findings([]).first?.text(in: .japanese).contains("`house/+/LWT`, `house/+/SYStoMQTT` の読み取り") == true)
    }

    @Test func `Two receivers of one name are wrong, and an alias of several beacons is named`() throws {
        let two = try findings([node(rejected: ["name of two receivers": 1])])
        #expect(two.map(\.verdict) == [.ok, .wrong] && two.last?.text(in: .english).contains("as OMG") == true)
        let alias = try findings([node(rejected: ["name of several beacons": 3])])
        #expect(alias.map(\.verdict) == [.ok, .note] && alias.last?.text(in: .japanese).contains("別名") == true)
    }
}
