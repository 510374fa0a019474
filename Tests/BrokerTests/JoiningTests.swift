import IBeacon
import MQTT
import RegionMonitoring
import Testing

@testable import House

/// The messages that a machine reads before it joins a house.
@Suite struct JoiningTests {
    private var house = HouseBench()
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    private func region(_ identifier: String, _ beacons: String) throws -> BrokerRegion {
        BrokerRegion(
            MonitoredRegion(BeaconRegion(identifier: identifier, constraint: try #require(BeaconConstraint(beacons)))))
    }

    /// Reads what the broker retains.
    private func directory() -> HouseDirectory {
        var directory = HouseDirectory()
        for (topic, payload) in house.retained { directory.receive(topic: topic, payload: payload) }
        return directory
    }

    private func beacons(of identifier: String) -> String? {
        directory().sites["home"]?.regions.first { $0.identifier == identifier }.map { "\($0.beacons)" }
    }

    @Test mutating func `a machine reads the regions, nodes and rooms of a house`() throws {
        let regions = [try region("keys", "\(Self.uuid)/100/7"), try region("お帰り", Self.uuid)]
        house.start("hall", room: "hall", regions: [])
        house.start("attic", room: "under the roof", regions: [])
        for name in ["hall", "attic"] { house.perform(name) { $0.configured(regions, at: $1) } }
        house.see("hall", .inside, region: "keys")
        house.pass(60)
        let found = try #require(directory().sites["home"])
        #expect(found.regions.map(\.identifier) == ["keys", "お帰り"])
        #expect(beacons(of: "keys") == "\(try #require(BeaconConstraint("\(Self.uuid)/100/7")))")
        #expect(beacons(of: "お帰り") == "\(try #require(BeaconConstraint(Self.uuid)))")
        #expect(found.nodes.keys.sorted() == ["attic", "hall"] && found.nodes["hall"]?.isOnline == true)
        #expect(found.rooms == ["hall", "under the roof"])
        #expect(found.unknownCount == 0)
        #expect(directory().sites.count == 1 && !directory().isCut)
    }

    @Test mutating func `the owner publishes the beacons of a changed configuration, at once and after a restart`()
        throws
    {
        house.start("hall", regions: [])
        let first = try region("keys", "\(Self.uuid)/1")
        house.perform("hall") { core, now in
            core.configured([first], at: now)
        }
        house.see("hall", .outside)
        house.pass(60)
        #expect(beacons(of: "keys")?.contains("/1/") == true)
        let changed = try region("keys", "\(Self.uuid)/2")
        house.perform("hall") { $0.configured([changed], at: $1) }
        #expect(beacons(of: "keys")?.contains("/2/") == true)

        house.kill("hall")
        house.start("hall", regions: [])
        let again = try region("keys", "\(Self.uuid)/3")
        house.perform("hall") { $0.configured([again], at: $1) }
        house.see("hall", .outside)
        house.pass(60)
        #expect(beacons(of: "keys")?.contains("/3/") == true)
    }

    private static func state(_ beacon: String) -> [UInt8] {
        Array(#"{"state":"inside","by":"ff","seq":1,"beacon":\#(beacon)}"#.utf8)
    }

    @Test(arguments: [
        "null", "1", "{}", #"{"identifier":"keys"}"#, #"{"identifier":"keys","uuid":"x"}"#,
        #"{"identifier":"other","uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}"#,
        #"{"identifier":"keys","uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","minor":1}"#,
        #"{"identifier":"keys","uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":65536}"#,
        #"{"identifier":"keys","uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":-1}"#,
    ])
    func `a region without valid beacons is counted only`(beacon: String) {
        var directory = HouseDirectory()
        directory.receive(topic: "okaeri/home/region/keys", payload: Self.state(beacon))
        #expect(directory.sites["home"]?.regions == [])
        #expect(directory.sites["home"]?.unknownCount == 1)
        directory.receive(topic: "okaeri/home/region/keys", payload: [])
        #expect(directory.sites["home"] == nil)
    }

    @Test func `a name with control characters is not shown`() {
        let identifier = "a\\u001b[2Jb"
        let level = TopicName("a\u{1B}[2Jb").level
        var directory = HouseDirectory()
        directory.receive(
            topic: "okaeri/home/region/\(level)",
            payload: Self.state("{\"identifier\":\"\(identifier)\",\"uuid\":\"\(Self.uuid)\"}"))
        #expect(directory.sites["home"]?.regions == [] && directory.sites["home"]?.unknownCount == 1)
        directory.receive(topic: "okaeri/home/node/hall/about", payload: Array(#"{"room":"a\u001bb"}"#.utf8))
        #expect(directory.sites["home"]?.nodes["hall"]?.room == nil)
        for topic in ["okaeri/a b/region/keys", "okaeri/home/node/a\u{1B}b/status", "x/home/region/keys", "okaeri"] {
            var other = HouseDirectory()
            other.receive(topic: topic, payload: Self.state("null"))
            #expect(other.sites.isEmpty, "\(topic)")
        }
    }

    @Test func `invented houses, nodes, regions and bytes are bounded`() {
        var directory = HouseDirectory()
        for index in 0..<100 {
            directory.receive(topic: "okaeri/s\(index)/node/a/status", payload: Array("online".utf8))
        }
        #expect(directory.sites.count == 16 && directory.isCut)
        directory = HouseDirectory()
        for index in 0..<2000 {
            directory.receive(topic: "okaeri/home/node/n\(index)/status", payload: Array("online".utf8))
        }
        #expect(directory.sites["home"]?.nodes.count == 1000 && directory.isCut)
        directory = HouseDirectory()
        for index in 0..<500 {
            let beacon = "{\"identifier\":\"r\(index)\",\"uuid\":\"\(Self.uuid)\"}"
            directory.receive(topic: "okaeri/home/region/r\(index)", payload: Self.state(beacon))
        }
        #expect(directory.sites["home"]?.regions.count == 200 && directory.isCut)
        directory = HouseDirectory()
        let large = [UInt8](repeating: 0x20, count: 128 << 10)
        for _ in 0..<200 { directory.receive(topic: "okaeri/home/region/keys", payload: large) }
        directory.receive(topic: "okaeri/home/node/hall/status", payload: Array("online".utf8))
        #expect(directory.isCut && directory.sites["home"] == nil)
    }
}
