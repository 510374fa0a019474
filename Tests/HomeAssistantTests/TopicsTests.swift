import OkaeriHouse
import Testing

@Suite struct TopicsTests {
    let topics = Topics(site: "home")
    let keys = TopicName("keys")

    @Test func `a message is identified by its topic`() {
        #expect(topics.subject(of: topics.status("hall")) == .status(node: "hall"))
        #expect(topics.subject(of: topics.scanner("hall")) == .scanner(node: "hall"))
        #expect(topics.subject(of: topics.about("hall")) == .about(node: "hall"))
        let observation = topics.observation(of: keys, by: "hall")
        #expect(topics.subject(of: observation) == .observation(level: "keys", node: "hall"))
        #expect(topics.subject(of: topics.promptAnswer("hall")) == .promptAnswer(node: "hall"))
        #expect(topics.restart("hall") == "okaeri/home/node/hall/restart")
        #expect(topics.subject(of: topics.restart("hall")) == .restart(node: "hall"))
        #expect(topics.subject(of: topics.region(keys)) == .region(level: "keys"))
        #expect(topics.subject(of: topics.event(keys)) == .event(level: "keys"))
        #expect(topics.subject(of: topics.battery(keys)) == .battery(level: "keys"))
    }

    @Test(arguments: [
        "", "/", "okaeri", "okaeri/home", "okaeri/home/", "okaeri/home/node", "okaeri/home/node/hall",
        "okaeri/home/node//status", "okaeri/home/node/hall/status/", "okaeri/home/node/hall/status/x",
        "okaeri/home/node/ha ll/status", "okaeri/home/node/お帰り/status", "okaeri/home/node/+/status",
        "okaeri/home/node/hall/region", "okaeri/home/node/hall/region/", "okaeri/home/node/hall/region/keys/ranging",
        "okaeri/home/region/", "okaeri/home/region/keys/", "okaeri/home/region/keys/event/x",
        "okaeri/home/region/keys/battery/x", "okaeri/home/node/hall/restart/x", "okaeri/home/node//restart",
        "okaeri/home/region/keys/restart",
        "okaeri/homes/region/keys",
        "okaeri/other/region/keys", "homeassistant/status", "okaeri/home/node/hall/prompt",
    ])
    func `a foreign topic has no subject`(topic: String) {
        #expect(topics.subject(of: topic) == nil)
    }

    @Test func `a name that is too long is rejected`() {
        #expect(topics.subject(of: topics.status(String(repeating: "a", count: 65))) == nil)
        #expect(topics.subject(of: topics.status(String(repeating: "a", count: 64))) != nil)
        #expect(topics.subject(of: String(repeating: "okaeri/home/region/", count: 10_000)) == nil)
    }
}
