import Testing

@testable import OkaeriConfiguration

/// The servers that are notified, in beacons.json.
@Suite struct ConfigurationNotifyTests {
    private func parse(_ notify: String) throws(ConfigurationError) -> Configuration {
        try Configuration(json: Array(#"{"regions": [], "notify": \#(notify)}"#.utf8), file: "beacons.json")
    }

    private func problem(_ notify: String) -> String? {
        do throws(ConfigurationError) {
            _ = try parse(notify)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a webhook and a topic of ntfy`() throws {
        let targets = try parse(
            """
            [{"type": "webhook", "url": "https://a.example/hook?key=1", "events": ["enter", "prompt"], "regions": ["home"],
              "tokenFile": "/etc/okaeri/token"},
             {"type": "ntfy", "url": "https://ntfy.sh/my-topic"}]
            """
        ).notify
        try #require(targets.count == 2)
        #expect(targets[0].occasions == [.enter, .prompt] && targets[0].regions == ["home"])
        #expect(targets[0].tokenFile == "/etc/okaeri/token" && targets[0].url.origin == "https://a.example")
        #expect(targets[1].kind == .ntfy && targets[1].occasions.count == 5 && targets[1].regions == nil)
        let topic = try #require(targets[1].url.topic)
        #expect(topic.name == "my-topic" && topic.server == "https://ntfy.sh/")
    }

    @Test(arguments: [
        (#"{}"#, "notify: found an object, expected an array of at most 8 servers"),
        (
            #"[{"type": "mail", "url": "https://a/"}]"#,
            "notify[0].type: found \"mail\", expected \"webhook\" or \"ntfy\""
        ),
        (#"[{"url": "https://a/"}]"#, "notify[0].type: found nothing"),
        (#"[{"type": "webhook"}]"#, "notify[0].url: found nothing, expected an address with http or https"),
        (#"[{"type": "ntfy", "url": "https://ntfy.sh/"}]"#, "expected the address of a topic"),
        (#"[{"type": "webhook", "url": "https://a/", "events": []}]"#, "notify[0].events: found an array"),
        (#"[{"type": "webhook", "url": "https://a/", "events": ["entry"]}]"#, "expected a list of \"enter\""),
        (#"[{"type": "webhook", "url": "https://a/", "tokenFile": "x"}]"#, "notify[0].tokenFile: found a string"),
        (
            #"[{"type": "webhook", "url": "https://u:s3cr3t@a/", "tokenFile": "/t"}]"#,
            "notify[0].tokenFile: found a second login"
        ),
        (#"[{"type": "webhook", "url": "https://a/", "token": "x"}]"#, "notify[0].token: found an unknown key"),
    ])
    func `a mistake is reported with its place`(notify: String, words: String) {
        let problem = self.problem(notify) ?? ""
        #expect(problem.contains(words), "\(problem)")
    }

    @Test func `nine servers are too many`() throws {
        let server = #"{"type": "webhook", "url": "https://a/"}"#
        #expect(problem("[\(Array(repeating: server, count: 8).joined(separator: ","))]") == nil)
        #expect(problem("[\(Array(repeating: server, count: 9).joined(separator: ","))]") != nil)
    }

    @Test func `no message shows an address, and no client of the API receives it`() throws {
        let text = #"{"regions": [], "notify": [{"type": "ntfy", "url": "https://ntfy.sh/s3cr3t/"}]}"#
        let problem = self.problem(#"[{"type": "ntfy", "url": "https://ntfy.sh/s3cr3t/"}]"#) ?? ""
        #expect(problem.contains("found a string") && !problem.contains("s3cr3t"))
        let shown = try CommandRedaction(text, file: "beacons.json")
        #expect(shown.isRedacted && !shown.text.contains("ntfy.sh") && shown.text.contains("\"type\": \"ntfy\""))
        #expect(throws: ConfigurationError.self) {
            try Configuration(json: Array(shown.text.utf8), file: "beacons.json")
        }
    }

    @Test func `a region that does not exist is a notice`() throws {
        let json = """
            {"regions": [{"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}],
             "notify": [{"type": "webhook", "url": "https://a/", "regions": ["home", "hom"]}]}
            """
        let notices = try Configuration(json: Array(json.utf8), file: "beacons.json").notices
        #expect(notices == [#"notify[0].regions names "hom", which is not a region; correct the name"#])
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example"), ("http://a:8080/x?y=z@w", "http://a:8080"),
        ("https://user:pa55@a.example:1/x", "https://a.example:1"), ("http://[::1]:8123/api", "http://[::1]:8123"),
        ("http://192.168.1.2?x", "http://192.168.1.2"),
    ])
    func `the origin of an address has no secret`(text: String, origin: String) {
        #expect(WebURL(text)?.origin == origin && WebURL(text)?.text == text)
    }

    @Test(arguments: [
        "ftp://a/", "a.example", "https://", "https:///x", "https://a b/", "https://a/\n", "https://ä.example/",
        "https://a:0/", "https://a:99999/", "https://a:b@c@d/", "https://user:p/w@host/", "http://[::1/", "http://[x]/",
        "https://a/#x", "https://a\\b/", "https://a:80:90/",
    ])
    func `anything else is not an address`(text: String) {
        #expect(WebURL(text) == nil)
    }

    @Test(arguments: [
        "https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a?b", "https://ntfy.sh/a.b",
        "https://ntfy.sh/\(String(repeating: "a", count: 65))",
    ])
    func `an address without a topic`(text: String) throws {
        #expect(try #require(WebURL(text)).topic == nil)
    }
}
