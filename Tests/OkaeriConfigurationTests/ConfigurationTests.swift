import FoundationEssentials
import Glibc
import HCI
import IBeacon
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents

@Suite struct ConfigurationTests {
    private func problems(_ json: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration(json: Array(json.utf8), file: "beacons.json")
            return []
        } catch {
            #expect(error.description.hasPrefix("beacons.json: "))
            return error.problems.map(\.description)
        }
    }

    private func message(_ json: String) -> String { problems(json).joined(separator: "\n") }

    private func region(_ members: String) -> String {
        #"{"regions": [{"identifier": "home", "uuid": "\#(uuidText)", \#(members)}]}"#
    }

    @Test func `only identifier and uuid are required`() throws {
        let json = #"{"regions": [{"identifier": "home", "uuid": "\#(uuidText)"}]}"#
        let configuration = try Configuration(json: Array(json.utf8), file: "beacons.json")
        let region = try #require(configuration.regions.first)
        #expect(region.monitored.constraint == .uuid(home.uuid))
        #expect(region.monitored.exitAfter == nil, "it is learned")
        #expect(region.monitored.measuredPower == nil, "it is what the beacon claims")
        #expect(region.monitored.pathLossExponent == nil)
        #expect(region.monitored.notifyOnEntry && region.monitored.notifyOnExit)
        #expect(region.monitored.ranging == .off)
        #expect(region.network == nil)
        #expect(configuration.adapter == nil)
        #expect(configuration.scan == .automatic(lateShare: 0.2))
    }

    @Test func `a sensitivity is for all regions, and one's own comes first`() throws {
        let json = """
            { "sensitivity": "patient", "regions": [
                { "identifier": "a", "uuid": "\(uuidText)" },
                { "identifier": "b", "uuid": "\(uuidText)", "sensitivity": "quick" } ] }
            """
        let configuration = try Configuration(json: Array(json.utf8), file: "beacons.json")
        #expect(configuration.regions.map(\.monitored.sensitivity) == [.patient, .quick])
        #expect(
            problems(region(#""sensitivity": "Quick""#)) == [
                #"regions[0].sensitivity: found "Quick", expected "quick" or "balanced" or "patient""#
            ])
    }

    @Test(
        arguments: [
            (
                #""wifi": "HomeNet""#,
                #"regions[0].wifi: found "HomeNet", expected an object, such as {"ssid": "HomeNet"}"#
            ),
            (
                #""wifi": {"ssid": "a", "ssidHex": "61"}"#,
                "regions[0].wifi.ssidHex: found ssidHex beside ssid, expected one of them"
            ),
            (
                #""wifi": {"ssidHex": "43616"}"#,
                #"regions[0].wifi.ssidHex: found "43616", expected the bytes of the network's name"#
            ),
            (
                #""wifi": {"ssidHex": ""}"#,
                #"regions[0].wifi.ssidHex: found "", expected the bytes of the network's name"#
            ),
            (
                #""wifi": {"ssidHex": "436166E9", "guests": true}"#,
                "regions[0].wifi.guests: found true, expected false, because a QR code has names in UTF-8 alone"
            ),
        ])
    func `a mistake in a network has an example or the reason`(members: String, start: String) {
        #expect(message(region(members)).hasPrefix(start), "\(message(region(members)))")
    }

    @Test(
        arguments: [
            (#""mqtt": "mqtt.lan""#, #"mqtt: found "mqtt.lan", expected an object, such as {"host": "mqtt.lan"}"#),
            (#""node": "kitchen""#, #"node: found "kitchen", expected an object, such as {"name": "kitchen"}"#),
            (#""history": 30"#, #"history: found 30, expected an object, such as {"keep": 30}"#),
            (#""history": "long""#, #"history: found "long", expected an object, such as {"keep": 90}"#),
            (#""node": true"#, #"node: found true, expected an object, such as {"name": "kitchen"}"#),
            (#""web": true"#, #"web: found true, expected an object, such as {"listen": "127.0.0.1:8080"}"#),
            (#""web": ":8080""#, #"web: found ":8080", expected an object, such as {"listen": "127.0.0.1:8080"}"#),
        ])
    func `a value in the place of its object has an example of the right form`(member: String, expected: String) {
        #expect(problems(#"{"regions": [], \#(member)}"#) == [expected])
    }

    @Test(
        arguments: [
            (#"":8080""#, "127.0.0.1:8080", "0.0.0.0:8080"), ("9000", "127.0.0.1:9000", "0.0.0.0:9000"),
            (#""localhost:81""#, "127.0.0.1:81", "0.0.0.0:81"),
            (#""192.168.1.7""#, "127.0.0.1:8080", "192.168.1.7:8080"),
            (#""0.0.0.0""#, "127.0.0.1:8080", "0.0.0.0:8080"), (#""::1:8081""#, "[::1]:8081", "0.0.0.0:8081"),
            (#""::1""#, "[::1]:8080", "0.0.0.0:8080"), (#""on""#, "127.0.0.1:8080", "0.0.0.0:8080"),
        ])
    func `a wrong address of the page is answered with the right spelling`(value: String, own: String, all: String) {
        let expected =
            "web.listen: found \(value), expected an address of this machine and a port, such as \"\(own)\" for this machine "
            + "alone, or \"\(all)\" for the network"
        #expect(problems(#"{"regions": [], "web": {"listen": \#(value)}}"#) == [expected])
    }

    @Test func `a wrong address of the metrics is answered with their usual port`() {
        #expect(
            message(#"{"regions": [], "metrics": {"listen": "on"}}"#).contains("such as \"127.0.0.1:9464\" for this"))
    }

    @Test func `a mistake in a region is reported with the name of the region and the line`() {
        let json = """
            { "regions": [
              { "identifier": "home", "uuid": "\(uuidText)" },
              { "identifier": "keys",
                "uuid": "E2C5",
                "minor": 1 },
              { "uuid": "\(uuidText)" } ],
              "mqtt": {} }
            """
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(json: Array(json.utf8), file: "beacons.json")
        }
        let lines = error?.description.split(separator: "\n") ?? []
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("beacons.json: regions[1].uuid: found \"E2C5\"") == true)
        #expect(lines.first?.hasSuffix("(region \"keys\", line 4)") == true, "\(lines)")
        #expect(lines.dropFirst().first?.hasPrefix("beacons.json: regions[2].identifier: found nothing") == true)
        #expect(
            lines.dropFirst().first?.hasSuffix("(line 6)") == true && lines.last?.contains("(") == false, "\(lines)")
    }

    @Test func `a name of a network that is not UTF-8 is given in bytes`() throws {
        let json = region(#""wifi": {"ssidHex": "436166e9"}"#)
        let network = try Configuration(json: Array(json.utf8), file: "").regions[0].network
        #expect(network?.name.bytes == [0x43, 0x61, 0x66, 0xE9] && network?.ssid == #"Caf\xE9"#)
        let literal = try Configuration(json: Array(region(#""wifi": {"ssid": "Caf\\xE9"}"#).utf8), file: "").regions[0]
            .network
        #expect(literal?.name.bytes == Array(#"Caf\xE9"#.utf8) && literal?.name != network?.name)
    }

    @Test func `every key is understood`() throws {
        let json = """
            { "adapter": "hci1", "scan": { "interval": 200, "window": 20 }, "state": { "validFor": 60 },
              "regions": [
                { "identifier": "home", "uuid": "\(uuidText)", "major": 100, "minor": 7,
                  "enterRSSI": -85, "exitRSSI": -92, "exitAfter": 12.5, "measuredPower": -65, "pathLossExponent": 3.25,
                  "notifyOnEntry": false, "notifyOnExit": false, "ranging": true,
                  "wifi": { "ssid": "Zuhause é", "join": "auto", "passphraseFile": "/etc/okaeri/HomeNet.psk",
                            "security": "wpa3" },
                  "onEnter": ["/usr/local/bin/welcome", "x"], "onExit": ["/usr/local/bin/goodbye"],
                  "onPrompt": ["notify-send", "Wi-Fi"] } ] }
            """
        let configuration = try Configuration(json: Array(json.utf8), file: "beacons.json")
        let region = try #require(configuration.regions.first)
        #expect(configuration.adapter == "hci1")
        #expect(try configuration.scan == scan(200, 20))
        #expect(configuration.state.validFor == 60)
        #expect(region.monitored.constraint == .minor(home.uuid, 100, 7))
        #expect((region.monitored.enterRSSI, region.monitored.exitRSSI) == (-85, -92))
        #expect(region.monitored.exitAfter == .seconds(12.5))
        #expect((region.monitored.measuredPower, region.monitored.pathLossExponent) == (-65, 3.25))
        #expect(!region.monitored.notifyOnEntry && !region.monitored.notifyOnExit)
        #expect(region.monitored.ranging == .whileInside)
        #expect(region.network?.ssid == "Zuhause é")
        #expect(region.network?.join == .auto)
        #expect(region.network?.passphraseFile == "/etc/okaeri/HomeNet.psk")
        #expect(region.network?.security == .wpa3)
        #expect(region.onEnter == ["/usr/local/bin/welcome", "x"])
        #expect(region.onPrompt == ["notify-send", "Wi-Fi"])
        #expect(
            configuration.notices == [
                "regions[0].onEnter is never run: notifyOnEntry is false (region \"home\")",
                "regions[0].onExit is never run: notifyOnExit is false (region \"home\")",
                "regions[0].onPrompt is never run: the region has no wifi with \"join\": \"prompt\" or \"once\" (region \"home\")",
            ])
    }

    @Test func `A region uses the advertised battery level unless it is off`() throws {
        func battery(_ member: String) throws -> MonitoredRegion.Battery {
            try Configuration(json: Array(region(member).utf8), file: "beacons.json").regions[0].monitored.battery
        }
        #expect(try battery(#""ranging": true"#) == .advertised)
        #expect(try battery(#""battery": "advertised""#) == .advertised)
        #expect(try battery(#""battery": "off""#) == .off)
        #expect(try battery(#""battery": "gatt""#) == .gatt)
        #expect(
            problems(region(#""battery": true"#)) == [
                #"regions[0].battery: found true, expected "advertised" or "gatt" or "off""#
            ])
    }

    @Test func `an unknown key is named with its place and the nearest known key`() {
        #expect(
            problems(region(#""majr": 1"#)) == [
                "regions[0].majr: found an unknown key, expected one of identifier, phone, uuid, major, minor, mask, "
                    + "enterRSSI, exitRSSI, exitAfter, sensitivity, measuredPower, pathLossExponent, anyOf, notifyOnEntry, notifyOnExit, "
                    + "ranging, battery, wifi, onEnter, onExit, onPrompt, scope; did you mean \"major\"?"
            ])
        #expect(problems(region(#""pathLosExponent": 2"#)).first?.hasSuffix("mean \"pathLossExponent\"?") == true)
        #expect(problems(region(#""measurdPower": -60"#)).first?.hasSuffix("mean \"measuredPower\"?") == true)
        #expect(problems(#"{"region": [], "regions": []}"#).first?.hasSuffix("did you mean \"regions\"?") == true)
        #expect(problems(#"{"zzzzzz": 1, "regions": []}"#).first?.contains("mean") == false, "nothing is near")
        #expect(problems(#"{"": 1, "regions": []}"#).first?.hasPrefix(#""": found an unknown key"#) == true)
    }

    @Test(arguments: [
        (#""major": "1""#, "regions[0].major: found \"1\", expected a whole number from 0 to 65535"),
        (#""major": 65536"#, "regions[0].major: found 65536, expected a whole number from 0 to 65535"),
        (#""major": 1.5"#, "regions[0].major: found 1.5, expected a whole number from 0 to 65535"),
        (#""minor": 1"#, "regions[0].major: found nothing, expected a major beside the minor"),
        (#""exitAfter": 0"#, "regions[0].exitAfter: found 0, expected a number from 1 to 86400 seconds"),
        (#""exitAfter": "30""#, "regions[0].exitAfter: found \"30\", expected a number from 1 to 86400 seconds"),
        (#""measuredPower": 0"#, "regions[0].measuredPower: found 0, expected a whole number from -127 to -1 dBm"),
        (
            #""measuredPower": -128"#,
            "regions[0].measuredPower: found -128, expected a whole number from -127 to -1 dBm"
        ),
        (
            #""measuredPower": -59.5"#,
            "regions[0].measuredPower: found -59.5, expected a whole number from -127 to -1 dBm"
        ),
        (#""pathLossExponent": 1.4"#, "regions[0].pathLossExponent: found 1.4, expected a number from 1.5 to 6"),
        (#""pathLossExponent": "2""#, "regions[0].pathLossExponent: found \"2\", expected a number from 1.5 to 6"),
        (#""ranging": 1"#, "regions[0].ranging: found 1, expected true or false"),
        (#""enterRSSI": 40"#, "regions[0].enterRSSI: found 40, expected a whole number from -127 to 20 dBm"),
        (#""enterRSSI": -90, "exitRSSI": -80"#, "regions[0].exitRSSI: found -80, expected at most enterRSSI, -90 dBm"),
        (#""wifi": {}"#, "regions[0].wifi.ssid: found nothing, expected the network's name, 1 to 32 bytes"),
        (
            #""wifi": {"ssid": "a", "join": "ask"}"#,
            "regions[0].wifi.join: found \"ask\", expected \"prompt\" or \"auto\" or \"once\" or \"off\""
        ),
        (
            #""wifi": {"ssid": "a", "join": "once"}"#,
            "regions[0].wifi.join: found \"once\" without \"passphraseFile\", expected \"passphraseFile\" beside \"once\""
        ),
        (
            #""wifi": {"ssid": "a", "join": "once", "passphraseFile": "/a", "onDeparture": "radio-off"}"#,
            "regions[0].wifi.onDeparture: found \"radio-off\", expected \"leave\""
        ),
        (
            #""wifi": {"ssid": "a", "join": "once", "passphraseFile": "/a", "onArrival": "hotspot"}"#,
            "regions[0].wifi.onArrival: found \"hotspot\", expected \"join\""
        ),
        (
            #""wifi": {"ssid": "a", "passphraseFile": "psk"}"#,
            "regions[0].wifi.passphraseFile: found a string, expected an absolute path, or $CREDENTIALS_DIRECTORY/NAME"
        ),
        (
            #""onEnter": "welcome""#,
            "regions[0].onEnter: found a string, expected a command and its arguments, such as "
                + "[\"/usr/local/bin/welcome\"]"
        ),
        (
            #""onEnter": ["./welcome"]"#,
            "regions[0].onEnter: found a relative path, expected an absolute path, or a name that is in $PATH"
        ),
        (
            #""onEnter": ["/x", "a\u0000b"]"#,
            "regions[0].onEnter: found an array of 2, expected a command and its arguments, such as "
                + "[\"/usr/local/bin/welcome\"]"
        ),
        (
            #""onEnter": [""]"#,
            "regions[0].onEnter: found an array of 1, expected a command and its arguments, such as "
                + "[\"/usr/local/bin/welcome\"]"
        ),
    ])
    func `a mistake is reported with place, found and expected`(members: String, problem: String) {
        #expect(problems(region(members)) == [problem])
    }

    @Test(arguments: [("HomeNet.psk", 0), ("", 1), ("../HomeNet.psk", 1)])
    func `a passphrase may be a credential of systemd's`(name: String, count: Int) {
        let network = "{\"ssid\": \"a\", \"passphraseFile\": \"$CREDENTIALS_DIRECTORY/\(name)\"}"
        #expect(problems(region("\"wifi\": \(network)")).count == count)
    }

    @Test func `an SSID of 32 bytes is accepted, one of 33 is not`() {
        for (length, count) in [(32, 0), (33, 1)] {
            let ssid = String(repeating: "x", count: length)
            #expect(problems(region(#""wifi": {"ssid": "\#(ssid)"}"#)).count == count)
        }
    }

    @Test func `all mistakes are reported at once`() {
        let json = #"{"adapter": "usb", "regions": [{"identifier": "", "uuid": "E2C5"}, {"uuid": 5}, 7]}"#
        #expect(
            problems(json).map { $0.prefix { $0 != ":" } } == [
                "adapter", "regions[0].identifier", "regions[0].uuid", "regions[1].identifier", "regions[1].uuid",
                "regions[2]",
            ])
    }

    @Test(arguments: [
        (#"a\u001b[31mb"#, #""a\u{1B}[31mb""#), (#"a\nb"#, #""a\u{A}b""#), (#"\u202eb"#, #""\u{202E}b""#),
        (#"\u2028"#, #""\u{2028}""#),
    ])
    func `an identifier with control characters is refused and shown escaped`(text: String, found: String) {
        let json = #"{"regions": [{"identifier": "\#(text)", "uuid": "\#(uuidText)"}]}"#
        #expect(
            message(json).hasPrefix(
                "regions[0].identifier: found \(found), expected \(Configuration.Region.expectedIdentifier), such as \"home\""
            ),
            "\(message(json))")
    }

    @Test func `an unknown key with control characters is shown escaped`() {
        #expect(message(#"{"regions": [], "a\u001bc": 1}"#).hasPrefix(#"a\u{1B}c: found an unknown key"#))
    }

    @Test func `an identifier may stand once`() {
        let twice = #"{"identifier": "home", "uuid": "\#(uuidText)"}"#
        #expect(
            problems(#"{"regions": [\#(twice), \#(twice)]}"#) == [
                "regions[1].identifier: found \"home\", which regions[0] has too, expected a name of its own"
            ])
    }

    private func scan(_ interval: Double, _ window: Double) throws -> ScanSetting {
        .fixed(try ScanTiming(interval: ScanTime(milliseconds: interval), window: ScanTime(milliseconds: window)))
    }

    @Test func `the scan is chosen by two words, by times, or by the share for late beacons`() throws {
        func setting(_ scan: String) throws -> ScanSetting {
            let json = #"{"scan": \#(scan), "regions": []}"#
            return try Configuration(json: Array(json.utf8), file: "beacons.json").scan
        }
        #expect(try setting(#""continuous""#) == .continuous)
        #expect(try setting(#""shared""#) == .shared)
        #expect(try setting("{}") == .automatic())
        #expect(try setting(#"{"lateShare": 0}"#) == .automatic(lateShare: 0))
        #expect(try setting(#"{"lateShare": 0.5}"#) == .automatic(lateShare: 0.5))
        #expect(try setting(#"{"interval": 100, "window": 100}"#) == scan(100, 100), "it is obeyed")
        #expect(try setting(#"{"interval": 200}"#) == scan(200, 100), "the window follows")
        #expect(try setting(#"{"window": 500}"#) == scan(1000, 500), "the interval follows")
        #expect(try setting(#"{"window": 10240}"#) == scan(10_240, 10_240), "there is no longer interval")
    }

    @Test func `a scan that the controller cannot do is an error`() {
        let errors = [
            #""always""#, "true", #"{"interval": 2}"#, #"{"interval": 50, "window": 60}"#, #"{"lateShare": 1.5}"#,
            #"{"interval": 100, "lateShare": 0.1}"#, #"{"late": 0.1}"#,
        ]
        for scan in errors {
            #expect(problems(#"{"scan": \#(scan), "regions": []}"#).count == 1, "\(scan)")
        }
    }

    @Test func `a text that is not JSON is reported with line and column`() {
        #expect(
            problems("{\n  \"regions\": [,]\n}") == ["line 2, column 15: found ',', expected a value"])
        #expect(problems("") == ["line 1, column 1: found the end of the file, expected a value"])
    }

    @Test func `a file that cannot be read is reported with the reason`() throws {
        let folder = try TemporaryFolder()
        for path in ["\(folder.path)/none.json", folder.path] {
            #expect(throws: ConfigurationError.self) { _ = try Configuration(file: path) }
        }
    }

    @Test(arguments: [
        (#""onEnter": "curl --token=abc""#, "regions[0].onEnter: found a string, expected a command"),
        (#""onExit": ["bin/abc"]"#, "regions[0].onExit: found a relative path, expected an absolute path"),
        (
            #""wifi": {"ssid": "HomeNet", "passphraseFile": "abc"}"#,
            "regions[0].wifi.passphraseFile: found a string, expected "
        ),
    ])
    func `a message about a command or a passphrase file does not show it`(member: String, start: String) {
        let list = problems(
            #"{"regions": [{"identifier": "h", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", \#(member)}]}"#)
        #expect(list.count == 1 && list[0].hasPrefix(start) && !list[0].contains("abc"), "\(list)")
    }

    @Test func `root does not search the current directory`() {
        #expect(Configuration.searchPath(isRoot: true) == ["/etc/okaeri/beacons.json"])
        #expect(Configuration.searchPath(isRoot: false) == ["./beacons.json", "/etc/okaeri/beacons.json"])
        #expect(Configuration.fileToWrite(named: "here.json", isRoot: true) == "here.json")
        for isRoot in [true, false] {
            let file = Configuration.fileToWrite(named: nil, isRoot: isRoot, isService: true)
            #expect(file == "/etc/okaeri/beacons.json")
        }
        #expect(Configuration.fileToWrite(named: "here.json", isRoot: false, isService: true) == "here.json")
    }

    @Test(.enabled(if: geteuid() == 0, "only root checks that"))
    func `root reads no configuration that another user can write`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("beacons.json", Array(Configuration.example.utf8))
        func refusal() -> String? {
            do throws(ConfigurationError) {
                _ = try Configuration(file: path)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(refusal() == nil)
        chmod(path, 0o664)
        #expect(refusal()?.contains("chmod go-w \(path)") == true)
        chmod(path, 0o644)
        chown(path, 1234, 1234)
        #expect(refusal()?.contains("chown root \(path)") == true)
        chown(path, 0, 0)
        chmod(folder.path, 0o777)
        #expect(refusal()?.contains("chmod go-w \(folder.path)") == true)
        chmod(folder.path, 0o1777)
        #expect(refusal() == nil, "the sticky bit protects a file of root")
        chown(folder.path, 1234, 1234)
        #expect(refusal()?.contains("chown root \(folder.path)") == true)
    }

    @Test func `the example is the file at the top, and works`() throws {
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = try Data(contentsOf: top.appending(path: "beacons.json"))
        #expect(String(decoding: file, as: UTF8.self) == Configuration.example)
        #expect(problems(Configuration.example).isEmpty)
    }

    @Test func `no mutilation of a configuration traps`() {
        let example = Array(Configuration.example.utf8)
        for length in 0..<example.count - 1 {
            #expect(throws: ConfigurationError.self) {
                try Configuration(json: Array(example.prefix(length)), file: "x")
            }
        }
        var generator = SeededGenerator(seed: 0x0CAE_1215)
        for _ in 0..<5000 {
            var bytes = example
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do throws(ConfigurationError) {
                // What is still a configuration is one that can be run.
                let configuration = try Configuration(json: bytes, file: "x")
                #expect(Set(configuration.regions.map(\.identifier)).count == configuration.regions.count)
                #expect(configuration.regions.allSatisfy { !$0.identifier.isEmpty && $0.monitored.exitAfter != .zero })
            } catch {
                #expect(error.description.hasPrefix("x: "), "\(error)")
            }
        }
    }
}

/// The configuration that the package installs.
@Suite struct PackagedConfigurationTests {
    @Test func `it has no region, and says what to do`() throws {
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = try Data(contentsOf: top.appending(path: "packaging/beacons.json"))
        let configuration = try Configuration(json: Array(file), file: "beacons.json")
        #expect(configuration == Configuration(regions: []))
        #expect(configuration.notices == ["it has no region, so no beacon is watched; run `sudo okaeri setup`"])
        let services = #"{"regions": [], "services": [{"service": "180F"}]}"#
        #expect(try Configuration(json: Array(services.utf8), file: "beacons.json").notices == [])
        #expect(
            try Configuration(json: Array(services.utf8), file: "beacons.json").noticesOfCapture
                == ["services is ignored: a capture has no devices to connect"])
        #expect(configuration.noticesOfCapture == [])
        let list = try Data(contentsOf: top.appending(path: "debian/okaeri.install"))
        let installed = String(decoding: list, as: UTF8.self)
        #expect(installed.contains("packaging/beacons.json etc/okaeri\nDemo/homecoming.btsnoop usr/share/okaeri\n"))
    }
}
