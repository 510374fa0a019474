@testable import OkaeriConfiguration
import Testing

@Suite struct RegionPatchTests {
    private func draft(_ text: String) throws(ConfigurationError) -> RegionPatch {
        try RegionPatch(JSONNode(json: Array(text.utf8), file: "the request"), place: "region")
    }

    @Test func `what is sent is set, null removes, and the rest stays`() throws {
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let sent = try draft(
            """
            {"identifier": "keys", "uuid": "\(uuid)", "minor": null, "enterRSSI": -85.5, "ranging": true, "exitAfter": null,
             "wifi": {"ssid": "HomeNet", "join": null}}
            """)
        #expect(sent.identifier == "keys")
        #expect(sent["uuid"] == .string(uuid))
        #expect((sent["major"], sent["minor"]) == (.null, .null))
        #expect((sent["enterRSSI"], sent["exitRSSI"]) == (.number(-85.5), nil))
        #expect((sent["ranging"], sent["exitAfter"]) == (.bool(true), .null))
        #expect(sent["wifi"] == ["ssid": .string("HomeNet"), "join": .null])
        #expect(try draft(#"{"identifier": "keys", "wifi": null}"#)["wifi"] == .null)
        #expect(try draft(#"{"identifier": "keys"}"#)["major"] == nil)
    }

    @Test(arguments: [
        ("[]", "region: found an array of 0"), ("{}", "region.identifier: found no name"),
        (#"{"identifier": 1}"#, "region.identifier: found no name"),
        (#"{"identifier": "a", "onEnter": ["/bin/rm"]}"#, "region.onEnter: found a key that is not set here"),
        (#"{"identifier": "a", "wifi": {"passphraseFile": "/etc/shadow"}}"#, "region.wifi.passphraseFile: found a key"),
        (#"{"identifier": "a", "major": [1]}"#, "region.major: found an array of 1"),
        (#"{"identifier": "a", "wifi": {"ssid": {}}}"#, "region.wifi.ssid: found an object"),
        (#"{"identifier": "a", "\u001b[2J": 1}"#, "region. [2J: found a key"),
    ])
    func `what is not to be set is refused with its place`(text: String, mistake: String) {
        do throws(ConfigurationError) {
            Issue.record("taken: \(try draft(text))")
        } catch {
            #expect(error.description.hasPrefix("the request: \(mistake)"), "\(error)")
        }
    }

    @Test func `a name of a network in bytes stays, and goes with another network`() throws {
        let old: JSONNode.Value = ["wifi": ["ssidHex": .string("436166E9"), "passphraseFile": .string("/p")]]
        // The page sends the text back that it shows.
        let same = try draft(#"{"identifier": "home", "wifi": {"ssid": "Caf\\xE9", "join": "auto"}}"#)
        #expect(same.patch(of: old)["wifi"] == ["join": .string("auto")])
        let other = try draft(#"{"identifier": "home", "wifi": {"ssid": "HomeNet"}}"#).patch(of: old)["wifi"]
        #expect(other?["ssid"] == .string("HomeNet") && other?["ssidHex"] == .null && other?["passphraseFile"] == .null)
    }

    @Test func `only a new region can be a phone`() throws {
        let node = try JSONNode(json: Array(#"{"identifier": "anna", "phone": "anna.irk"}"#.utf8), file: "regions.json")
        let patch = try RegionPatch(node, place: "regions[0]", isSaved: true)
        #expect(patch.patch(of: .null)["phone"] == .string("anna.irk"))
        #expect(patch.patch(of: ["identifier": .string("anna")])["phone"] == nil)
    }
}

/// Merge patches of JSON trees.
@Suite struct MergePatchTests {
    private func node(_ text: String) throws -> JSONNode { try JSONNode(json: Array(text.utf8), file: "the test") }

    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#), ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `the examples of RFC 7396`(original: String, patch: String, result: String) throws {
        let (old, new) = (try node(original), try node(original).merging(try node(patch).value, order: []))
        #expect(new == (try node(result)))
        let bytes = JSONText(bytes: Array(original.utf8)).replacing(old, with: new)
        #expect(
            try JSONNode(json: bytes, file: "the text") == node(result), "\(String(decoding: bytes, as: UTF8.self))")
    }
}
