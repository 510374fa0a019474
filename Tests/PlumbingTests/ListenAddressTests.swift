import OkaeriPlumbing
import Testing

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:9464", true), ("127.8.9.1:1", true), ("[::1]:9464", true), ("[::ffff:127.0.0.1]:80", true),
        ("0.0.0.0:9464", false), ("192.168.1.2:65535", false), ("[::]:9464", false), ("[fe80::1]:9464", false),
        ("[::2]:9464", false), ("128.0.0.1:9464", false),
    ])
    func `an address and a port`(text: String, isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.description == text)
        #expect(address.address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", ":9464", "localhost:9464", "127.0.0.1:0", "127.0.0.1:65536",
        "127.0.0.1:+80", "127.0.0.1:080", "127.0.0.1:80 ", " 127.0.0.1:80", "127.0.0.1:8x", "127.1:80",
        "127.0.0.256:80",
        "010.0.0.1:80", "::1:80", "[::1]", "[::1]:", "[127.0.0.1]:80", "[::1:80", "::1]:80", "[fe80::1%eth0]:80",
        "127.0.0.1\0.evil:80", "http://127.0.0.1:80",
    ])
    func `anything else is not one`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
