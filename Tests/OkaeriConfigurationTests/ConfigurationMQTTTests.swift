import OkaeriMQTT
import Testing

@testable import OkaeriConfiguration

struct ConfigurationMQTTTests {
    private func configuration(_ mqtt: String) throws(ConfigurationError) -> Configuration {
        try Configuration(json: Array(#"{"regions": [], "mqtt": \#(mqtt)}"#.utf8), file: "beacons.json")
    }

    private func problems(_ mqtt: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try configuration(mqtt)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `only the host is required`() throws {
        let mqtt = try #require(try configuration(#"{"host": "mqtt.lan"}"#).mqtt)
        #expect(mqtt == Configuration.MQTT(broker: .init(host: "mqtt.lan", port: 1883)))
        #expect(mqtt.site == "home" && mqtt.discovery == "homeassistant")
        #expect(try Configuration(json: Array(#"{"regions": []}"#.utf8), file: "").mqtt == nil)
        #expect(problems("{}").first?.hasPrefix("mqtt.host: found nothing") == true)
    }

    @Test func `everything`() throws {
        let json = """
            {"host": "fd00::1", "port": 18883, "tls": {"ca": "/ca.pem", "certificate": "/c.pem", "key": "/k.pem"},
             "username": "okaeri", "passwordFile": "$CREDENTIALS_DIRECTORY/mqtt", "site": "Sea_house-2", "discovery": "ha"}
            """
        var expected = Configuration.MQTT(
            broker: .init(
                host: "fd00::1", port: 18_883,
                tls: .init(authorities: "/ca.pem", certificate: "/c.pem", key: "/k.pem"),
                login: .init(username: "okaeri", passwordFile: "$CREDENTIALS_DIRECTORY/mqtt")))
        (expected.site, expected.discovery) = ("Sea_house-2", "ha")
        #expect(try configuration(json).mqtt == expected)
        let silent = try configuration(#"{"host": "a", "discovery": false, "tls": true}"#).mqtt
        #expect(silent?.discovery == nil && silent?.broker.port == 8883 && silent?.broker.tls == .init())
        #expect(try configuration(#"{"host": "a", "tls": false}"#).mqtt?.broker.port == 1883)
    }

    @Test(arguments: [
        (#"{"host": "mqtt://lan"}"#, "mqtt.host: found \"mqtt://lan\""),
        (#"{"host": ""}"#, "mqtt.host: found \"\""),
        (
            #"{"host": "localhost:1884", "port": 1884}"#,
            #"mqtt.host: found "localhost:1884", expected the host alone, "localhost", and its port as "port": 1884"#
        ),
        (
            #"{"host": "[fe80::1%eth0]:1883"}"#,
            #"mqtt.host: found "[fe80::1%eth0]:1883", expected the host alone, "fe80::1%eth0", and its port as "port": 1883"#
        ),
        (
            #"{"host": "fe80::1%eth0:1884"}"#,
            #"mqtt.host: found "fe80::1%eth0:1884", expected the host alone, "fe80::1%eth0", and its port as "port": 1884"#
        ),
        (#"{"host": "[::1"}"#, "mqtt.host: found \"[::1\", expected the broker's name or address"),
        (#"{"host": "a", "port": 0}"#, "mqtt.port: found 0, expected a whole number from 1 to 65535"),
        (#"{"host": "a", "tsl": true}"#, "mqtt.tsl: found an unknown key"),
        (#"{"host": "a", "tls": "yes"}"#, "mqtt.tls: found \"yes\", expected true, false or an object"),
        (#"{"host": "a", "tls": {"ca": "ca.pem"}}"#, "mqtt.tls.ca: found \"ca.pem\", expected an absolute path"),
        (#"{"host": "a", "tls": {"cert": "/c"}}"#, "mqtt.tls.cert: found an unknown key"),
        (
            #"{"host": "a", "tls": {"key": "/k"}}"#,
            "mqtt.tls.certificate: found nothing, expected the file that belongs"
        ),
        (#"{"host": "a", "radios": "hall"}"#, "mqtt.radios: found \"hall\", expected a list of at most"),
        (#"{"host": "a", "radios": ["a/b"]}"#, "mqtt.radios: found an array of 1"),
        (
            #"{"host": "mqtt://hub"}"#,
            #"mqtt.host: found "mqtt://hub", expected the host alone, "hub", without "mqtt://""#
        ),
        (
            #"{"host": "mqtts://anna:x@hub.lan:8883/"}"#,
            #"mqtt.host: found "mqtts://anna:x@hub.lan:8883/", expected the host alone, "hub.lan", without "mqtts://", and its port as "port": 8883, and "tls": true"#
        ),
        (
            #"{"host": "http://[::1]:1883"}"#,
            #"mqtt.host: found "http://[::1]:1883", expected the host alone, "::1", without "http://", and"#
        ),
        (#"{"host": "[hub]"}"#, #"mqtt.host: found "[hub]", expected the name without brackets, "hub": only an IPv6"#),
        (
            #"{"host": "hub:1884"}"#,
            #"mqtt.host: found "hub:1884", expected the host alone, "hub", and its port as "port": 1884"#
        ),
        (#"{"host": "anna@hub"}"#, #"mqtt.host: found "anna@hub", expected the host alone, "hub""#),
        (#"{"host": "mqtt://"}"#, #"mqtt.host: found "mqtt://", expected the broker's name or address"#),
        (#"{"host": "a", "site": "--yes"}"#, "mqtt.site: found \"--yes\""),
        (#"{"host": "a", "site": "うち"}"#, "mqtt.site: found \"うち\""),
        (#"{"host": "a", "site": ""}"#, "mqtt.site: found \"\""),
        (#"{"host": "a", "discovery": true}"#, "mqtt.discovery: found true"),
        (#"{"host": "a", "discovery": "a/#"}"#, "mqtt.discovery: found \"a/#\""),
        (#"{"host": "a", "tls": true, "passwordFile": "/p"}"#, "mqtt.username: found nothing, expected a name beside"),
        (#"{"host": "a", "tls": true, "username": "a", "passwordFile": "p"}"#, "mqtt.passwordFile: found \"p\""),
        ("[]", #"mqtt: found an array of 0, expected an object, such as {"host": "mqtt.lan"}"#),
        (
            #""mqtt.lan:1884""#,
            #"mqtt: found "mqtt.lan:1884", expected an object, such as {"host": "mqtt.lan", "port": 1884}"#
        ),
        (#""[::1]:1""#, #"mqtt: found "[::1]:1", expected an object, such as {"host": "::1", "port": 1}"#),
        (#""hub""#, #"mqtt: found "hub", expected an object, such as {"host": "hub"}"#),
        (#""mqtt://hub:1""#, #"mqtt: found "mqtt://hub:1", expected an object, such as {"host": "mqtt.lan"}"#),
    ])
    func `mistakes`(json: String, start: String) {
        #expect(problems(json).first?.hasPrefix(start) == true, "\(problems(json))")
    }

    @Test func `the radios that count are all, those of a list, or none`() throws {
        #expect(try configuration(#"{"host": "a"}"#).mqtt?.radios == nil)
        #expect(try configuration(#"{"host": "a", "radios": []}"#).mqtt?.radios == [])
        #expect(try configuration(#"{"host": "a", "radios": ["hall", "attic"]}"#).mqtt?.radios == ["attic", "hall"])
    }

    @Test func `a password in the clear must be meant`() {
        let login = #""username": "okaeri", "passwordFile": "/etc/okaeri/mqtt""#
        #expect(
            problems(#"{"host": "192.168.1.2", \#(login)}"#).first?.hasPrefix("mqtt.tls: found nothing, expected true")
                == true)
        #expect(problems(#"{"host": "127.0.0.1.example", \#(login)}"#).count == 1)
        for host in ["localhost", "127.0.0.1", "::1", "[::1]"] {
            #expect(problems(#"{"host": "\#(host)", \#(login)}"#).isEmpty)
        }
        #expect(problems(#"{"host": "192.168.1.2", "tls": false, \#(login)}"#).isEmpty)
        #expect(problems(#"{"host": "192.168.1.2", "tls": true, \#(login)}"#).isEmpty)
    }

    @Test func `an address in brackets is read without them`() throws {
        #expect(try configuration(#"{"host": "[::1]"}"#).mqtt?.broker.host == "::1")
        #expect(try configuration(#"{"host": "[fe80::1%eth0]"}"#).mqtt?.address == "mqtt://[fe80::1%eth0]:1883")
    }

    @Test func `hooks of the house need a house`() throws {
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let region = #"{"identifier": "keys", "uuid": "\#(uuid)", "scope": "house", "onExit": ["/x"]}"#
        let regions = #""regions": [\#(region)]"#
        let alone = try Configuration(json: Array("{\(regions)}".utf8), file: "beacons.json")
        #expect(alone.regions.map(\.scope) == [.house])
        #expect(
            alone.notices == [
                #"regions[0].onExit is never run: its scope is the house, which needs "mqtt"; see /usr/share/doc/okaeri/several-pis.md (region "keys")"#
            ])
        let json = #"{"mqtt": {"host": "localhost"}, \#(regions)}"#
        #expect(try Configuration(json: Array(json.utf8), file: "beacons.json").notices == [])
        let wrong = json.replacing("\"house\"", with: "\"site\"")
        #expect(throws: ConfigurationError.self) { try Configuration(json: Array(wrong.utf8), file: "beacons.json") }
    }
}
