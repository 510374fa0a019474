import FoundationEssentials
import Glibc
import HCI
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriSetup

/// The report for a bug: it has no places, names and addresses.
@Suite struct DoctorReportTests {
    /// Whatever must not be in a report, from the configuration, the daemon, the journal and the machine.
    private static let secrets = [
        "Ludgate", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "e2c56db5", "Nebelnetz", "東京の家", "Nachbarnetz", "rosebud",
        "--token", "s3cr3t-t0ken", "mqtt.ludgate.example", "hallway", "attic-pi", "mqttuser", "bridge.psk", "mosq.pw",
        "192.168.7.23", "fe80::1234", "AA:BB:CC:DD:EE:FF", "AA_BB_CC_DD_EE_FF", "okaeri.ludgate.example", "mertens",
        "penthouse", "Heart-Strap", "grandma", "raspi-mertens", "formerregion", "hook says",
        "hooks.mertenshaus.example", "mertenshaus", "t0picname", "n0tifyquery", "10.9.8.7", "Kellerraum",
    ]

    private static let configuration = """
        {"adapter": "hci1", "sensitivity": "patient", "history": {"keep": 30},
         "node": {"name": "attic-pi", "room": "Kellerraum", "offset": -3},
         "nodes": {"hallway": {"room": "hallway room"}},
         "mqtt": {"host": "mqtt.ludgate.example", "port": 8883, "username": "mqttuser", "passwordFile": "/etc/okaeri/mosq.pw",
                  "site": "penthouse", "tls": {"ca": "/etc/okaeri/ludgate-ca.pem"}},
         "web": {"listen": "192.168.7.23:8080", "hosts": ["okaeri.ludgate.example"]},
         "metrics": {"listen": "10.9.8.7:9464"},
         "notify": [{"type": "ntfy", "url": "https://hooks.mertenshaus.example/t0picname", "events": ["enter"]},
                    {"type": "webhook", "url": "https://hooks.mertenshaus.example/x?n0tifyquery", "regions": ["Ludgate"]}],
         "regions": [
          {"identifier": "Ludgate", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 4711, "minor": 815,
           "exitAfter": 42, "onEnter": ["/usr/local/bin/rosebud", "--token=s3cr3t-t0ken", "grandma"],
           "wifi": {"ssid": "Nebelnetz", "join": "auto", "passphraseFile": "/etc/okaeri/bridge.psk"}},
          {"identifier": "東京の家", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "scope": "house"}],
         "services": [{"identifier": "Heart-Strap", "service": "180D", "onConnect": ["/home/mertens/bin/rosebud"]}]}
        """

    private static let journal = [
        #"{"_COMM":"okaeri","__REALTIME_TIMESTAMP":"1795200123000000","EVENT":"didEnterRegion","STATE":"inside","REGION":"formerregion","MESSAGE":"didEnterRegion  formerregion"}"#,
        #"{"_COMM":"okaeri","__REALTIME_TIMESTAMP":"1795200123000000","MESSAGE":"“Ludgate” entered: AA:BB:CC:DD:EE:FF at /org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF, e2c56db5-dffb-48d2-b060-d0f5a71096e0"}"#,
        #"{"_COMM":"okaeri","__REALTIME_TIMESTAMP":"1795200123000000","MESSAGE":"the MQTT broker at 192.168.7.23:1883 and [fe80::1234%eth0]:80 refuses; see /home/mertens/x and okaeri/penthouse/node/attic-pi/status"}"#,
        #"{"_COMM":"okaeri","__REALTIME_TIMESTAMP":"1795200123000000","MESSAGE":"no prompt for “Nachbarnetz”: “raspi-mertens” knows \"Nebelnetz\"\u001b[31m"}"#,
        #"{"_COMM":"okaeri","__REALTIME_TIMESTAMP":"1795200123000000","HOOK":"onEnter","MESSAGE":"hook says hello"}"#,
        #"{"_COMM":"rosebud","__REALTIME_TIMESTAMP":"1795200123000000","MESSAGE":"hook says s3cr3t-t0ken"}"#,
        #"{"_PID":"1","__REALTIME_TIMESTAMP":"1795200124000000","MESSAGE":"okaeri.service: Main process exited, code=exited, status=78/CONFIG"}"#,
        #"{"_COMM":"okaeri","__REALTIME_TIMESTAMP":"1795200123000000","MESSAGE":"notify[0], webhook at http://192.168.7.23:9999/x, https://pi4711:8123"}"#,
        "no JSON at all",
    ]

    private var facts: DoctorReport.Facts {
        var facts = DoctorReport.Facts()
        facts.version = "okaeri 1.2.3"
        facts.system = ["Linux 6.12.1 aarch64"]
        facts.adapters = ["hci0: up true"]
        facts.configuration = Array(Self.configuration.utf8)
        facts.findings = [
            .ok("configuration", "/etc/okaeri/beacons.json watches \"Ludgate\", \"東京の家\""),
            .wrong(
                "network “Nebelnetz”", "the passphrase file /etc/okaeri/bridge.psk cannot be read",
                remedy: "run `chown 1000 /home/mertens/x`"),
        ]
        var status = statusReport(regionReport("Ludgate", .inside, rssi: -60))
        status.mqtt = .init(
            connected: false, reason: "nothing listens at mqtt.ludgate.example:8883", since: "2026-11-21T07:31:09.412Z")
        status.listeners = [.init(name: "web", address: "192.168.7.23:8080", problem: "192.168.7.23 is not there")]
        status.configuration = .init(
            file: "f", time: "t", problem: "regions[0].uuid: found \"Ludgate\", expected a UUID")
        status.notifications = [.init(target: "notify[0]", type: "ntfy", address: "https://hooks.mertenshaus.example")]
        status.notifications?[0].problem = "the server answers 404"
        facts.status = status
        facts.findings += Doctor.findings(status, besides: [])
        facts.journal = Self.journal.compactMap { JournalLine($0) }
        return facts
    }

    @Test func `a report has no name, address or secret of the configuration, the daemon, the journal and the machine`()
    {
        let text = DoctorReport(facts).text
        for secret in Self.secrets {
            #expect(!text.lowercased().contains(secret.lowercased()), "\(secret) is in\n\(text)")
        }
        for number in ["4711", "815"] { #expect(!text.contains(number)) }
        #expect(!text.contains("\u{1B}") && !text.contains("\u{E000}"))
    }

    @Test func `the names of the page's regions are known without a daemon`() throws {
        let text =
            #"{"regions": [{"identifier": "AnnaMueller", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "#
            + #""wifi": {"ssid": "Nebelnetz"}}], "node": {"room": "attic"}}"#
        let names = DoctorReport.names(try Configuration(json: Array(text.utf8), file: "regions.json"))
        #expect(
            names == [
                KnownName("AnnaMueller", "region"), KnownName("Nebelnetz", "ssid"), KnownName("attic", "room"),
            ])
    }

    @Test func `a report has what explains a fault`() {
        let text = DoctorReport(facts).text
        for part in [
            "okaeri 1.2.3", "Linux 6.12.1 aarch64", "sensitivity: \"patient\"", "keep: 30", "exitAfter: 42",
            "join: \"auto\"",
            "adapter: hci1", "type: \"ntfy\"", "notify[0], ntfy at", "the server answers 404",
            ": not connected since", "port: 8883", "== Journal",
            "didEnterRegion", "Main process exited", "status=78/CONFIG",
            "/etc/okaeri/beacons.json", "okaeri.service", "cannot be read", "counters: 0 reports", "regions[0].uuid",
        ] {
            #expect(text.contains(part), "\(part) is not in\n\(text)")
        }
    }

    @Test func `the same name has the same placeholder everywhere`() {
        let text = DoctorReport(facts).text
        #expect(text.contains("watches \"<region-1>\", \"<region-2>\""), "\(text)")
        #expect(text.contains("“<region-1>” entered"), "\(text)")
    }

    @Test func `a value that is a word of a sentence leaves no gap, and is replaced where it is quoted`() {
        var facts = DoctorReport.Facts()
        facts.configuration = Array(
            #"{"regions": [{"identifier": "while", "onEnter": ["curl", "--password=shared"]}], "mqtt": {"host": "receives"}}"#
                .utf8)
        facts.findings = [.note("scan", "the shared antenna receives while \"while\" is left")]
        let text = DoctorReport(facts).text
        #expect(text.contains("the shared antenna receives while \"<region-1>\" is left"), "\(text)")
    }

    @Test(arguments: [
        (#"/s/regions.json: "gone" is not used: beacons.json has no region of this name"#, "gone"),
        (#"the name "Anna's "Ludgate"" is not known"#, "Anna"), (#"a “Ludgate of Anna” is there"#, "Anna"),
        (#"found "a\"Anna", expected"#, "Anna"), (#"a text without its end: "Anna"#, "Anna"),
        ("a file of \u{201C}An\u{201D}na\u{201D} is there", "na\u{201D}"),
        ("mqtt.Anna: found an unknown key, expected one of host", "Anna"),
        ("beacons.json: Anna: found an unknown key", "Anna"),
        (#""keys": major 55443 minor 1 is silent for longer than the longest exit time"#, "55443"),
        ("nothing listens at annashost:1883; start the broker", "annashost"),
        ("the file /home/Anna Bell/psk cannot be read", "Bell"),
        ("`LoadCredential=anna:/etc/okaeri/anna` in [Service]", "anna"),
        ("the passphrase file $CREDENTIALS_DIRECTORY/anna cannot be read", "anna"),
    ])
    func `a value is never kept`(sentence: String, value: String) {
        var facts = DoctorReport.Facts()
        facts.configuration = Array(
            #"{"regions": [{"identifier": "Ludgate", "wifi": {"ssid": "An”na", "passphraseFile": "/home/Anna Bell/psk"}}]}"#
                .utf8)
        facts.findings = [.note("x", sentence)]
        let text = DoctorReport(facts).text
        #expect(!text.contains(value), "\(text)")
    }

    @Test func `only the numbers of settings are shown`() {
        var facts = DoctorReport.Facts()
        let text =
            #"{"mqtt": {"port": 8883, "password": 13371337, "site": [-5550123]}, "regions": [{"minor": 99887766, "#
            + #""exitAfter": 42, "wifi": {"ssid": 12345678, "passphrase": 47110815}}]}"#
        facts.configuration = Array(text.utf8)
        facts.findings = [
            .wrong(
                "reload",
                "b.json: regions[0].wifi.ssid: found 12345678, expected a name; b.json: mqtt.port: found 70000, expected a "
                    + "whole number; b.json: mqtt.host: found -1.5e+20, expected a name", remedy: ""),
            .wrong("configuration", "b.json: line 1, column 7: found 0471108, expected a number", remedy: ""),
        ]
        let report = DoctorReport(facts).text
        for number in ["12345678", "47110815", "13371337", "5550123", "99887766", "1.5e+20", "0471108"] {
            #expect(!report.contains(number), "\(report)")
        }
        for part in [
            "ssid: <number>", "port: 8883", "exitAfter: 42", "ssid: found <number>, expected",
            "port: found 70000, expected", "column 7: found <number>, expected",
        ] {
            #expect(report.contains(part), "\(part) is not in\n\(report)")
        }
    }

    private static let unknown = "found an unknown key, expected one of host, port"

    @Test(arguments: [
        "the file cannot be used: b.json: mqtt.anna1: \(unknown); b.json: anna2: \(unknown); did you mean \"web\"?; "
            + "b.json: web.anna3: \(unknown); b.json: regions: found nothing, expected an array; b.json: anna4: \(unknown)",
        "b.json: mqtt.anna1: \(unknown)\nb.json: anna2: \(unknown)\r\nb.json: anna3: \(unknown)\n    b.json: anna4: \(unknown)",
        "okaeri.conf: anna1: \(unknown); okaeri.conf: regions: found nothing, expected an array; okaeri.conf: anna2: \(unknown)",
    ])
    func `each unknown key of a text is replaced`(sentence: String) {
        var facts = DoctorReport.Facts()
        facts.findings = [.wrong("reload", sentence, remedy: "b.json: anna5: \(Self.unknown)")]
        let line = #"{"_COMM":"okaeri","__REALTIME_TIMESTAMP":"1795200123000000","MESSAGE":"x"}"#
        if var entry = JournalLine(line) {
            entry.message = sentence
            facts.journal = [entry]
        }
        let report = DoctorReport(facts).text
        #expect(!report.contains("anna"), "\(report)")
        #expect(report.contains(": \(Self.unknown)"), "\(report)")
    }

    @Test(arguments: [
        "anna bell", "mqtt.anna.bell", "mqtt.anna bell", "anna; bell", "anna: bell", "anna\"bell\" anna", "“bell anna",
        "mqtt.anna: bell; anna.port", "bell, expected anna: port", "anna: found bell", "regions[0].wifi.bell",
    ])
    func `an unknown key is replaced as a whole`(key: String) {
        var redact = Redaction()
        for prefix in ["", "reload: beacons.json: ", "b.json: regions: found nothing, expected an array; b.json: "] {
            let text = redact("\(prefix)\(key): \(Self.unknown); did you mean \"host\"?")
            #expect(!text.contains("anna") && !text.contains("bell"), "\(text)")
            #expect(text.hasSuffix(">: \(Self.unknown); did you mean \"host\"?"), "\(text)")
            #expect(prefix.isEmpty || text.contains("json: "), "\(text)")
        }
        #expect(
            redact("b.json: regions[0].wifi.host: \(Self.unknown)") == "b.json: regions[0].wifi.host: \(Self.unknown)")
        #expect(redact("b.json: regions[0].wifi.anna: \(Self.unknown)").hasPrefix("b.json: regions[0].wifi.<text-"))
    }

    @Test(arguments: [#"x\"#, #"\"#, #"x\y\"#, "\"", #"\""#])
    func `a name with a backslash or a quotation mark does not uncover the next one`(name: String) {
        var redact = Redaction()
        redact.add(KnownName(name, "region"))
        redact.add(KnownName("kid smith", "region"))
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        for text in [
            "watches \"\(name)\", \"kid smith\" here", "watches \"\(escaped)\", \"kid smith\" here",
            "watches “\(name)”, “kid smith” here",
        ] {
            let result = redact(text).replacing("“", with: "\"").replacing("”", with: "\"")
            #expect(result == "watches \"<region-1>\", \"<region-2>\" here", "\(text)")
        }
    }

    @Test func `the names of an event stand in its line as they are`() throws {
        let line =
            #"{"_COMM":"okaeri","__REALTIME_TIMESTAMP":"1795200123000000","EVENT":"didEnterRegion","MESSAGE":"m","#
            + #""REGION":"x\\","NAME":"kid \"smith"}"#
        var facts = DoctorReport.Facts()
        facts.journal = [try #require(JournalLine(line))]
        let report = DoctorReport(facts).text
        #expect(report.contains(#"didEnterRegion "<region-1>" "<name-1>""#), "\(report)")
    }

    @Test func `no message of the daemon keeps a sample value`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../okaeriTests/Messages/Messages.txt")
        let sections = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n\n")
        let wanted = [
            "ConfigurationError", "SavedReport", "JoinFailure", "PassphraseFileError", "PromptAnswerError",
            "BrokerState", "BrokerProblem",
            "PasswordFileError", "Notices", "Doctor", "ConfigurationCheck",
        ]
        let samples = [
            "gone is", "bad is", "HomeNet", "“Home”", "broker.lan", "mqtt.lan", "okaeri-home-hall", "user okaeri",
            "DC:A6", "anna", "no-such-program", "broker.password",
        ]
        var count = 0
        for section in sections where wanted.contains(where: section.hasPrefix) {
            for line in section.split(separator: "\n").dropFirst() {
                var redact = Redaction()
                let text = redact(String(line))
                count += 1
                for sample in samples { #expect(!text.contains(sample), "\(line)\n\(text)") }
            }
        }
        #expect(count > 150)
    }

    @Test(
        arguments: [
            ("12:03:44", nil), ("1.2.3", nil), ("beacons.json", nil), ("mqtt.passwordFile", nil), ("hci0", nil),
            ("0x1F", nil), ("2026-11-21", nil), ("mosquitto.conf", nil), ("127.0.0.1", "ip"), ("127.0.0.1:9464", "ip"),
            ("::1", "ip"), ("aabbccddeeff", "mac"), ("aa-bb-cc-dd-ee-ff", "mac"),
            ("E2C56DB5DFFB48D2B060D0F5A71096E0", "uuid"),
            ("host.example.org", "host"), ("host.lan:1883", "host"), ("me@example.org", "address"), ("/root/x", "path"),
        ] as [(String, String?)])
    func `a word is replaced by its form`(word: String, kind: String?) {
        #expect(Redaction.kind(of: word) == kind)
    }

    @Test func `a report is a new file that only its owner may read`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/report.txt"
        let report = DoctorReport(facts)
        try report.write(to: path)
        var status = stat()
        let result = stat(path, &status)
        #expect(result == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(folder.text("report.txt") == report.text)
        #expect(throws: DoctorReport.WriteFailure.self) { try report.write(to: path) }
        symlink(path, "\(folder.path)/link")
        #expect(throws: DoctorReport.WriteFailure.self) { try report.write(to: "\(folder.path)/link") }
        #expect(throws: DoctorReport.WriteFailure.self) { try report.write(to: "\(folder.path)/none/report.txt") }
        #expect(try folder.names == ["link", "report.txt"])
    }
}
