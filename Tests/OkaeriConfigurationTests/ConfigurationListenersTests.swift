import OkaeriPlumbing
import Testing

@testable import OkaeriConfiguration

@Suite struct ConfigurationListenersTests {
    private func configuration(_ metrics: String) throws(ConfigurationError) -> Configuration {
        try Configuration(json: Array(#"{"regions": [], "metrics": \#(metrics)}"#.utf8), file: "beacons.json")
    }

    @Test func `the metrics listen at the configured address alone`() throws {
        #expect(try configuration(#"{"listen": "[::1]:9464"}"#).metrics == ListenAddress("[::1]:9464"))
        #expect(try Configuration(json: Array(#"{"regions": []}"#.utf8), file: "").metrics == nil)
    }

    @Test(arguments: [
        (#""127.0.0.1:9464""#, #"metrics: found "127.0.0.1:9464", expected an object"#),
        ("{}", "metrics.listen: found nothing, expected an address of this machine and a port"),
        (#"{"listen": 9464}"#, "metrics.listen: found 9464, expected an address of this machine and a port"),
        (
            #"{"listen": "localhost:9464"}"#,
            #"metrics.listen: found "localhost:9464", expected an address of this machine and a port, such as "127.0.0.1:9464""#
        ),
        (#"{"listen": "127.0.0.1:70000"}"#, #"metrics.listen: found "127.0.0.1:70000""#),
        (#"{"listem": "127.0.0.1:1"}"#, "metrics.listem: found an unknown key, expected one of listen"),
    ])
    func `a mistake has its place, and what is expected`(metrics: String, problem: String) {
        #expect {
            _ = try configuration(metrics)
        } throws: {
            ($0 as? ConfigurationError)?.problems.contains { $0.description.hasPrefix(problem) } == true
        }
    }

    private func web(_ web: String) throws(ConfigurationError) -> Configuration.Web? {
        try Configuration(json: Array(#"{"regions": [], "web": \#(web)}"#.utf8), file: "beacons.json").web
    }

    @Test func `the page listens at the configured address, and is closed unless configured as open`() throws {
        let listen = try #require(ListenAddress("127.0.0.1:8080"))
        #expect(try web(#"{"listen": "127.0.0.1:8080"}"#) == .init(listen: listen))
        #expect(
            try web(#"{"listen": "127.0.0.1:8080", "hosts": ["pi.example.org"]}"#)
                == .init(listen: listen, hosts: ["pi.example.org"]))
        #expect(
            try web(#"{"listen": "127.0.0.1:8080", "open": true, "hosts": []}"#)
                == .init(listen: listen, isOpen: true))
        #expect(try Configuration(json: Array(#"{"regions": []}"#.utf8), file: "").web == nil)
    }

    @Test func `the page behind Home Assistant's proxy has no address for browsers, unless it listens at all`() throws {
        let behind = try #require(try web(#"{"listen": "172.30.32.1:62000", "ingress": "172.30.32.2"}"#))
        #expect(behind.ingress == IPAddress("172.30.32.2") && !behind.isDirect)
        for all in ["0.0.0.0", "[::]"] {
            #expect(try web(#"{"listen": "\#(all):8080", "ingress": "172.30.32.2"}"#)?.isDirect == true)
        }
        #expect(try web(#"{"listen": "172.30.32.1:62000"}"#)?.isDirect == true)
    }

    @Test func `the users of Home Assistant who may do everything have names`() throws {
        let users = #"{"listen": "172.30.32.1:62000", "ingress": "172.30.32.2", "users": ["anna", "あんな"]}"#
        #expect(try web(users)?.users == ["anna", "あんな"])
        #expect(try web(#"{"listen": "172.30.32.1:62000", "ingress": "172.30.32.2"}"#)?.users == [])
    }

    @Test(arguments: [
        ("{}", "web.listen: found nothing, expected an address of this machine and a port"),
        (#"{"listen": "0.0.0.0:8080", "open": true}"#, "web.open: found true, expected false"),
        (
            #"{"listen": "127.0.0.1:8080", "open": true, "hosts": ["pi.example.org"]}"#,
            "web.open: found true, expected false, because a proxy serves the page to other machines"
        ),
        (#"{"listen": "127.0.0.1:8080", "open": "yes"}"#, #"web.open: found "yes", expected true or false"#),
        (
            #"{"listen": "127.0.0.1:8080", "hosts": ["a:1"]}"#,
            "web.hosts[0]: found \"a:1\", expected a name without a port, such as \"a\""
        ),
        (
            #"{"listen": "127.0.0.1:8080", "users": ["anna"]}"#,
            #"web.users: found a list without "ingress", expected the address of the proxy"#
        ),
        (#"{"listen": "127.0.0.1:8080", "ingress": "172.30.32.2", "users": "anna"}"#, #"web.users: found "anna""#),
        (#"{"listen": "127.0.0.1:8080", "ingress": "172.30.32.2", "users": [""]}"#, "web.users: found"),
        (#"{"listen": "127.0.0.1:8080", "ingress": "172.30.32.2", "users": ["a\u202e"]}"#, "web.users: found"),
        (#"{"listen": "127.0.0.1:8080", "host": "a"}"#, "web.host: found an unknown key"),
        (#"{"listen": "127.0.0.1:8080", "ingress": true}"#, "web.ingress: found true, expected the IPv4 address"),
        (#"{"listen": "127.0.0.1:8080", "ingress": "supervisor"}"#, #"web.ingress: found "supervisor""#),
        (#"{"listen": "127.0.0.1:8080", "ingress": "172.30.32.0/23"}"#, #"web.ingress: found "172.30.32.0/23""#),
        (#"{"listen": "127.0.0.1:8080", "ingress": "127.0.0.2"}"#, #"web.ingress: found "127.0.0.2""#),
        (#"{"listen": "127.0.0.1:8080", "ingress": "0.0.0.0"}"#, #"web.ingress: found "0.0.0.0""#),
        (#"{"listen": "127.0.0.1:8080", "ingress": "::ffff:1.2.3.4"}"#, #"web.ingress: found "::ffff:1.2.3.4""#),
    ])
    func `a mistake of the page has its place`(text: String, problem: String) {
        #expect {
            _ = try web(text)
        } throws: {
            ($0 as? ConfigurationError)?.problems.contains { $0.description.hasPrefix(problem) } == true
        }
    }
}
