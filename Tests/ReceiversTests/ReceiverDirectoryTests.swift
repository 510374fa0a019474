import Testing

@testable import OkaeriReceivers

/// The receivers that publish at a broker, for the offer to use them.
@Suite struct ReceiverDirectoryTests {
    private func directory(_ messages: [(topic: String, payload: String, isRetained: Bool)]) -> ReceiverDirectory {
        var directory = ReceiverDirectory()
        for message in messages {
            directory.receive(
                topic: message.topic, payload: Array(message.payload.utf8), isRetained: message.isRetained)
        }
        return directory
    }

    private func names(_ directory: ReceiverDirectory) -> [String] {
        directory.receivers.map { "\($0.make) \($0.name)" }
    }

    @Test func `A receiver of each make is found by what it publishes or by its retained status`() {
        let found = directory([
            ("espresense/rooms/kitchen/status", "online", true),
            ("espresense/rooms/bath/telemetry", #"{"ip":"10.0.0.7","uptime":7}"#, false),
            ("shelly-ble/shellyplus1-a8", #"{"adverts":[]}"#, false),
            ("home/OMG_attic/LWT", "online", true), ("home/OMG_attic/version", "v1.8.1", true),
            ("home/OMG_cellar/BTtoMQTT/A4C138000000", #"{"id":"A4:C1:38:00:00:00","rssi":-70}"#, false),
            ("home/TheengsGateway/LWT", "online", true),
            ("home/TheengsGateway/BTtoMQTT/A4C138000000", #"{"id":"A4:C1:38:00:00:00","rssi":-70}"#, false),
            ("esphome-ble/hall/status", "online", true),
            ("esphome-ble/porch", #"{"address":"A4:C1:38:00:00:00","rssi":-70}"#, false),
        ])
        #expect(
            names(found) == [
                "esphome hall", "esphome porch", "espresense bath", "espresense kitchen", "openmqttgateway OMG_attic",
                "openmqttgateway OMG_cellar", "shelly shellyplus1-a8", "theengs TheengsGateway",
            ])
        #expect(!found.isCut)
    }

    @Test func `What the broker kept of a receiver that is gone does not offer it`() {
        let found = directory([
            ("espresense/rooms/kitchen/status", "offline", true),
            ("espresense/rooms/bath/telemetry", #"{"uptime":7}"#, true),
            ("shelly-ble/old", #"{"adverts":[]}"#, true),
            ("esphome-ble/porch", #"{"rssi":-70}"#, true),
            ("home/OMG_attic/BTtoMQTT/A4C138000000", "{}", true),
        ])
        #expect(names(found).isEmpty)
        let died = directory([
            ("espresense/rooms/kitchen/status", "online", true), ("espresense/rooms/kitchen/status", "offline", false),
        ])
        #expect(names(died).isEmpty)
        let returned = directory([
            ("espresense/rooms/kitchen/telemetry", "{}", false), ("espresense/rooms/kitchen/status", "offline", true),
        ])
        #expect(names(returned) == ["espresense kitchen"], "what it publishes now is later than a retained will")
    }

    @Test func `A device that is online beside the gateways is offered only if it is a gateway, too`() {
        let others = directory([
            ("home/lamp/LWT", "online", true), ("home/plug/LWT", "online", false), ("home/heater/LWT", "online", true),
            ("home/heater/version", "", true), ("home/heater/LWT", "offline", false),
        ])
        #expect(names(others).isEmpty && !others.isCut)
        // Each of these is what a gateway publishes, and in any order.
        let evidence: [(topic: String, payload: String, isRetained: Bool)] = [
            ("home/OMG/version", "v1.8.1", true), ("home/OMG/SYStoMQTT", #"{"uptime":3}"#, true),
            ("home/OMG/BTtoMQTT", #"{"interval":55555}"#, true), ("home/OMG/BTtoMQTT/A4C138000000", "{}", true),
        ]
        for message in evidence {
            #expect(names(directory([message])).isEmpty, "\(message.topic) is old")
            #expect(names(directory([message, ("home/OMG/LWT", "online", true)])) == ["openmqttgateway OMG"])
            #expect(names(directory([("home/OMG/LWT", "online", true), message])) == ["openmqttgateway OMG"])
        }
    }

    @Test func `A Shelly without the script, and topics of others, are not receivers`() {
        let found = directory([
            ("shellyplus1-a8/online", "true", true), ("home/OMG/BTtoMQTT", "", false),
            ("home/OMG/x/LWT", "online", true),
            ("espresense/settings/irk:00/config", "{}", true), ("okaeri/home/hub", "{}", true), ("", "", false),
            ("espresense/rooms/a\u{1B}[2J/status", "online", true), ("shelly-ble/--yes", "{}", false),
            ("espresense/rooms/\(String(repeating: "a", count: 65))/status", "online", true),
        ])
        #expect(names(found) == ["openmqttgateway OMG"])
    }

    @Test func `Invented receivers are bounded`() {
        var directory = ReceiverDirectory()
        for number in 0...ReceiverDirectory.limit {
            #expect(!directory.isCut)
            directory.receive(topic: "shelly-ble/\(number)", payload: [], isRetained: false)
        }
        #expect(directory.isCut && directory.receivers.count == ReceiverDirectory.limit)
        directory.receive(topic: "shelly-ble/0", payload: [], isRetained: false)
        #expect(directory.receivers.count == ReceiverDirectory.limit)
    }

    @Test func `Each topic of the filters has a subject`() {
        let topics = ReceiverMake.allCases.compactMap { ReceiverTopics($0) }
        for filter in ReceiverDirectory.filters {
            let topic = filter.replacing("+", with: "name").replacing("#", with: "A4C138000000")
            #expect(topics.contains { $0.subject(of: topic) != nil }, "\(filter)")
        }
    }
}
