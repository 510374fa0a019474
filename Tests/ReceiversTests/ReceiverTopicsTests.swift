import Testing

@testable import OkaeriReceivers

struct ReceiverTopicsTests {
    private func topics(_ make: ReceiverMake, _ topic: String? = nil) throws -> ReceiverTopics {
        try #require(ReceiverTopics(make, topic: topic))
    }

    @Test func `The topics of ESPresense name the room and the device`() throws {
        let topics = try topics(.espresense)
        #expect(topics.subject(of: "espresense/devices/keys/kitchen") == .report(receiver: "kitchen", device: "keys"))
        #expect(topics.subject(of: "espresense/rooms/kitchen/status") == .status(receiver: "kitchen"))
        #expect(topics.subject(of: "espresense/rooms/kitchen/telemetry") == .telemetry(receiver: "kitchen"))
        #expect(topics.subject(of: "espresense/settings/irk:00/config") == .settings(device: "irk:00"))
        #expect(topics.subject(of: "espresense/rooms/kitchen/max_distance") == nil)
        #expect(topics.subject(of: "espresense/devices/keys") == nil)
        #expect(
            try self.topics(.espresense, "house/ble").subject(of: "house/ble/rooms/hall/status")
                == .status(receiver: "hall"))
    }

    @Test func `The topics of the other makes name the receiver by the wildcard, or by a level`() throws {
        let gateway = try topics(.openmqttgateway)
        #expect(gateway.subject(of: "home/OMG_1/BTtoMQTT/AABBCCDDEEFF") == .report(receiver: "OMG_1", device: nil))
        #expect(gateway.subject(of: "home/OMG_1/BTtoMQTT/undecoded") == .report(receiver: "OMG_1", device: nil))
        #expect(gateway.subject(of: "home/OMG_1/BTtoMQTT") == .telemetry(receiver: "OMG_1"))
        #expect(gateway.subject(of: "home/OMG_1/LWT") == .status(receiver: "OMG_1"))
        #expect(gateway.subject(of: "home/OMG_1/version") == .version(receiver: "OMG_1"))
        #expect(gateway.subject(of: "home/OMG_1/433toMQTT") == nil)
        let theengs = try topics(.theengs)
        #expect(
            theengs.subject(of: "home/TheengsGateway/BTtoMQTT/AABBCCDDEEFF")
                == .report(receiver: "TheengsGateway", device: nil))
        #expect(try topics(.shelly).subject(of: "shelly-ble/plug") == .report(receiver: "plug", device: nil))
        #expect(try topics(.shelly).subject(of: "plug/online") == .status(receiver: "plug"))
        #expect(
            try topics(.shelly, "+/events/rpc").subject(of: "plug/events/rpc") == .report(receiver: "plug", device: nil)
        )
        #expect(
            try topics(.shelly, "attic/plug/events/rpc").subject(of: "attic/plug/events/rpc")
                == .report(receiver: "plug", device: nil))
        #expect(try topics(.esphome).subject(of: "esphome-ble/hall/status") == .status(receiver: "hall"))
    }

    @Test(arguments: [
        (ReceiverMake.espresense, "espresense/+"), (.espresense, ""), (.espresense, "a//b"), (.shelly, "+/+"),
        (.shelly, "shelly/#"),
        (.shelly, "a+b"), (.openmqttgateway, "home/+/BTtoMQTT"), (.openmqttgateway, "home/#"),
        (.openmqttgateway, "home/+/#"),
        (.theengs, "#"), (.esphome, "$SYS/+"),
    ])
    func `A topic that names no receiver, or everything, is refused`(make: ReceiverMake, topic: String) {
        #expect(ReceiverTopics(make, topic: topic) == nil)
    }

    @Test func `The status of a make is shared if devices of other kinds have its topic`() throws {
        #expect(try topics(.shelly).isStatusShared && topics(.openmqttgateway).isStatusShared)
        #expect(try topics(.theengs, "home/+/BTtoMQTT/#").isStatusShared)
        #expect(try !topics(.theengs).isStatusShared && !topics(.openmqttgateway, "home/OMG/BTtoMQTT/#").isStatusShared)
        #expect(try !topics(.espresense).isStatusShared && !topics(.esphome).isStatusShared)
    }

    @Test func `A name that cannot be shown is not a receiver`() throws {
        #expect(try topics(.shelly).subject(of: "shelly-ble/\u{1B}[2J") == nil)
        #expect(
            try topics(.espresense).subject(of: "espresense/rooms/\(String(repeating: "r", count: 65))/status") == nil)
        #expect(try topics(.openmqttgateway).subject(of: "home//BTtoMQTT/AA") == nil)
    }

    @Test func `The filters contain the reports, the last will and the figures`() throws {
        #expect(
            try topics(.openmqttgateway, "omg/+/BTtoMQTT/#").filters == [
                "omg/+/BTtoMQTT/#", "omg/+/LWT", "omg/+/SYStoMQTT",
            ])
        #expect(try topics(.espresense).filters.contains("espresense/settings/+/config"))
    }
}
