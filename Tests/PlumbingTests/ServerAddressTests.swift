import OkaeriPlumbing
import Testing

@Suite struct ServerAddressTests {
    @Test(
        arguments: [
            ("mqtt.lan", "mqtt.lan", nil), ("mqtt.lan.", "mqtt.lan.", nil), ("mqtt.lan:1884", "mqtt.lan", 1884),
            ("my_broker", "my_broker", nil), ("küche.local:1", "küche.local", 1), ("192.168.1.2:1", "192.168.1.2", 1),
            ("::1", "::1", nil), ("fe80::1%eth0", "fe80::1%eth0", nil), ("[::1]", "::1", nil),
            ("[fe80::1]:1884", "fe80::1", 1884), ("[fe80::1%eth0]:1883", "fe80::1%eth0", 1883),
        ] as [(String, String, UInt16?)])
    func `a host and its port are read`(text: String, host: String, port: UInt16?) {
        let address = ServerAddress(text)
        #expect(address?.host == host && address?.port == port)
    }

    @Test(arguments: [
        "", ".", ":1", "mqtt.lan:", "mqtt.lan:0", "mqtt.lan:65536", "mqtt.lan:x", "mqtt.lan:1:2", "[x]", "[::1]x",
        "::1:x:",
        "[::1", "::1]", "[]", "[127.0.0.1]", "[::1%]", "::1%", "[fe80::1%a/b]", "127.0.0.1%lo", "fe80::1%eth0:1884",
        "[fe80::1%eth0:1]", "mqtt..lan", ".lan",
        "-mqtt",
        "mqtt://lan", "user@lan", "mqtt lan", "a\tb", "192.168.1", "192.168.1.300", "010.0.0.1",
        String(repeating: "a", count: 64), String(repeating: "a.", count: 128),
    ])
    func `any other text is not a host`(text: String) {
        #expect(ServerAddress(text) == nil)
    }

    @Test(
        arguments: [
            ("fe80::1%eth0:1884", "fe80::1%eth0", 1884), ("mqtt.lan:1", "mqtt.lan", 1), ("::1", "::1", nil),
            ("fe80::1%eth0:0", nil, nil), ("fe80::1%eth0:", nil, nil), ("a%eth0:1", nil, nil), ("%:", nil, nil),
        ] as [(String, String?, UInt16?)])
    func `an address without brackets before its port is understood for a proposal`(
        text: String, host: String?, port: UInt16?
    ) {
        let address = ServerAddress.meant(by: text)
        #expect(address?.host == host && address?.port == port)
    }

    @Test(arguments: [
        ("localhost", true), ("LocalHost", true), ("localhost.", true), ("127.8.9.1", true), ("::1", true),
        ("[::1]", true),
        ("::1%lo", true), ("::ffff:127.0.0.1", true), ("mqtt.lan", false), ("127.0.0.1.example", false),
        ("fd00::1", false),
        ("0.0.0.0", false), ("", false),
    ])
    func `a loopback address is one in each form`(host: String, isLoopback: Bool) {
        #expect(ServerAddress.isLoopback(host: host) == isLoopback)
    }

    @Test func `an IPv6 address has brackets before a port`() {
        #expect(ServerAddress.bracketed("::1") == "[::1]" && ServerAddress.bracketed("mqtt.lan") == "mqtt.lan")
    }
}
