import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration

/// The regions of the hub at a standby.
@Suite struct HouseRegionsFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    private func standby(_ regions: String) throws -> MergedConfiguration {
        let file = try folder.file(
            "beacons.json",
            Array(#"{"mqtt": {"host": "localhost"}, "standby": true, "regions": [\#(regions)]}"#.utf8))
        return try MergedConfiguration(file: file, directory: folder.path)
    }

    private func define(_ regions: [Configuration.Region]) throws -> Bool {
        let list = regions.map(\.definition).joined(separator: ",")
        return try HouseRegionsFile(directory: folder.path).write(Array(#"{"regions":[\#(list)]}"#.utf8))
    }

    private func hub(_ regions: String) throws -> [Configuration.Region] {
        try Configuration(json: Array(#"{"sensitivity": "quick", "regions": [\#(regions)]}"#.utf8), file: "hub").regions
    }

    private static let everyKey = """
        {"identifier": "keys", "uuid": "\(uuid)", "major": 1, "minor": 2, "enterRSSI": -80, "exitRSSI": -90, "exitAfter": 20.5,
         "sensitivity": "patient", "measuredPower": -61, "pathLossExponent": 2.5, "notifyOnEntry": false, "ranging": true,
         "battery": "off", "wifi": {"ssid": "Home"}, "onEnter": ["/bin/true"], "scope": "house"},
        {"identifier": "bag \\"お帰り\\"", "anyOf": [{"uuid": "\(uuid)"}, {"uuid": "\(uuid)", "major": 3}], "notifyOnExit": false}
        """

    @Test func `A standby has every setting of the hub's regions, without commands and networks`() throws {
        let regions = try hub(Self.everyKey)
        #expect(try define(regions))
        let merged = try standby("")
        #expect(merged.saved.problems.isEmpty)
        #expect(merged.configuration.regions.map(\.monitored) == regions.map(\.monitored))
        #expect(merged.configuration.regions.allSatisfy { !$0.hasCommands && $0.network == nil && $0.scope == .node })
        #expect(regions.allSatisfy { !$0.definition.contains("/bin/true") && !$0.definition.contains("Home") })
        #expect(try !define(regions), "the same definitions are not a change")
    }

    @Test func `Hooks are those of the standby's own file, and its other regions are not used`() throws {
        _ = try define(try hub(#"{"identifier": "keys", "uuid": "\#(Self.uuid)", "major": 1}"#))
        let merged = try standby(
            """
            {"identifier": "keys", "uuid": "\(Self.uuid)", "major": 1, "onExit": ["/bin/false"], "scope": "house"},
            {"identifier": "shed", "uuid": "\(Self.uuid)", "major": 4}
            """)
        let region = try #require(merged.configuration.regions.first)
        #expect(merged.configuration.regions.count == 1 && region.monitored.constraint?.major == 1)
        #expect(region.onExit == ["/bin/false"] && region.scope == .house)
        #expect(merged.saved.problems == ["the region \"shed\" is not used: the hub has none of this name"])
    }

    @Test(arguments: [#""major": 9"#, #""major": 1, "minor": 2"#])
    func `The definitions of the broker do not choose the beacon that runs a command`(own: String) throws {
        _ = try define(try hub(#"{"identifier": "keys", "uuid": "\#(Self.uuid)", "major": 1}"#))
        let merged = try standby(
            #"{"identifier": "keys", "uuid": "\#(Self.uuid)", \#(own), "onEnter": ["/bin/false"], "wifi": {"ssid": "Home"}}"#
        )
        let region = try #require(merged.configuration.regions.first)
        #expect(region.monitored.constraint?.major == 1 && !region.hasCommands && region.network == nil)
        #expect(
            merged.saved.problems.first?.contains("of the region \"keys\" are not used: the hub has other beacons")
                == true)
    }

    @Test func `Commands, networks and paths of a forged definition have no effect`() throws {
        let forged = """
            {"mqtt": {"host": "evil"}, "regions": [{"identifier": "keys", "uuid": "\(Self.uuid)", "onEnter": ["/bin/rm"],
              "wifi": {"ssid": "evil", "join": "auto"}}, {"identifier": "anna", "phone": "/etc/shadow"}]}
            """
        #expect(try HouseRegionsFile(directory: folder.path).write(Array(forged.utf8)))
        let merged = try standby("")
        let region = try #require(merged.configuration.regions.first)
        #expect(merged.configuration.regions.count == 1 && !region.hasCommands && region.network == nil)
        #expect(
            merged.saved.problems == [
                "the region \"anna\" is not used here: this standby does not have the key of its phone"
            ])
    }

    @Test func `A phone has the key file of the standby's own configuration with the same name`() throws {
        _ = try define(try hub(#"{"identifier": "anna", "phone": "/var/lib/okaeri/anna.irk"}"#))
        let merged = try standby(#"{"identifier": "anna", "phone": "/etc/okaeri/anna.irk"}"#)
        #expect(merged.configuration.regions.map(\.monitored.sign.phoneFile) == ["/etc/okaeri/anna.irk"])
    }

    @Test(arguments: ["", "{", "[]", #"{"regions": [{"identifier": "x"}]}"#, #"{"regions": 3}"#])
    func `Definitions that are malformed are not stored`(_ text: String) throws {
        _ = try define(try hub(#"{"identifier": "keys", "uuid": "\#(Self.uuid)"}"#))
        #expect(throws: ConfigurationError.self) {
            try HouseRegionsFile(directory: folder.path).write(Array(text.utf8))
        }
        #expect(try standby("").configuration.regions.map(\.identifier) == ["keys"])
    }

    @Test func `A damaged file is reported, and the standby has no regions`() throws {
        _ = try folder.file("house.json", Array("{".utf8))
        let merged = try standby("")
        #expect(merged.configuration.regions.isEmpty && !merged.saved.problems.isEmpty)
    }
}
