import Testing

@testable import OkaeriServer

@Suite struct HostCheckTests {
    private let hosts = HostCheck(names: ["Pi", ""])

    @Test(arguments: [
        "localhost", "LocalHost:9464", "localhost.", "pi", "pi:9464", "PI.local", "pi.local.:9464", "127.0.0.1",
        "192.168.1.2:9464", "[::1]", "[::1]:9464", "[fe80::1]:1", "pi:",
    ])
    func `this machine's names and every address are fine`(authority: String) {
        #expect(hosts.permits(authority))
    }

    @Test(arguments: [
        nil, "", ":", ":9464", "evil.example", "pi.evil.example", "evil.example:9464", "localhost.evil.example",
        "127.0.0.1.evil.example", "127.0.0.1@evil.example", "evil.example#localhost", "localhost:80:80", "localhost:x",
        "[::1", "::1", "[::1]x", "[127.0.0.1]", "[evil.example]", "local", ".local", "localhost..", "pi ", "0x7f.1",
    ])
    func `any other name may be a page's that leads here`(authority: String?) {
        #expect(!hosts.permits(authority))
    }
}
