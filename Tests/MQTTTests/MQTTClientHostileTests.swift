import OkaeriTestSupport
import Testing

@testable import OkaeriMQTT

/// The client against a server that is not a broker, a malicious broker, and one with many messages of other clients.
@Suite(.timeLimit(.minutes(5)))
struct MQTTClientHostileTests {
    @Test(arguments: ["0.0.0.0", "mqtt.invalid"])
    func `a password is not sent to another machine without TLS`(host: String) async throws {
        let broker = try FakeBroker(FakeBroker.connack())
        let login = MQTTSettings.Login(username: "okaeri", typed: TypedPassword("correct horse"))
        let client = try TestClient(broker.port, host: host) { $0.broker.login = login }
        let state = try await client.state { if case .failed(.file) = $0.phase { true } else { false } }
        #expect(state.description.contains("is not encrypted, so the password is not sent"), "\(state)")
        #expect(!MQTTSettings.Broker(host: host, port: 1, tls: .init(), login: login).exposesPassword)
        #expect(!MQTTSettings.Broker(host: host, port: 1, allowsClearPassword: true, login: login).exposesPassword)
        #expect(!MQTTSettings.Broker(host: "127.0.0.1", port: 1, login: login).exposesPassword)
    }

    @Test(arguments: [
        (UInt8(0x84), BrokerProblem.protocolVersion), (0x85, .clientIdentifier), (0x86, .loginNeeded),
        (0x88, .unavailable),
        (0x89, .unavailable), (0x8A, .banned), (0x97, .full), (0x9D, .moved), (0x80, .reason(0x80)),
    ])
    func `each reason of a refusal is reported as its problem`(reason: UInt8, problem: BrokerProblem) async throws {
        let broker = try FakeBroker(FakeBroker.connack(reason))
        let client = try TestClient(broker.port)
        try await client.failed(problem)
        #expect(!client.client.state.isConnected)
    }

    @Test func `a broker of MQTT 3.1.1 is reported`() async throws {
        // The CONNACK of MQTT 3.1.1: unacceptable protocol version.
        let broker = try FakeBroker([0x20, 2, 0, 1])
        let client = try TestClient(broker.port)
        // Libmosquitto supports that answer, except some versions between 2.0.11 and 2.1.
        let state = try await client.state { [.failed(.protocolVersion), .failed(.malformed)].contains($0.phase) }
        #expect(state.description.contains("MQTT 5; update"))
    }

    /// Not with bytes at random: libmosquitto 2.0.11 ends the process where a property of MQTT 5 has an unknown number.
    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
        "220 mail.example ESMTP\r\n", "\u{15}\u{3}\u{1}\0\u{2}\u{2}\u{28}", "\0\0\0\0\0\0\0\0",
        "0\u{7F}\u{7F}\u{7F}\u{7F}",
    ])
    func `a server of another protocol is a failed connection`(text: String) async throws {
        for hangsUp in [true, false] {
            let broker = try FakeBroker(Array(text.utf8), hangsUp: hangsUp)
            let client = try TestClient(broker.port) { $0.limits.answer = .milliseconds(100) }
            try await client.state { if case .failed = $0.phase { true } else { false } }
            try await client.stop()
            #expect(client.client.state.phase == .stopped)
        }
    }

    @Test(arguments: [
        [0x20, 3, 0, 0, 0],  // a second CONNACK
        [0x31, 4, 0, 0, 0, 0],  // no topic
        [0x31, 5, 0, 1, 0xFF, 0, 0],  // a topic that is not UTF-8
        [0x31, 3, 0xFF, 0xFF, 0x61],  // a topic longer than its packet
        [0x33, 6, 0, 1, 0x61, 0, 0, 0],  // QoS 1 without a number
        [0x37, 6, 0, 1, 0x61, 0, 1, 0],  // QoS 3
        [0x40, 2, 0, 0], [0x40, 2, 0x12, 0x34], [0x90, 4, 0x12, 0x34, 0, 0x87],  // answers to nothing
        [0x31, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [0xC0, 0], [0x10, 0], [0x82, 0],
    ])
    func `a malformed packet ends the connection`(packet: [UInt8]) async throws {
        let broker = try FakeBroker(FakeBroker.connack() + packet)
        let client = try TestClient(broker.port) { $0.limits.answer = .milliseconds(100) }
        client.value("okaeri/a", "1")
        // It refuses what is wrong, or waits in vain for an answer to what it has sent.
        try await client.state { if case .failed = $0.phase { true } else { false } }
        try await client.stop()
        #expect(client.client.state.phase == .stopped)
    }

    @Test(arguments: [[], [0x20], [0x20, 0xFF, 0xFF, 0xFF, 0x7F, 0]])
    func `half a packet is not an answer`(answer: [UInt8]) async throws {
        let broker = try FakeBroker(answer)
        let client = try TestClient(broker.port) { $0.limits.answer = .milliseconds(100) }
        try await client.failed(.silent)
        let sentence = client.client.state.description
        #expect(sentence.contains("accepts the connection and sends nothing; check that a broker with MQTT 5 runs"))
        try await client.stop()
        let other = try FakeBroker(answer, hangsUp: true)
        let cut = try TestClient(other.port)
        try await cut.failed(.closed)
        #expect(cut.client.state.description.contains("supports MQTT 5"))
    }

    @Test func `messages that are too large are dropped and reported`() async throws {
        let broker = try FakeBroker(
            FakeBroker.connack() + FakeBroker.publish(Array("a".utf8), [UInt8](repeating: 120, count: 10 << 20))
                + FakeBroker.publish(Array("b".utf8), [UInt8](repeating: 120, count: 64 << 10))
                + FakeBroker.publish([UInt8](repeating: 116, count: 65_535), [1])
                + FakeBroker.publish(Array("帰/\u{7}".utf8), [0, 0xFF]))
        let client = try TestClient(broker.port)
        #expect(try await client.message().payload.count == 64 << 10)
        for await notice in client.notices {
            #expect(
                notice.contains(
                    "MQTT message(s) dropped: they are too large for Okaeri, the largest has 10485761 bytes, on a;"))
            break
        }
    }

    @Test func `retained messages of other clients do not end the connection`() async throws {
        let broker = try TestBroker()
        let stranger = try TestClient(broker.port, "stranger")
        stranger.client.publish(.value("okaeri/large", [UInt8](repeating: 120, count: 10 << 20)))
        stranger.value("okaeri/お帰り", "うち")
        stranger.value("okaeri/" + String(repeating: "x", count: 60_000), "1")
        stranger.value("okaeri/end", "1")
        let watch = try TestClient(broker.port, "watch")
        watch.client.subscribe("okaeri/end")
        #expect(try await watch.text("okaeri/end") == "1")
        let client = try TestClient(broker.port)
        client.client.subscribe("okaeri/#")
        var topics: Set<String> = []
        while topics.count < 2 { topics.insert(try await client.message().topic) }
        #expect(topics == ["okaeri/お帰り", "okaeri/end"])
        #expect(client.client.state.isConnected)
    }

    @Test func `impossible topics are refused, and the connection stays`() async throws {
        let broker = try TestBroker()
        let client = try TestClient(broker.port)
        client.client.subscribe("okaeri/#")
        for topic in ["", "okaeri/#", "okaeri/+", String(repeating: "x", count: 70_000)] { client.value(topic, "1") }
        client.client.subscribe("a/#/b")
        client.value("okaeri/a", "1")
        #expect(try await client.text("okaeri/a") == "1")
        #expect(try await client.state { $0.refusals.count == 5 }.isConnected)
    }
}
