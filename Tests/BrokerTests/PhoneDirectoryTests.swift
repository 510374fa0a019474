import HCI
import Testing

@testable import OkaeriHouse

struct PhoneDirectoryTests {
    private static let digits = "ec0234a357c8ad05341010a60a397d9b"

    private func directory(_ messages: [(topic: String, payload: String)]) -> PhoneDirectory {
        var directory = PhoneDirectory()
        for message in messages { directory.receive(topic: message.topic, payload: Array(message.payload.utf8)) }
        return directory
    }

    @Test func `a key that ESPresense has published is found with its name`() throws {
        let found = directory([
            ("espresense/settings/irk:\(Self.digits)/config", #"{"id":"phone:anna","name":"Anna"}"#),
            ("espresense/settings/irk:000102030405060708090a0b0c0d0e0f/config", #"{"id":"ben","name":""}"#),
        ])
        #expect(found.phones.map(\.name) == ["Anna", "ben"])
        #expect(found.phones[0].key == IdentityResolvingKey(Self.digits))
    }

    @Test(arguments: [
        #"{"id":"irk:\#(digits)","name":""}"#, #"{"id":"irk:\#(digits)"}"#,
        #"{"name":"Anna's \#(digits.uppercased())"}"#,
        #"{"name":"9b7d390aa610103405adc857a33402ec"}"#, #"{"name":"9b7d390aa610103405adc857a33402ec!"}"#,
        #"{"id":"irk:000102030405060708090a0b0c0d0e0f"}"#, #"{"id":"irk:m305CqYQEDQFrchXozQC7A=="}"#,
    ])
    func `a name that shows a key is replaced`(payload: String) {
        let found = directory([("espresense/settings/irk:\(Self.digits)/config", payload)])
        #expect(found.phones.map(\.name) == ["phone 1"])
    }

    @Test func `the id is the name if the name is the key`() {
        let found = directory([
            ("espresense/settings/irk:\(Self.digits)/config", #"{"id":"phone:anna","name":"irk:\#(Self.digits)"}"#)
        ])
        #expect(found.phones.map(\.name) == ["phone:anna"])
    }

    @Test func `a second key of a name is found beside the first one`() {
        let found = directory([
            ("espresense/settings/irk:\(Self.digits)/config", #"{"name":"Anna"}"#),
            ("espresense/settings/irk:000102030405060708090a0b0c0d0e0f/config", #"{"name":"ANNA"}"#),
        ])
        #expect(found.phones(named: "anna").count == 2 && found.phones(named: "ann").isEmpty)
    }

    @Test(arguments: [
        "espresense/settings/irk:ec02/config", "espresense/settings/iBeacon:1/config", "espresense/rooms/a/config",
        "espresense/settings/irk:ec0234a357c8ad05341010a60a397d9b",
        "other/settings/irk:ec0234a357c8ad05341010a60a397d9b/config",
        "espresense/settings/irk:ec0234a357c8ad05341010a60a397d9b/config/set", "", "/",
    ])
    func `another topic has no key`(topic: String) {
        #expect(directory([(topic, #"{"name":"x"}"#)]).phones.isEmpty)
    }

    @Test func `an emptied message removes the key, and text that is not JSON adds none`() {
        let topic = "espresense/settings/irk:\(Self.digits)/config"
        #expect(directory([(topic, #"{"name":"Anna"}"#), (topic, "")]).phones.isEmpty)
        #expect(directory([(topic, "Anna")]).phones.isEmpty)
        #expect(directory([(topic, String(repeating: " ", count: 5000) + "{}")]).phones.isEmpty)
    }

    @Test func `names are filtered, and the number of keys is bounded`() {
        let messages = (1...200).map { number in
            let digits = String(repeating: "0", count: 30) + String(number, radix: 16).leftPadded(to: 2)
            return ("espresense/settings/irk:\(digits)/config", #"{"name":"\u001b[31m\#(number)"}"#)
        }
        let found = directory(messages)
        #expect(found.phones.count == 64)
        #expect(found.phones.allSatisfy { !$0.name.unicodeScalars.contains("\u{1B}") })
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}
