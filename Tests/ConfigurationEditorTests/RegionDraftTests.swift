@testable import OkaeriConfiguration
import Testing

@Suite struct RegionDraftTests {
    private func draft(_ text: String) throws(ConfigurationError) -> RegionDraft {
        try RegionDraft(JSONNode(json: Array(text.utf8), file: "the request"), place: "region")
    }

    @Test func `what is sent is set, null removes, and the rest stays`() throws {
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let sent = try draft(
            """
            {"identifier": "keys", "uuid": "\(uuid)", "minor": null, "enterRSSI": -85.5, "ranging": true, "exitAfter": null,
             "wifi": {"ssid": "HomeNet", "join": null}}
            """)
        #expect(sent.identifier == "keys")
        #expect(sent[.uuid] == .string(uuid))
        #expect((sent[.major], sent[.minor]) == (.removed, .removed))
        #expect((sent[.enterRSSI], sent[.exitRSSI]) == (.number(-85.5), nil))
        #expect((sent[.ranging], sent[.exitAfter]) == (.bool(true), .removed))
        #expect(sent[.wifi] == .network([.ssid: .string("HomeNet"), .join: .removed]))
        #expect(try draft(#"{"identifier": "keys", "wifi": null}"#)[.wifi] == .removed)
        #expect(try draft(#"{"identifier": "keys"}"#)[.major] == nil)
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
}
