import FoundationEssentials
import IBeacon
import OkaeriConfiguration
import OkaeriWiFi
import RegionMonitoring
import Testing

private let uuidText = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// The keys' beacon.
private func keys() throws -> RegionPatch {
    RegionPatch(identifier: "keys", try #require(BeaconConstraint("\(uuidText)/1/2")))
}

private func edited(_ text: String?, _ draft: RegionPatch) throws -> String {
    try ConfigurationText(text, file: "beacons.json").setting(draft)
}

/// The place and the layout of a new region.
@Suite struct NewRegionTests {
    @Test(arguments: [nil, "", " \n"])
    func `the first region makes the file`(old: String?) throws {
        var draft = try keys()
        draft["wifi"] = ["ssid": .string("HomeNet"), "join": .string("prompt"), "passphraseFile": .null]
        #expect(
            try edited(old, draft) == """
                {
                  "regions": [
                    {
                      "identifier": "keys",
                      "uuid": "\(uuidText)",
                      "major": 1,
                      "minor": 2,
                      "wifi": { "ssid": "HomeNet", "join": "prompt" }
                    }
                  ]
                }

                """)
    }

    @Test func `it comes behind the others and looks like them`() throws {
        let end = "    }\n  ]\n}\n"
        #expect(Configuration.example.hasSuffix(end))
        let new = """
                },
                {
                  "identifier": "keys",
                  "uuid": "\(uuidText)",
                  "major": 1,
                  "minor": 2
                }
              ]
            }

            """
        #expect(try edited(Configuration.example, try keys()) == Configuration.example.dropLast(end.count) + new)
    }

    @Test(arguments: [
        // A region a line.
        (
            "{ \"regions\": [\n    { \"identifier\": \"a\", \"uuid\": \"U\" },\n    { \"identifier\":\"b\", \"uuid\":\"U\" } ] }",
            "{ \"regions\": [\n    { \"identifier\": \"a\", \"uuid\": \"U\" },\n    { \"identifier\":\"b\", \"uuid\":\"U\" },"
                + "\n    { \"identifier\":\"keys\", \"uuid\":\"U\", \"major\":1, \"minor\":2 } ] }"
        ),
        // No space at all.
        (
            #"{"regions":[{"identifier":"a","uuid":"U"}]}"#,
            #"{"regions":[{"identifier":"a","uuid":"U"},{"identifier":"keys","uuid":"U","major":1,"minor":2}]}"#
        ),
        // Tabs, and the line ends of another system.
        (
            "{\r\n\t\"regions\": [\r\n\t\t{\r\n\t\t\t\"identifier\": \"a\",\r\n\t\t\t\"uuid\": \"U\"\r\n\t\t}\r\n\t]\r\n}\r\n",
            "{\r\n\t\"regions\": [\r\n\t\t{\r\n\t\t\t\"identifier\": \"a\",\r\n\t\t\t\"uuid\": \"U\"\r\n\t\t},\r\n"
                + "\t\t{\r\n\t\t\t\"identifier\": \"keys\",\r\n\t\t\t\"uuid\": \"U\",\r\n\t\t\t\"major\": 1,\r\n"
                + "\t\t\t\"minor\": 2\r\n\t\t}\r\n\t]\r\n}\r\n"
        ),
        // None yet, in tabs.
        (
            "{\r\n\t\"regions\": [ ],\r\n\t\"adapter\": \"hci0\"\r\n}",
            "{\r\n\t\"regions\": [\r\n\t\t{\r\n\t\t\t\"identifier\": \"keys\",\r\n\t\t\t\"uuid\": \"U\",\r\n"
                + "\t\t\t\"major\": 1,\r\n\t\t\t\"minor\": 2\r\n\t\t}\r\n\t],\r\n\t\"adapter\": \"hci0\"\r\n}"
        ),
        (
            #"{ "regions": [] }"#,
            #"{ "regions": [{ "identifier": "keys", "uuid": "U", "major": 1, "minor": 2 }] }"#
        ),
        // Not even the key.
        (
            "{\n  \"adapter\" : \"hci0\"\n}\n",
            "{\n  \"adapter\" : \"hci0\",\n  \"regions\" : [\n    {\n      \"identifier\" : \"keys\",\n      \"uuid\" : \"U\",\n"
                + "      \"major\" : 1,\n      \"minor\" : 2\n    }\n  ]\n}\n"
        ),
        (
            " {}\n",
            " {\n  \"regions\": [\n    {\n      \"identifier\": \"keys\",\n      \"uuid\": \"U\",\n      \"major\": 1,\n"
                + "      \"minor\": 2\n    }\n  ]\n}\n"
        ),
    ])
    func `every layout is kept`(old: String, new: String) throws {
        func full(_ text: String) -> String { text.replacing("\"U\"", with: "\"\(uuidText)\"") }
        let result = try edited(full(old), try keys())
        #expect(Array(result.utf8) == Array(full(new).utf8))
        #expect(Array(try edited(result, try keys()).utf8) == Array(result.utf8), "once is enough")
    }

    @Test func `a name may hold what JSON must escape`() throws {
        let name = "Anna's \"keys\" \\ é"
        let text = try edited(nil, RegionPatch(identifier: name, try #require(BeaconConstraint(uuidText))))
        let configuration = try Configuration(json: Array(text.utf8), file: "beacons.json")
        #expect(configuration.regions.map(\.identifier) == [name])
        #expect(configuration.regions[0].monitored.constraint?.major == nil)
        #expect(text.contains("é"))
    }
}

/// The change of a region that exists.
@Suite struct ChangedRegionTests {
    /// An unusual order, and members that only their author understands.
    private let text = """
        { "sensitivity": "patient",
          "regions": [
            { "uuid": "\(uuidText)", "wifi": {"join":"auto", "passphraseFile": "/etc/a", "ssid": "Caf\\u00e9"},
              "onEnter": [ "/bin/true" ,"x" ], "minor": 7, "major": 100, "identifier": "h\\u00f6me", "exitAfter": 1.50e1 },
            { "identifier": "b", "uuid": "\(uuidText)" } ],
          "history": { "keep":1 } }
        """

    private func check(_ change: (inout RegionPatch) throws -> Void, _ old: String, _ new: String) throws {
        var draft = RegionPatch(identifier: "höme")
        try change(&draft)
        #expect(text.contains(old))
        #expect(try edited(text, draft) == text.replacing(old, with: new))
    }

    @Test func `nothing to set changes nothing`() throws {
        try check({ _ in }, "", "")
    }

    @Test func `a value changes in its place, a new one comes where it belongs`() throws {
        try check({ $0["exitAfter"] = .number(20) }, "1.50e1", "20")
        try check(
            { $0["measuredPower"] = .number(-61) }, #""exitAfter": 1.50e1"#,
            #""exitAfter": 1.50e1, "measuredPower": -61"#)
        try check(
            {
                $0["exitAfter"] = .null
                $0["ranging"] = .bool(true)
                $0["enterRSSI"] = .number(-80)
            }, #""minor": 7, "major": 100, "identifier": "h\u00f6me", "exitAfter": 1.50e1"#,
            #""minor": 7, "major": 100, "identifier": "h\u00f6me", "enterRSSI": -80, "ranging": true"#)
    }

    @Test func `with the UUID come major and minor`() throws {
        let other = "00000000-0000-0000-0000-000000000001"
        let draft = RegionPatch(identifier: "höme", try #require(BeaconConstraint("\(other)/5")))
        let result = try edited(text, draft)
        #expect(result.contains(#""uuid": "\#(other)", "wifi""#))
        #expect(result.contains(#"[ "/bin/true" ,"x" ], "major": 5, "identifier""#))
        let configuration = try Configuration(json: Array(result.utf8), file: "beacons.json")
        #expect(configuration.regions[0].monitored.constraint == BeaconConstraint("\(other)/5"))
        #expect(configuration.regions[0].network?.passphraseFile == "/etc/a")
    }

    @Test func `a passphrase file belongs to its network`() throws {
        let old = #"{"join":"auto", "passphraseFile": "/etc/a", "ssid": "Caf\u00e9"}"#
        try check({ $0["wifi"] = ["join": .string("off")] }, #""join":"auto""#, #""join":"off""#)
        try check({ $0["wifi"] = ["ssid": .string("Café")] }, #""Caf\u00e9""#, #""Café""#)
        try check({ $0["wifi"] = ["ssid": .string("New")] }, old, #"{"join":"auto", "ssid": "New"}"#)
        try check(
            {
                $0["wifi"] = [
                    "ssid": .string("New"), "join": .string("auto"), "passphraseFile": .string("/etc/b"),
                ]
            }, old,
            #"{"join":"auto", "passphraseFile": "/etc/b", "ssid": "New"}"#)
        try check({ $0["wifi"] = .null }, #", "wifi": \#(old)"#, "")
    }

    @Test func `the security of a network goes with its name`() throws {
        let old = """
            {"regions": [{"identifier": "a", "uuid": "\(uuidText)", "wifi": {"ssid": "Old", "security": "wpa3"}}]}
            """
        var draft = RegionPatch(identifier: "a")
        draft["wifi"] = ["join": .string("auto")]
        #expect(try ConfigurationText(old, file: "f").setting(draft).contains("wpa3"))
        draft["wifi"] = ["ssid": .string("New")]
        #expect(try ConfigurationText(old, file: "f").setting(draft).contains("wpa3") == false)
    }

    @Test func `a first member goes without a trace`() throws {
        let json = #"{ "regions": [{ "minor": 1, "major": 2, "uuid": "\#(uuidText)", "identifier": "a" }] }"#
        let draft = RegionPatch(identifier: "a", try #require(BeaconConstraint(uuidText)))
        #expect(
            try edited(json, draft) == #"{ "regions": [{ "uuid": "\#(uuidText)", "identifier": "a" }] }"#)
    }
}

/// Texts that are not a configuration, or would not be one after the change.
@Suite struct RefusedTextTests {
    private func mistakes(_ text: String?, _ draft: RegionPatch) -> String {
        do throws(ConfigurationError) {
            return "taken: " + (try ConfigurationText(text, file: "beacons.json").setting(draft))
        } catch {
            return error.description
        }
    }

    @Test func `a text that is cut anywhere is refused`() throws {
        let draft = try keys()
        let bytes = Array(Configuration.example.utf8)
        for end in 1..<(bytes.count - 1) {
            let cut = String(decoding: bytes[..<end], as: UTF8.self)
            #expect(mistakes(cut, draft).hasPrefix("beacons.json: line "), "cut at \(end)")
        }
    }

    @Test(arguments: [
        ("[]", "line 1: found an array of 0"), ("{\"regions\": {}}", "regions: found an object"),
        ("{\"regions\": [1]}", "regions[0]: "), ("{\"regions\": [[]]}", "regions[0]: "),
        ("{\"regions\": [],}", "line 1, column 15"),
        ("{\"regions\": [], \"regions\": []}", "the key \"regions\" twice"),
        ("{\"regions\": [], \"web\u{0}\": 1}", "line 1, column "), ("\u{FEFF}{\"regions\": []}", "a byte order mark"),
        ("{\"regions\": [{\"identifier\": \"keys\", \"major\": 1, \"major\": 1}]}", "the key \"major\" twice"),
        ("{\"regions\": [{\"identifier\": \"keys\"}, {\"identifier\": \"keys\"}]}", "which regions[0] has too"),
        ("{\"regions\": [], \"adaptor\": \"hci0\"}", "did you mean \"adapter\"?"),
        ("{\"regions\": [], \"nodes\": {}} x", "line 1, column 30: found 'x'"),
    ])
    func `a mistake is reported with its place`(text: String, mistake: String) throws {
        let found = mistakes(text, try keys())
        #expect(found.hasPrefix("beacons.json: ") && found.contains(mistake), "\(found)")
    }

    @Test func `what cannot be set is reported with its place`() throws {
        var draft = try keys()
        draft["enterRSSI"] = .number(-80)
        draft["exitRSSI"] = .number(-70)
        draft["wifi"] = ["join": .string("prompt")]
        let found = mistakes(Configuration.example, draft)
        #expect(found.contains("regions[1].exitRSSI: found -70, expected at most enterRSSI, -80 dBm"), "\(found)")
        #expect(found.contains("regions[1].wifi.ssid: found nothing"), "\(found)")
        draft["enterRSSI"] = .number(.nan)
        #expect(mistakes(nil, draft).contains("regions[0].enterRSSI: found null"), "no number")
        let nameless = RegionPatch(identifier: "", try #require(BeaconConstraint(uuidText)))
        #expect(mistakes(nil, nameless).contains("regions[0].identifier"))
    }

    @Test func `nests deeper than any configuration`() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(mistakes("{\"regions\": \(deep)", try keys()).contains("at most 32 levels"))
    }

    @Test func `ten thousand regions cause no trouble`() throws {
        let regions = (0..<10_000).map { "    { \"identifier\": \"\($0)\", \"uuid\": \"\(uuidText)\" }" }
        let text = "{\n  \"regions\": [\n\(regions.joined(separator: ",\n"))\n  ]\n}\n"
        let result = try edited(text, try keys())
        #expect(result.utf8.count > text.utf8.count)
        #expect(
            result.hasSuffix(
                "{ \"identifier\": \"keys\", \"uuid\": \"\(uuidText)\", \"major\": 1, \"minor\": 2 }\n  ]\n}\n"))
    }
}

/// Members of `web`, `node` and `mqtt`.
@Suite struct ServiceMemberTests {
    private static let region = #"{"regions": [{"identifier": "keys", "uuid": "\#(uuidText)"}]"#

    private func set(
        _ patch: JSONNode.Value, in rest: String
    ) throws -> String {
        try ConfigurationText(Self.region + rest, file: "beacons.json").merging(patch)
    }

    @Test func `an object is added behind what is there`() throws {
        #expect(
            try set(["node": ["room": .string("kitchen")]], in: "}")
                == Self.region + #","node": { "room": "kitchen" }}"#)
        #expect(
            try set(["mqtt": ["host": .string("h"), "port": .number(1884), "username": .null]], in: "\n}")
                == Self.region + #","mqtt": { "host": "h", "port": 1884 }"# + "\n}")
    }

    @Test func `a member is changed or removed, and its neighbours stay`() throws {
        let rest = #", "web": {"listen":"127.0.0.1:80",  "open": true} }"#
        #expect(
            try set(["web": ["listen": .string("[::1]:81"), "open": .null]], in: rest)
                == Self.region + #", "web": {"listen":"[::1]:81"} }"#)
        #expect(
            try set(["node": ["room": .string("hall")]], in: #", "node": {}}"#)
                == Self.region + #", "node": { "room": "hall" }}"#)
    }

    @Test func `what would not be a configuration is not made`() {
        #expect(throws: ConfigurationError.self) { try set(["web": ["listen": .string("x")]], in: "}") }
        #expect(throws: ConfigurationError.self) { try set(["node": ["room": .string("x")]], in: "") }
        #expect(throws: ConfigurationError.self) {
            try ConfigurationText("[]", file: "b").merging(["node": ["room": .string("x")]])
        }
    }
}
