import OkaeriReceivers
import Testing

@testable import OkaeriConfiguration

/// Receivers of other makes that a set-up or the page adds.
@Suite struct ReceiverChoiceTests {
    private func added(_ choices: [ReceiverChoice], to text: String) throws -> String {
        try ConfigurationText(text, file: "b.json").adding(choices)
    }

    private let kitchen = ReceiverChoice(.espresense, name: "kitchen", room: "kitchen")
    private let shelly = ReceiverChoice(.shelly, name: "shelly-1", room: "hall")

    @Test func `Receivers are added with their names, and nothing else changes`() throws {
        let text = """
            {
              "mqtt": { "host": "mqtt.lan" },
              "regions": [ ]
            }

            """
        let changed = try added([kitchen, shelly], to: text)
        let configuration = try ConfigurationText(changed, file: "b.json").configuration()
        #expect(configuration.receivers.map(\.topics.make) == [.espresense, .shelly])
        #expect(configuration.receivers[0].rooms == ["kitchen": .init(name: "kitchen", room: "kitchen")])
        #expect(configuration.receivers[1].rooms?["shelly-1"]?.room == "hall")
        #expect(changed.contains("\"mqtt\": { \"host\": \"mqtt.lan\" }") && changed.contains("\"regions\": [ ]"))
        let again = try added([.init(.espresense, name: "bath", room: "bath"), kitchen], to: changed)
        let later = try ConfigurationText(again, file: "b.json").configuration()
        #expect(later.receivers.count == 2 && later.receivers[0].rooms?.keys.sorted() == ["bath", "kitchen"])
    }

    @Test func `An entry that uses all receivers, and one with other topics, stay as they are`() throws {
        let all = #"{"mqtt": {"host": "a"}, "receivers": [{"type": "espresense"}], "regions": []}"#
        #expect(try added([kitchen], to: all) == all)
        let other = #"{"mqtt": {"host": "a"}, "receivers": [{"type": "espresense", "base": "x"}], "regions": []}"#
        let changed = try ConfigurationText(try added([kitchen], to: other), file: "b.json").configuration()
        #expect(changed.receivers.map(\.topics.topic) == ["x", "espresense"])
        #expect(changed.receivers[0].rooms == nil && changed.receivers[1].rooms?.count == 1)
        #expect(throws: ConfigurationError.self) { try added([kitchen], to: #"{"regions": []}"#) }
    }

    @Test func `A receiver is in use if an entry reads its topic and names it, or names none`() throws {
        func uses(_ receivers: String, _ receiver: FoundReceiver) throws -> Bool {
            let text = #"{"mqtt": {"host": "a"}, "receivers": [\#(receivers)], "regions": []}"#
            return try ConfigurationText(text, file: "b.json").configuration().uses(receiver)
        }
        let kitchen = FoundReceiver(.espresense, name: "kitchen", topic: "espresense/rooms/kitchen/status")
        #expect(try uses(#"{"type": "espresense"}"#, kitchen))
        #expect(try uses(#"{"type": "espresense", "rooms": {"kitchen": {}}}"#, kitchen))
        #expect(try !uses(#"{"type": "espresense", "rooms": {"bath": {}}}"#, kitchen))
        #expect(try !uses(#"{"type": "espresense", "base": "x"}"#, kitchen))
        #expect(try !uses(#"{"type": "shelly"}"#, kitchen))
        let theengs = FoundReceiver(.theengs, name: "TheengsGateway", topic: "home/TheengsGateway/LWT")
        #expect(try uses(#"{"type": "openmqttgateway"}"#, theengs), "its topic matches that of the gateways")
    }

    @Test(arguments: [
        "{}", "[{}]", #"[{"type": "x", "name": "a"}]"#, #"[{"type": "shelly", "name": "a\u001b"}]"#,
        #"[{"type": "shelly", "name": "-a"}]"#, #"[{"type": "shelly", "name": "a", "room": ""}]"#,
        #"[{"type": "shelly", "name": "a", "topic": "x"}]"#, #"[{"type": "shelly", "name": 7}]"#, "[7]",
    ])
    func `A wrong choice is refused with its place`(text: String) throws {
        let node = try JSONNode(json: Array(text.utf8), file: "r")
        let error = #expect(throws: ConfigurationError.self) { try ReceiverChoice.list(node) }
        #expect(error?.description.isEmpty == false)
    }

    @Test func `As many choices as the limit are read, and not one more`() throws {
        func list(_ count: Int) throws -> [ReceiverChoice] {
            let one = #"{"type": "shelly", "name": "a", "room": null}"#
            let text = "[\(Array(repeating: one, count: count).joined(separator: ","))]"
            return try ReceiverChoice.list(try JSONNode(json: Array(text.utf8), file: "r"))
        }
        #expect(try list(ReceiverChoice.limit).count == ReceiverChoice.limit)
        #expect(throws: ConfigurationError.self) { try list(ReceiverChoice.limit + 1) }
    }
}
