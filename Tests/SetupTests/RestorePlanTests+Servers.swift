import Foundation
import OkaeriConfiguration
import OkaeriTestSupport
import Testing

@testable import OkaeriSetup

/// The servers of backups that are invented.
extension RestorePlanTests {
    private static let present =
        #""mqtt": {"host": "mqtt.lan"}, "notify": [{"type": "ntfy", "url": "https://ntfy.example/mine", "tokenFile": "/t"}]"#
        + #", "web": {"listen": "127.0.0.1:8080"}"#

    private func configuration(_ keys: String) -> [UInt8] { Array(#"{\#(keys), "regions": []}"#.utf8) }

    @Test(arguments: [
        ("mqtt.lan\"", "mqtt.lan\", \"radios\": [\"hall\"]", "mqtt.radios", [] as [String]),
        ("mqtt.lan\"", "evil.lan\"", "mqtt", ["mqtt: mqtt://evil.lan:1883"]),
        ("mqtt.lan\"", "mqtt.lan\", \"port\": 1884", "mqtt", ["mqtt: mqtt://mqtt.lan:1884"]),
        ("mqtt.lan\"", "mqtt.lan\", \"tls\": true", "mqtt", ["mqtt: mqtts://mqtt.lan:8883"]),
        ("mqtt.lan\"", "mqtt.lan\", \"site\": \"other\"", "mqtt", []),
        ("ntfy.example", "evil.example", "notify", ["notify[0]: https://evil.example"]),
        ("/mine", "/other", "notify", ["notify[0]: https://ntfy.example"]),
        ("ntfy\", ", "ntfy\", \"events\": [\"enter\"], ", "notify", []),
        ("127.0.0.1:8080\"", "0.0.0.0:8080\"", "web", ["web: 0.0.0.0:8080"]),
        ("8080\"", "8080\", \"open\": true", "web", ["web: 127.0.0.1:8080"]),
        ("8080\"", "8080\", \"backup\": true", "web", ["web.backup: 127.0.0.1:8080"]),
        (
            "127.0.0.1:8080\"", "0.0.0.0:8080\", \"backup\": true", "web",
            ["web: 0.0.0.0:8080", "web.backup: 0.0.0.0:8080"]
        ),
        ("8080\"", "8080\", \"hosts\": [\"a.example\"]", "web", ["web: 127.0.0.1:8080 a.example"]),
        ("8080\"", "8080\", \"ingress\": \"192.0.2.7\"", "web", ["web: 127.0.0.1:8080 192.0.2.7"]),
        (
            "8080\"", "8080\", \"ingress\": \"192.0.2.7\", \"users\": [\"anna\"]", "web",
            ["web: 127.0.0.1:8080 192.0.2.7"]
        ),
        ("8080\"}", "8080\"}, \"metrics\": {\"listen\": \"[::]:9464\"}", "metrics", ["metrics: [::]:9464"]),
    ])
    func `the plan names a broker, its radios, servers and a page that change, and asks about other servers`(
        text: String, other: String, key: String, servers: [String]
    ) throws {
        _ = try folder.file("beacons.json", configuration(Self.present))
        #expect(try plan([], of: configuration(Self.present)).changedKeys.isEmpty)
        let plan = try plan([], of: configuration(Self.present.replacing(text, with: other)))
        #expect(plan.changedKeys == [key])
        #expect(plan.newServers.map { "\($0.key): \($0.address)" } == servers && !plan.isFirst)
    }

    @Test func `the plan asks about other users of Home Assistant who may do everything`() throws {
        let text = Self.present.replacing(
            "8080\"", with: "8080\", \"ingress\": \"192.0.2.7\", \"users\": [\"anna\"]")
        _ = try folder.file("beacons.json", configuration(text))
        #expect(try plan([], of: configuration(text)).newServers.isEmpty)
        let other = text.replacing("anna", with: "bert")
        #expect(try plan([], of: configuration(other)).newServers.map(\.key) == ["web"])
    }

    @Test func `on a machine without a configuration all servers are new, and none is if the keys are removed`() throws
    {
        let first = try plan([], of: configuration(Self.present))
        #expect(first.newServers.map(\.key) == ["mqtt", "notify[0]", "web"] && first.isFirst)
        _ = try folder.file("beacons.json", configuration(Self.present))
        let removing = try plan([], of: regions())
        #expect(removing.newServers.isEmpty && removing.changedKeys == ["mqtt", "notify", "web"])
    }

    @Test func `the download of backups is asked about by itself, unless this machine offers it`() throws {
        let backup = configuration(#""web": {"listen": "127.0.0.1:8080", "backup": true}"#)
        #expect(try plan([], of: backup).newServers.filter(\.isDownload).map(\.address) == ["127.0.0.1:8080"])
        _ = try folder.file("beacons.json", backup)
        #expect(try plan([], of: backup).newServers.isEmpty)
    }

    @Test func `a broker with the certificates of another authority is another broker`() throws {
        let path = "\(folder.path)/ca.pem"
        let backup = configuration(#""mqtt": {"host": "mqtt.lan", "tls": {"ca": "\#(path)"}}"#)
        _ = try folder.file("beacons.json", backup)
        _ = try folder.file("ca.pem", Array("mine".utf8))
        #expect(try plan([(0, path, Array("mine".utf8))], of: backup).newServers.isEmpty)
        #expect(try plan([(0, path, Array("evil".utf8))], of: backup).newServers.map(\.key) == ["mqtt"])
    }
}
