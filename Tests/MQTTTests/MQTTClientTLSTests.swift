import Foundation
import OkaeriTestSupport
import Testing

@testable import OkaeriMQTT

/// TLS and logins, with a real mosquitto and a CA of the test's own.
@Suite(.timeLimit(.minutes(5)))
struct MQTTClientTLSTests {
    private let certificates: Certificates

    init() throws { certificates = try Certificates() }

    private func broker(
        _ subject: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2, _ more: [String] = []
    ) throws -> TestBroker {
        let (certificate, key) = try certificates.sign("broker", for: subject, days: days)
        return try TestBroker(
            ["certfile \(certificate)", "keyfile \(key)", "cafile \(certificates.authority)", "allow_anonymous true"]
                + more)
    }

    private func client(
        _ broker: TestBroker, host: String = "localhost", _ tls: MQTTSettings.TLS?
    ) throws -> TestClient {
        try TestClient(broker.port, host: host) { $0.broker.tls = tls }
    }

    private var trusting: MQTTSettings.TLS { .init(authorities: certificates.authority) }

    @Test func `a client connects by name and address`() async throws {
        let broker = try broker()
        for host in ["localhost", "127.0.0.1"] {
            let client = try client(broker, host: host, trusting)
            client.client.subscribe("okaeri/#")
            try await client.connected()
            client.value("okaeri/a", String(repeating: "x", count: 60_000))
            #expect(try await client.message().payload.count == 60_000)
            try await client.stop()
        }
    }

    @Test func `it refuses an untrusted certificate`() async throws {
        let broker = try broker()
        let client = try client(broker, .init())
        try await client.failed(.certificate(.untrusted))
        #expect(
            client.client.state.description.contains("signed by no authority that this machine trusts; name its CA"))
        let other = try Certificates()
        let misled = try self.client(broker, .init(authorities: other.authority))
        try await misled.failed(.certificate(.untrusted))
        #expect(misled.client.state.description.contains("is not signed by the CA in \(other.authority)"))
    }

    @Test func `an expired certificate is refused`() async throws {
        let broker = try broker(days: -1)
        let client = try client(broker, trusting)
        try await client.failed(.certificate(.expired))
        #expect(client.client.state.description.contains("has expired"))
    }

    @Test func `a certificate for another name is refused`() async throws {
        let broker = try broker("DNS:mqtt.example")
        let client = try client(broker, trusting)
        try await client.failed(.certificate(.wrongName))
        #expect(client.client.state.description.contains("is for another name than \"localhost\""))
    }

    @Test func `a broker without TLS is reported`() async throws {
        let plain = try TestBroker()
        let client = try client(plain, trusting)
        // Mosquitto hangs up on what is not MQTT, one version with an end and one with a reset.
        try await client.state { [.failed(.noTLS), .failed(.closed)].contains($0.phase) }
        #expect(client.client.state.description.contains("TLS"))
    }

    @Test func `a broker that requires TLS is reported`() async throws {
        let broker = try broker()
        let client = try client(broker, nil)
        try await client.failed(.closed)
        #expect(client.client.state.description.contains("if it expects TLS on that port, write \"tls\": true"))
    }

    @Test func `a client presents its certificate`() async throws {
        let broker = try broker("DNS:localhost", days: 2, ["require_certificate true"])
        let unknown = try client(broker, trusting)
        try await unknown.failed(.clientCertificate)
        let (certificate, key) = try certificates.sign("hall", for: "DNS:hall")
        let known = try client(
            broker, .init(authorities: certificates.authority, certificate: certificate, key: key))
        try await known.connected()
        let mixed = try client(
            broker,
            .init(
                authorities: certificates.authority, certificate: certificate, key: "\(certificates.folder.path)/ca.key"
            ))
        try await mixed.state { if case .failed(.file) = $0.phase { true } else { false } }
        let missing = try client(broker, .init(authorities: "/nonexistent/ca.pem"))
        try await missing.state { if case .failed(.file) = $0.phase { true } else { false } }
        #expect(
            missing.client.state.description.hasPrefix(
                "the CA file /nonexistent/ca.pem of the MQTT broker cannot be read: No such file or directory;"))
    }

    @Test func `a pipe in the place of a certificate does not block the connection`() async throws {
        let pipe = "\(certificates.folder.path)/pipe"
        mkfifo(pipe, 0o600)
        let client = try client(try broker(), .init(authorities: pipe))
        try await client.state { if case .failed(.file) = $0.phase { true } else { false } }
        #expect(client.client.state.description.contains("it is not a regular file"))
    }

    /// The ACL file that docs/broker.md shows.
    private static func documentedRules(_ file: StaticString = #filePath) throws -> String {
        let root = URL(fileURLWithPath: "\(file)").deletingLastPathComponent().appending(path: "../..")
        let page = try String(contentsOf: root.appending(path: "docs/broker.md"), encoding: .utf8)
        let block = try #require(page.components(separatedBy: "`/etc/mosquitto/acl`, where").last)
            .components(separatedBy: "\n").dropFirst().drop { !$0.hasPrefix("    ") }
            .prefix { $0.isEmpty || $0.hasPrefix("    ") }
        return block.map { String($0.dropFirst(4)) }.joined(separator: "\n") + "\n"
    }

    @Test(arguments: [(true, false, true), (false, false, false), (true, true, false)])
    func `a broker shows whether it accepts messages without a login`(anonymous: Bool, listed: Bool, accepted: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let acl = try folder.file("acl", Array("user okaeri\ntopic readwrite #\n".utf8))
        let broker = try TestBroker(["allow_anonymous \(anonymous)"] + (listed ? ["acl_file \(acl)"] : []))
        let login = MQTTSettings.Login(username: "okaeri", typed: TypedPassword("correct horse"))
        let address = MQTTSettings.Broker(host: "127.0.0.1", port: broker.port, login: login)
        #expect(
            await AnonymousPublication(at: address, to: "okaeri/home/node/a/probe").isAccepted(within: .seconds(20))
                == accepted)
    }

    @Test func `a broker that does not answer shows nothing`() async throws {
        let silent = try FakeBroker([])
        let away = MQTTSettings.Broker(host: "127.0.0.1", port: silent.port)
        #expect(await AnonymousPublication(at: away, to: "okaeri/probe").isAccepted(within: .milliseconds(300)) == nil)
    }

    @Test func `a client logs in`() async throws {
        let folder = try TemporaryFolder()
        let users = ChildProcess()
        users.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_passwd")
        users.arguments = ["-b", "-c", "\(folder.path)/users", "okaeri", "correct horse"]
        try users.run()
        users.waitUntilExit()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(folder.path)/users")
        let acl = try folder.file("acl", Array(try Self.documentedRules().utf8))
        let broker = try TestBroker(["allow_anonymous false", "password_file \(folder.path)/users", "acl_file \(acl)"])

        func client(_ name: String, _ login: MQTTSettings.Login?) throws -> TestClient {
            try TestClient(broker.port, name) { $0.broker.login = login }
        }
        let right = try folder.file("right", Array("correct horse\n".utf8))
        let wrong = try folder.file("wrong", Array("battery staple\n".utf8))
        for file in [right, wrong] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        let anonymous = try client("nobody", nil)
        try await anonymous.failed(.loginNeeded)
        let stranger = try client("stranger", .init(username: "okaeri", passwordFile: wrong))
        try await stranger.failed(.login)
        #expect(
            stranger.client.state.description.contains("does not accept the user name \"okaeri\" with its password"))
        let open = try folder.file("open", Array("correct horse".utf8))
        let careless = try client("careless", .init(username: "okaeri", passwordFile: open))
        try await careless.state {
            if case .failed(.file(let sentence)) = $0.phase { sentence.contains("chmod 0600") } else { false }
        }

        let known = try client("known", .init(username: "okaeri", passwordFile: right))
        try await known.connected()
        known.value("okaeri/home/a", "1")
        known.value("homeassistant/device/okaeri_home/hub/config", "{}")
        known.client.subscribe("okaeri/home/#")
        known.client.subscribe("homeassistant/device/okaeri_home/+/config")
        known.client.subscribe("homeassistant/status")
        #expect(try await known.text("okaeri/home/a") == "1")
        #expect(try await known.text("homeassistant/device/okaeri_home/hub/config") == "{}")
        #expect(known.client.state.refusals.isEmpty)
        known.value("homeassistant/device/a/config", "{}")
        let state = try await known.state { !$0.refusals.isEmpty }
        #expect(state.isConnected && !state.refusals.isEmpty)
        #expect(
            state.description
                == "the MQTT broker at 127.0.0.1:\(broker.port) does not let user \"okaeri\" publish to homeassistant/device/a/config; "
                + "allow it in the broker's ACL file, as /usr/share/doc/okaeri/broker.md shows")
    }
}
