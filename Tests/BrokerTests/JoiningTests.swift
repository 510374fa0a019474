import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// The messages that a machine reads before it joins a house.
@Suite struct JoiningTests {
    private var house = HouseBench()

    /// Reads what the broker retains.
    private func directory() -> HouseDirectory {
        var directory = HouseDirectory()
        for (topic, payload) in house.retained { directory.receive(topic: topic, payload: payload) }
        return directory
    }

    @Test mutating func `A machine reads the hub, the nodes and the rooms of a house`() throws {
        house.startHub("hall", regions: ["keys", "お帰り"])
        house.startReceiver("attic", room: "under the roof")
        house.startReceiver("loft", room: "under the roof")
        house.see("hall", .inside)
        house.pass(60)
        house.kill("loft")
        let found = try #require(directory().sites["home"])
        #expect(directory().sites.count == 1 && !directory().isCut)
        #expect(found.hub == "hall")
        #expect(found.nodes.keys.sorted() == ["attic", "hall", "loft"])
        #expect(found.nodes["hall"] == .init(room: "hall", isOnline: true))
        #expect(found.nodes["loft"] == .init(room: "under the roof", isOnline: false))
        #expect(found.rooms == ["hall", "under the roof"])
    }

    @Test mutating func `A house without a hub is found, and one that has ended is not`() {
        house.startReceiver("attic")
        #expect(directory().sites["home"]?.hub == nil && directory().sites["home"]?.rooms == ["attic"])
        var directory = HouseDirectory()
        directory.receive(topic: "okaeri/home/hub", payload: [])
        directory.receive(topic: "okaeri/home/wanted", payload: Array("{}".utf8))
        #expect(directory.sites.isEmpty)
    }

    @Test func `The filters name what is read, of one house or of all`() {
        let filters = HouseDirectory.filters(site: "home")
        #expect(filters == ["okaeri/home/hub", "okaeri/home/node/+/about", "okaeri/home/node/+/status"])
        #expect(HouseDirectory.filters(site: nil) == filters.map { $0.replacing("home", with: "+") })
    }

    @Test func `Names with control characters, and topics of others, are not read`() {
        var directory = HouseDirectory()
        directory.receive(topic: "okaeri/home/node/hall/about", payload: Array(#"{"room":"a\u001bb"}"#.utf8))
        directory.receive(
            topic: "okaeri/home/hub", payload: Array(#"{"name":"a\u001bb","incarnation":"x","since":""}"#.utf8))
        #expect(directory.sites["home"]?.nodes["hall"]?.room == nil && directory.sites["home"]?.hub == nil)
        for topic in ["okaeri/a b/hub", "okaeri/home/node/a\u{1B}b/status", "x/home/hub", "okaeri", "okaeri/home", ""] {
            var other = HouseDirectory()
            other.receive(topic: topic, payload: Array(#"{"name":"hall","incarnation":"x"}"#.utf8))
            #expect(other.sites.isEmpty, "\(topic)")
        }
    }

    @Test(arguments: ["--yes", "-n", "-"])
    func `A house and a node that a command would take for an option are not read`(name: String) {
        var directory = HouseDirectory()
        let online = Array("online".utf8)
        directory.receive(topic: "okaeri/\(name)/node/hall/status", payload: online)
        directory.receive(topic: "okaeri/home/node/\(name)/status", payload: online)
        directory.receive(topic: "okaeri/home/hub", payload: Array("{\"name\":\"\(name)\",\"incarnation\":\"x\"}".utf8))
        #expect(directory.sites.isEmpty)
    }

    @Test(arguments: [" ", "", "--yes", "\u{200D}", "\u{3164}", "a ", "\u{301}"])
    func `A room that cannot be read is not a room`(room: String) {
        var directory = HouseDirectory()
        directory.receive(
            topic: "okaeri/home/node/hall/about", payload: Array("{\"kind\":\"hub\",\"room\":\"\(room)\"}".utf8))
        directory.receive(topic: "okaeri/home/node/hall/status", payload: Array("online".utf8))
        #expect(directory.sites["home"]?.nodes["hall"] == .init(room: nil, isOnline: true))
    }

    @Test func `Invented houses, nodes and bytes are bounded`() {
        var directory = HouseDirectory()
        let online = Array("online".utf8)
        for index in 0..<100 { directory.receive(topic: "okaeri/s\(index)/node/a/status", payload: online) }
        #expect(directory.sites.count == 16 && directory.isCut)
        directory = HouseDirectory()
        for index in 0..<2000 { directory.receive(topic: "okaeri/home/node/n\(index)/status", payload: online) }
        #expect(directory.sites["home"]?.nodes.count == 1000 && directory.isCut)
        directory = HouseDirectory()
        let large = [UInt8](repeating: 0x20, count: 128 << 10)
        for _ in 0..<200 { directory.receive(topic: "okaeri/home/node/hall/about", payload: large) }
        directory.receive(topic: "okaeri/home/node/attic/status", payload: online)
        #expect(directory.isCut && directory.sites["home"]?.nodes["attic"] == nil)
    }
}
