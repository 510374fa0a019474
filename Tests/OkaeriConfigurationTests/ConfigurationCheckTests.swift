import FoundationEssentials
import Glibc
import OkaeriEvents
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriConfiguration

/// The files and addresses that a configuration names.
@Suite struct ConfigurationCheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Parameter user: the user that the daemon runs as.
    private func remarks(
        _ json: String, user: UInt32 = geteuid(), mayUseAllPorts: Bool? = false
    ) throws -> [ConfigurationCheck.Remark] {
        ConfigurationCheck(
            try Configuration(json: Array(json.utf8), file: "beacons.json"),
            account: ServiceAccount(user: user, groups: [getegid()], isOwn: user == geteuid()), firstPort: 1024,
            mayUseAllPorts: mayUseAllPorts
        ).remarks
    }

    private func region(_ keys: String) -> String {
        #"{"regions": [{"identifier": "home", "uuid": "6D3D1E1A-2B1C-4E0B-9A5C-8C1D5C1C7F10", \#(keys)}]}"#
    }

    private func file(_ name: String, mode: mode_t, _ text: String = "12345678\n") throws -> String {
        let path = try folder.file(name, Array(text.utf8))
        chmod(path, mode)
        return path
    }

    @Test(arguments: [
        ("FDA50693-A4E2-4FB1-AFCF-C6EB07647825", "", "many makers of tags, and the region has each beacon with it"),
        ("fda50693a4e24fb1afcfc6eb07647825", #", "major": 10001"#, "many makers of tags, and the region has"),
        ("FDA50693-A4E2-4FB1-AFCF-C6EB07647825", #", "major": 10073, "minor": 61418"#, "major 10073 minor 61418"),
        ("74278BDA-B644-4520-8F0C-720EAF059935", #", "major": 65504, "minor": 65505"#, "HM-10 and Cypress, and major"),
        ("B9407F30-F5F8-466E-AFF9-25556B57FE6D", #", "major": 1, "minor": 1"#, "Estimote, and major 1 minor 1"),
        (
            "E2C56DB5-DFFB-48D2-B060-D0F5A71096FF",
            #", "mask": {"uuid": "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFF00"}"#, "AirLocate"
        ),
        (
            "FDA50693-A4E2-4FB1-AFCF-C6EB07647825", #", "major": 10073, "minor": 57344, "mask": {"minor": "F000"}"#,
            "many makers of tags, and major 10073 minor 61418 are those"
        ),
        (
            "FDA50693-A4E2-4FB1-AFCF-C6EB07647825", #", "major": 1, "minor": 0, "mask": {"minor": "FFFE"}"#,
            "many makers of tags, and major 1 minor 0 are those"
        ),
    ])
    func `the identity of a factory is a warning with a remedy`(uuid: String, rest: String, found: String) throws {
        let remarks = try remarks(#"{"regions": [{"identifier": "tag", "uuid": "\#(uuid)"\#(rest)}]}"#)
        #expect(remarks.map(\.place) == ["regions[0].uuid"] && remarks.allSatisfy { !$0.isError })
        #expect(remarks.first?.found.contains(found) == true, "\(remarks)")
        #expect(remarks.first?.remedy.contains("uuidgen") == true)
    }

    @Test(arguments: [
        ("FDA50693-A4E2-4FB1-AFCF-C6EB07647825", #", "major": 4711, "minor": 815"#),
        ("6D3D1E1A-2B1C-4E0B-9A5C-8C1D5C1C7F10", ""),
        ("6D3D1E1A-2B1C-4E0B-9A5C-8C1D5C1C7F10", #", "major": 1, "minor": 1"#),
    ])
    func `own numbers, or an own UUID, cause no warning`(uuid: String, rest: String) throws {
        #expect(try remarks(#"{"regions": [{"identifier": "tag", "uuid": "\#(uuid)"\#(rest)}]}"#).isEmpty)
    }

    @Test func `a second file with the key of a phone is an error, the same file twice is not`() throws {
        let key = "ec0234a357c8ad05341010a60a397d9b"
        let files = [try file("anna.irk", mode: 0o600, key), try file("bob.irk", mode: 0o600, key)]
        func configured(_ first: String, _ second: String) -> String {
            "{\"regions\": [{\"identifier\": \"a\", \"phone\": \"\(first)\"}, "
                + "{\"identifier\": \"b\", \"phone\": \"\(second)\"}]}"
        }
        let found = try remarks(configured(files[0], files[1]))
        #expect(found.map(\.place) == ["regions[1].phone"] && found.allSatisfy(\.isError))
        #expect(found.first?.found == "it has the key of \(files[0])")
        #expect(try remarks(configured(files[0], files[0])).isEmpty)
    }

    @Test(arguments: [
        ("fe80::1", true), ("FEBF::1", true), ("fe80::1%eth0", false), ("fd00::1", false), ("fe8::1", false),
        ("hub", false),
    ])
    func `an address of a link needs its interface`(host: String, isWrong: Bool) throws {
        let found = try remarks(#"{"regions": [], "mqtt": {"host": "\#(host)"}}"#)
        #expect(found.map(\.place) == (isWrong ? ["mqtt.host"] : []) && found.allSatisfy(\.isError))
    }

    @Test func `two regions with one beacon are warned of, unless they are judged in different ways`() throws {
        func found(_ first: String, _ second: String) throws -> [String] {
            let regions = [("home", first), ("keys", second)].map { name, keys in
                #"{"identifier": "\#(name)", "uuid": "6F6B6165-7269-4000-8000-000000000001", \#(keys)}"#
            }
            return try remarks("{\"regions\": [\(regions.joined(separator: ", "))]}").map(\.description)
        }
        let expected =
            "warning: regions[1]: it has the beacon of region \"home\"; both are always in the same state: give it another "
            + "beacon, or delete one of them (region \"keys\")"
        let one = #""major": 1, "minor": 1"#
        #expect(try found(one, one) == [expected])
        #expect(try found(one, one + #", "measuredPower": -60"#) == [expected])
        #expect(try found(one, one + #", "enterRSSI": -60"#) == [])
        #expect(try found(one, #""major": 1, "minor": 2"#) == [] && found(one, #""major": 1"#) == [])
    }

    @Test func `a sign without thresholds beside one with them is warned of`() throws {
        func found(_ signs: String...) throws -> [ConfigurationCheck.Remark] {
            let all = signs.enumerated().map {
                #"{"uuid": "6F6B6165-7269-4000-8000-000000000001", "major": 1, "minor": \#($0 + 2)\#($1)}"#
            }
            return try remarks(#"{"regions": [{"identifier": "desk", "anyOf": [\#(all.joined(separator: ", "))]}]}"#)
        }
        #expect(try found("", "").isEmpty && found(#", "enterRSSI": -60"#, #", "exitRSSI": -70"#).isEmpty)
        let remark = try #require(try found(#", "enterRSSI": -60"#, "").first)
        #expect(remark.place == "regions[0].anyOf[1]" && !remark.isError)
        #expect(
            remark.description
                == "warning: regions[0].anyOf[1]: it has neither enterRSSI nor exitRSSI, which anyOf[0] has: wherever this sign "
                + "is received, the region is inside; measure its signal and give it both, because another device sends with "
                + "another strength (region \"desk\")")
        let japanese = remark.sentence(in: .japanese)
        #expect(japanese.hasPrefix("注意：regions[0].anyOf[1]：anyOf[0] にある enterRSSI と exitRSSI がどちらもないため"))
        #expect(japanese.hasSuffix("（リージョン desk）"), "\(japanese)")
    }

    @Test(arguments: [
        ("Home", false), ("Home Net", false), ("Home ", true), (" Home", true), ("Ho\\u0000me", true),
        ("Ho\\u001bme", true),
    ])
    func `a network's name that is hardly an access point's is a warning`(ssid: String, isWarned: Bool) throws {
        let found = try remarks(region("\"wifi\": {\"ssid\": \"\(ssid)\"}"))
        #expect(found.map(\.place) == (isWarned ? ["regions[0].wifi.ssid"] : []) && found.allSatisfy { !$0.isError })
    }

    @Test(arguments: [
        ("http://ntfy.example/topic", true, true), ("http://anna:secret@ntfy.example:8080/topic", false, true),
        ("https://ntfy.example/topic", true, false), ("http://ntfy.example/topic", false, false),
        ("http://127.0.0.1:8080/topic", true, false), ("http://[::1]:8080/topic", true, false),
    ])
    func `a login that is sent unencrypted is a warning without the login`(
        url: String, hasToken: Bool, isWarned: Bool
    ) throws {
        let token = hasToken ? #", "tokenFile": "\#(try file("token", mode: 0o600))""# : ""
        let found = try remarks(#"{"regions": [], "notify": [{"type": "ntfy", "url": "\#(url)"\#(token)}]}"#)
        #expect(found.map(\.place) == (isWarned ? ["notify[0].url"] : []) && found.allSatisfy { !$0.isError })
        #expect(!found.map(\.description).joined().contains("secret"))
    }

    @Test func `a program must be a file that the daemon may execute and others may not write`() throws {
        let good = try file("good", mode: 0o755)
        let plain = try file("plain", mode: 0o644)
        let shared = try file("shared", mode: 0o777)
        let group = try file("group", mode: 0o775)
        #expect(try remarks(region(#""onEnter": ["\#(good)"]"#)).isEmpty)
        for (path, isError, words) in [
            (plain, true, "is not executable"), (shared, true, "other users can write"),
            (group, false, "other users can write"), ("\(folder.path)/none", true, "No such file"),
            (folder.path, true, "is not a file"), ("no-such-program-here", false, "no program"),
        ] {
            let found = try remarks(region(#""onExit": ["\#(path)"]"#))
            #expect(found.map(\.place) == ["regions[0].onExit"], "\(path)")
            #expect(found.first?.isError == isError && found.first?.found.contains(words) == true, "\(found)")
            #expect(found.first?.remedy.isEmpty == false)
        }
        #expect(try remarks(region(#""onExit": ["sh", "-c", "true"]"#)).isEmpty)
    }

    @Test func `a program of a service is named by its key`() throws {
        let json = #"{"regions": [], "services": [{"service": "180F", "onConnect": ["/none"]}]}"#
        #expect(try remarks(json).map(\.place) == ["services[0].onConnect"])
    }

    @Test func `a secret must have the owner and the mode that the daemon demands`() throws {
        let open = try file("open", mode: 0o644)
        let closed = try file("closed", mode: 0o600)
        func passphrase(_ path: String) -> String {
            region(#""wifi": {"ssid": "HomeNet", "passphraseFile": "\#(path)"}"#)
        }
        #expect(try remarks(passphrase(closed)).isEmpty)
        let found = try remarks(passphrase(open))
        #expect(found.map(\.place) == ["regions[0].wifi.passphraseFile"] && found[0].isError)
        #expect(found[0].remedy == "run `sudo chmod 0600 \(open)`")
        #expect(try remarks(passphrase("$CREDENTIALS_DIRECTORY/HomeNet")).isEmpty, "only the service has it")
        let mqtt = #"{"regions": [], "mqtt": {"host": "b", "username": "u", "passwordFile": "\#(open)", "tls": false}}"#
        #expect(try remarks(mqtt).map(\.place) == ["mqtt.passwordFile"])
        let notify = #"{"regions": [], "notify": [{"type": "webhook", "url": "https://a/", "tokenFile": "\#(open)"}]}"#
        #expect(try remarks(notify).map(\.place) == ["notify[0].tokenFile"])
        #expect(try !remarks(mqtt).contains { $0.description.contains("12345678") })
    }

    @Test func `a secret of another user than the daemon's is an error, though root can read it`() throws {
        let closed = try file("closed", mode: 0o600)
        let json = region(#""wifi": {"ssid": "HomeNet", "passphraseFile": "\#(closed)"}"#)
        #expect(try remarks(json, user: 54_321).map(\.isError) == [true])
    }

    @Test func `a key that every user may read is an error, and a certificate is not one`() throws {
        let path = try file("broker.pem", mode: 0o644)
        let tls = #"{"ca": "\#(path)", "certificate": "\#(path)", "key": "\#(path)"}"#
        let found = try remarks(#"{"regions": [], "mqtt": {"host": "broker", "tls": \#(tls)}}"#)
        #expect(found.map(\.place) == ["mqtt.tls.key"] && found[0].isError)
        let missing = #"{"regions": [], "mqtt": {"host": "broker", "tls": {"ca": "/none.pem"}}}"#
        #expect(try remarks(missing).map(\.place) == ["mqtt.tls.ca"])
    }

    @Test func `the page and the metrics need ports that differ`() throws {
        func json(_ web: String, _ metrics: String) -> String {
            #"{"regions": [], "web": {"listen": "\#(web)"}, "metrics": {"listen": "\#(metrics)"}}"#
        }
        #expect(try remarks(json("127.0.0.1:8080", "127.0.0.1:9464")).isEmpty)
        #expect(try remarks(json("127.0.0.1:8080", "127.0.0.2:8080")).isEmpty)
        for (web, metrics) in [
            ("127.0.0.1:8080", "127.0.0.1:8080"), ("0.0.0.0:8080", "127.0.0.1:8080"), ("[::1]:8080", "[::]:8080"),
        ] {
            let found = try remarks(json(web, metrics))
            #expect(found.map(\.place) == ["metrics.listen"] && found.allSatisfy(\.isError), "\(web) \(metrics)")
        }
    }

    @Test func `a port below 1024 needs a right`() throws {
        let json = #"{"regions": [], "web": {"listen": "127.0.0.1:80"}}"#
        #expect(try remarks(json).map(\.isError) == [true])
        #expect(try remarks(json, mayUseAllPorts: nil).map(\.isError) == [false], "the unit may grant it")
        #expect(try remarks(json, mayUseAllPorts: true).isEmpty)
    }

    @Test func `the bits of owner, group and others decide`() {
        var status = stat()
        (status.st_uid, status.st_gid, status.st_mode) = (1, 2, S_IFREG | 0o654)
        func may(_ user: UInt32, _ groups: Set<UInt32>, _ right: mode_t) -> Bool {
            ServiceAccount(user: user, groups: groups).may(right, status)
        }
        #expect(may(1, [], S_IRUSR) && !may(1, [2], S_IXUSR))
        #expect(may(3, [2], S_IXUSR) && may(3, [4], S_IRUSR) && !may(3, [4], S_IXUSR))
        #expect(may(0, [], S_IRUSR) && may(0, [], S_IXUSR))
    }
}
