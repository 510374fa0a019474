import HCI
import IBeacon
import OkaeriPlumbing
import Testing

@testable import OkaeriReceivers

struct ReceiverPayloadTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    private static let beacon = BeaconIdentity(
        uuid: BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0), major: 100, minor: 7)

    private func reports(
        _ make: ReceiverMake, _ payload: String, device: String? = nil, wantsPhones: Bool = true
    ) throws -> [ReceiverReport] {
        try ReceiverPayload.reports(make, device: device, Array(payload.utf8), wantsPhones: wantsPhones)
    }

    // MARK: ESPresense

    @Test func `ESPresense names a beacon in the topic`() throws {
        let payload = """
            {"mac":"aabbccddeeff","id":"iBeacon:\(Self.uuid)-100-7","rssi@1m":-59,"rssi":-71.52,"rxAdj":0,"rssiVar":3.1,"distance":2.5,\
            "var":0.2,"int":210,"batt":88,"future":{"a":[1,{"b":"}"}]}}
            """
        #expect(
            try reports(.espresense, payload, device: "iBeacon:\(Self.uuid)-100-7")
                == [ReceiverReport(.beacon(Self.beacon, measuredPower: -59), rssi: -72, battery: 88)])
    }

    @Test(arguments: ["iBeacon:e5ca1ade-f007-ba11-0000-000000000000-1-2", "node:kitchen"])
    func `ESPresense's own beacons are other devices`(device: String) throws {
        #expect(
            try reports(.espresense, "{}", device: device) == [ReceiverReport(.other(device.utf8.fnv1a), rssi: nil)])
    }

    @Test func `A phone is known by its address, whatever ESPresense calls it`() throws {
        let phone = try #require(BluetoothAddress("5A:01:02:03:04:05"))
        for device in ["apple:1005:9-12", "irk:0011", "5a0102030405", "name:anna"] {
            #expect(
                try reports(.espresense, #"{"mac":"5a0102030405","rssi":-80}"#, device: device)
                    == [ReceiverReport(.phone(phone), rssi: -80)])
        }
        let public_ = try reports(.espresense, #"{"mac":"0a0102030405","rssi":-80}"#, device: "apple:1005:9")
        #expect(public_.map(\.sender) == [.other("apple:1005:9".utf8.fnv1a)])
    }

    @Test func `An identifier of the user's is an alias`() throws {
        #expect(
            try reports(.espresense, #"{"mac":"aabbccddeeff","rssi":-60}"#, device: "keys")
                == [ReceiverReport(.other("keys".utf8.fnv1a), rssi: -60)])
        #expect(ReceiverPayload.alias(Array(#"{"id":"keys","name":"Keys"}"#.utf8)) == "keys")
        #expect(ReceiverPayload.alias(Array(#"{"name":"Keys"}"#.utf8)) == nil)
        #expect(ReceiverPayload.alias(Array(#"{"id":""}"#.utf8)) == nil)
    }

    @Test func `The payload of an unwanted beacon is not read`() throws {
        let list = try ReceiverPayload.reports(
            .espresense, device: "iBeacon:\(Self.uuid)-100-7", Array("no JSON".utf8), isWanted: { _ in false })
        #expect(list.map(\.rssi) == [nil])
    }

    // MARK: Shelly

    private static let frame = IBeaconFrame(identity: beacon, measuredPower: -59)

    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = Array(bytes[start..<min(start + 3, bytes.count)])
            let number = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 { text += place <= part.count ? String(letters[number >> (18 - 6 * place) & 63]) : "=" }
        }
        return text
    }

    @Test(arguments: [1, 2])
    func `The events of a Shelly contain raw advertisements, in both versions`(version: Int) throws {
        let entry = "\"aa:bb:cc:dd:ee:ff\",-46,\"\(Self.base64(Self.frame.advertisingData))\",\"\""
        let data = version == 1 ? "[1,\(entry)]" : "[2,[[\(entry)]]]"
        let payload = """
            {"src":"shellyplus1-aa","dst":"x/events","method":"NotifyEvent","params":{"ts":1.5,"events":[\
            {"component":"script:1","id":1,"event":"other","ts":1},\
            {"component":"script:1","id":1,"event":"ble.scan_result","data":\(data),"ts":1.5}]}}
            """
        #expect(
            try reports(.shelly, payload) == [ReceiverReport(.beacon(Self.beacon, measuredPower: -59), rssi: -46)])
    }

    @Test func `The batch of the script has ages, and phones by their addresses`() throws {
        let data = Self.base64(Self.frame.advertisingData)
        let payload = """
            {"v":1,"n":7,"adverts":[["aa:bb:cc:dd:ee:ff",-46,"\(data)","",250],["5a:01:02:03:04:05",-90,"AgEG"],["bad"]]}
            """
        let phone = try #require(BluetoothAddress("5A:01:02:03:04:05"))
        #expect(
            try reports(.shelly, payload) == [
                ReceiverReport(.beacon(Self.beacon, measuredPower: -59), rssi: -46, age: 0.25),
                ReceiverReport(.phone(phone), rssi: -90),
            ])
        #expect(try reports(.shelly, #"{"v":1,"n":8,"adverts":[]}"#).isEmpty)
        #expect(try reports(.shelly, #"{"method":"NotifyStatus","params":{"ts":1,"sys":{}}}"#).isEmpty)
    }

    // MARK: OpenMQTTGateway and Theengs

    @Test(arguments: [ReceiverMake.openmqttgateway, .theengs])
    func `A gateway's beacon is decoded by it, or from the manufacturer's data`(make: ReceiverMake) throws {
        let decoded = """
            {"id":"AA:BB:CC:DD:EE:FF","rssi":-77,"brand":"GENERIC","model":"iBeacon","model_id":"IBEACON","type":"BCON","mfid":"4c00",\
            "uuid":"\(Self.uuid.filter { $0 != "-" })","major":100,"minor":7,"txpower":-59}
            """
        let expected = [ReceiverReport(.beacon(Self.beacon, measuredPower: -59), rssi: -77)]
        #expect(try reports(make, decoded) == expected)
        let raw = """
            {"id":"AA:BB:CC:DD:EE:FF","mac_type":1,"adv_type":3,"rssi":-77,\
            "manufacturerdata":"\(Self.frame.manufacturerSpecificData.hexadecimal.lowercased())"}
            """
        #expect(try reports(make, raw) == expected)
        // With `presuseuuid` the identifier is the UUID.
        #expect(
            try reports(make, decoded.replacing("\"id\":\"AA:BB:CC:DD:EE:FF\"", with: "\"id\":\"\(Self.uuid)\""))
                == expected)
    }

    @Test func `A public address that looks private is not a phone`() throws {
        let phone = try #require(BluetoothAddress("5A:01:02:03:04:05"))
        #expect(try reports(.theengs, #"{"id":"5A:01:02:03:04:05","rssi":-60}"#).map(\.sender) == [.phone(phone)])
        #expect(
            try reports(.openmqttgateway, #"{"id":"5A:01:02:03:04:05","mac_type":0,"rssi":-60}"#).map(\.sender)
                == [.other(phone.rawValue)])
    }

    @Test func `The figures tell how much a receiver scans`() throws {
        let slow = try #require(ReceiverPayload.telemetry(Array(#"{"interval":55555,"scanduration":10000}"#.utf8)))
        #expect(abs((slow.share ?? 0) - 0.1525) < 0.001)
        let node = try #require(ReceiverPayload.telemetry(Array(#"{"ip":"1.2.3.4","uptime":15,"adverts":0}"#.utf8)))
        #expect(node == .init(adverts: 0, uptime: 15, share: nil, host: "1.2.3.4".utf8.fnv1a))
        #expect(ReceiverPayload.telemetry(Array("online".utf8)) == nil)
        #expect(
            ReceiverPayload.telemetry(Array(#"{"scan":false,"btqsnd":7}"#.utf8)) == .init(scans: false, processed: 7))
    }

    // MARK: ESPHome

    @Test func `The recipe for ESPHome names the beacon, or sends its bytes`() throws {
        let expected = [ReceiverReport(.beacon(Self.beacon, measuredPower: -59), rssi: -61)]
        let named =
            #"{"address":"AA:BB:CC:DD:EE:FF","rssi":-61,"uuid":"\#(Self.uuid)","major":100,"minor":7,"power":-59}"#
        #expect(try reports(.esphome, named) == expected)
        let data = Self.frame.manufacturerSpecificData.hexadecimal.lowercased()
        #expect(
            try reports(.esphome, #"{"address":"AA:BB:CC:DD:EE:FF","rssi":-61,"manufacturerdata":"\#(data)"}"#)
                == expected)
        let raw = #"{"address":"AA:BB:CC:DD:EE:FF","rssi":-61,"data":"\#(Self.base64(Self.frame.advertisingData))"}"#
        #expect(try reports(.esphome, raw) == expected)
    }

    // MARK: Hostile payloads

    @Test(arguments: ReceiverMake.allCases)
    func `A payload that no receiver publishes is rejected with its reason`(make: ReceiverMake) {
        let device = make == .espresense ? "keys" : nil
        func rejection(_ payload: [UInt8]) -> ReceiverRejection? {
            do throws(ReceiverRejection) {
                _ = try ReceiverPayload.reports(make, device: device, payload)
                return nil
            } catch { return error }
        }
        #expect(rejection(Array("{\"a\":".utf8)) == .malformed)
        #expect(rejection([]) == .malformed)
        #expect(rejection(Array(repeating: UInt8(ascii: "["), count: 1000)) == .malformed)
        #expect(rejection(Array(repeating: 0x20, count: 20_000)) == .tooLarge)
        #expect(rejection(Array("\"\\".utf8)) == .malformed)
        if make != .shelly { #expect(rejection(Array("{}".utf8)) == .incomplete) }
    }

    @Test func `A signal that no radio measures is not used`() throws {
        for signal in ["127", "1e300", "-1000", "0", "null", "\"x\"", "-"] {
            let list = try reports(.theengs, "{\"id\":\"AA:BB:CC:DD:EE:FF\",\"rssi\":\(signal)}")
            #expect(list.map(\.rssi) == [nil], "\(signal)")
        }
    }
}

struct FlatJSONTests {
    private func string(_ text: String) -> String? {
        let text = FlatJSON(Array(text.utf8))
        return text.root.flatMap { text.string($0) }
    }

    @Test func `Escapes are read`() {
        #expect(string(#""a\u00e9\ud83d\ude00\n\"""#) == "aé😀\n\"")
        #expect(string(#""\ud83d""#) == nil)
        #expect(string(#""\x""#) == nil)
        #expect(string("\"a\u{1}\"") == nil)
    }

    @Test func `Base64 is read with and without padding, up to a limit`() {
        #expect([UInt8](base64: Array("AgEG".utf8), longest: 3) == [2, 1, 6])
        #expect([UInt8](base64: Array("Ag==".utf8), longest: 3) == [2])
        #expect([UInt8](base64: Array("Ag".utf8), longest: 3) == [2])
        #expect([UInt8](base64: Array("A".utf8), longest: 3) == nil)
        #expect([UInt8](base64: Array("Ag=a".utf8), longest: 3) == nil)
        #expect([UInt8](base64: Array("AgEG".utf8), longest: 2) == nil)
        #expect([UInt8](base64: Array("A-EG".utf8), longest: 9) == nil)
    }

    @Test func `The members of a whole text are those of its root`() {
        let texts = [
            #"{"a":1,"b":"x}","c":{"d":[1,2]}}"#, " {} ", "{ }", "", "{", "}", "[1]", "1", #""a""#, #"{"a":1}}"#,
            #"{"a":1} {}"#,
            #"{"a":"x}"#, #"{"a":1,}"#, #"{"a" 1}"#, #"{a:1}"#, #"{"a":[1,2}"#, "{\"a\":1}\n", #"{"a":1,"a":2}"#,
        ]
        for text in texts {
            let json = FlatJSON(Array(text.utf8))
            var (whole, members) = ([Double?](), [Double?]())
            let isObject = json.members { _, value in whole.append(json.number(value)) }
            let expected = json.root.map { root in
                json.members(of: root) { _, value in
                    members.append(json.number(value))
                    return true
                }
            }
            #expect(isObject == expected ?? false, "\(text)")
            if isObject { #expect(whole == members, "\(text)") }
        }
    }

    @Test func `Something behind a value makes the text wrong`() {
        #expect(FlatJSON(Array("{} {}".utf8)).root == nil)
        #expect(FlatJSON(Array(" {\"a\":[1,2]} ".utf8)).root != nil)
        #expect(FlatJSON(Array("{\"a\":[1,2}".utf8)).root == nil)
    }
}
