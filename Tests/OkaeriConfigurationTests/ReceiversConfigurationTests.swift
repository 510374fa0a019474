import OkaeriEvents
import OkaeriReceivers
import Testing

@testable import OkaeriConfiguration

struct ReceiversConfigurationTests {
    private func configuration(_ receivers: String, mqtt: String = #""mqtt":{"host":"mqtt.lan"},"#) throws
        -> Configuration
    {
        try Configuration(json: Array("{\"regions\":[],\(mqtt)\"receivers\":\(receivers)}".utf8), file: "beacons.json")
    }

    private func mistakes(
        _ receivers: String, mqtt: String = #""mqtt":{"host":"mqtt.lan"},"#, in language: Language = .english
    ) -> String? {
        do {
            _ = try configuration(receivers, mqtt: mqtt)
            return nil
        } catch let error as ConfigurationError { return error.sentence(in: language) } catch { return "\(error)" }
    }

    @Test func `Each make has its usual topic, and another one on request`() throws {
        let all = try configuration(
            """
            [{"type":"espresense"},{"type":"shelly","topic":"attic/+"},{"type":"openmqttgateway"},{"type":"theengs"},{"type":"esphome"}]
            """
        ).receivers
        #expect(all.map(\.topics.make) == [.espresense, .shelly, .openmqttgateway, .theengs, .esphome])
        #expect(
            all.map(\.topics.topic) == [
                "espresense", "attic/+", "home/+/BTtoMQTT/#", "home/TheengsGateway/BTtoMQTT/#", "esphome-ble/+",
            ])
        #expect(all.allSatisfy { $0.rooms == nil })
    }

    @Test func `Rooms name the receivers that are used, with their rooms and offsets`() throws {
        let rooms = try #require(
            try configuration(
                #"[{"type":"espresense","rooms":{"kitchen":{"room":"Küche","offset":-3},"bath":{}}}]"#
            ).receivers.first?.rooms)
        #expect(rooms["kitchen"] == .init(name: "kitchen", room: "Küche", offset: -3))
        #expect(rooms["bath"]?.room == "bath" && rooms.count == 2)
    }

    @Test(arguments: [
        (#"[{"type":"espresence"}]"#, "receivers[0].type"), (#"[{}]"#, "receivers[0].type"), (#"{}"#, "receivers"),
        (#"[{"type":"espresense","topic":"a"}]"#, "receivers[0].topic"),
        (#"[{"type":"shelly","topic":"a/#"}]"#, "receivers[0].topic"),
        (#"[{"type":"theengs","topic":"home/+"}]"#, "receivers[0].topic"),
        (#"[{"type":"espresense","rooms":[]}]"#, "receivers[0].rooms"),
        (#"[{"type":"espresense","rooms":{"kitchen":{"offset":100}}}]"#, "offset"),
        (#"[{"type":"espresense","rooms":{"kitchen":{"offest":1}}}]"#, "offset"),
        (#"[{"type":"espresense"},{"type":"espresense"}]"#, "twice"),
        (#"[{"type":"espresense","rate":1}]"#, "an unknown key"),
    ])
    func `A mistake names its place`(receivers: String, place: String) throws {
        #expect(try #require(mistakes(receivers)).contains(place))
    }

    @Test func `Receivers need a broker, and each mistake has a Japanese text`() throws {
        #expect(try #require(mistakes(#"[{"type":"shelly"}]"#, mqtt: "")).contains("mqtt"))
        #expect(try #require(mistakes(#"[{"type":"shelly"}]"#, mqtt: "", in: .japanese)).contains("ブローカー"))
        for (receivers, text) in [
            (##"[{"type":"shelly","topic":"#"}]"##, "トピック"), (#"[{"type":"espresense","topic":"a"}]"#, "ほかの受信機のキー"),
            (#"[{"type":"espresense","rooms":[]}]"#, "受信機のオブジェクト"), (#"{}"#, "受信機の配列"),
            (#"[{"type":"theengs","topic":"a"}]"#, "BTtoMQTT"),
            (#"[{"type":"espresense"},{"type":"espresense"}]"#, "重複"),
        ] {
            #expect(try #require(mistakes(receivers, in: .japanese)).contains(text), "\(receivers)")
        }
    }
}
