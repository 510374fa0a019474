import FoundationEssentials
import Glibc
import IBeacon
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration

/// The regions that the page saves, merged into beacons.json.
@Suite struct SavedRegionsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    private static let main = """
        {"sensitivity": "patient", "regions": [
          {"identifier": "home", "uuid": "\(uuid)", "major": 1, "enterRSSI": -80, "exitRSSI": -90,
           "wifi": {"ssid": "HomeNet", "passphraseFile": "/etc/okaeri/HomeNet.psk"}, "onEnter": ["/bin/true"]},
          {"identifier": "shed", "uuid": "\(uuid)", "major": 2, "exitAfter": 20}]}
        """

    private func merged(_ saved: String, main: String = main) throws -> MergedConfiguration {
        try MergedConfiguration(
            json: Array(main.utf8), file: "beacons.json", savedFile: "/s/regions.json",
            saved: Result { () throws(ConfigurationError) in
                try SavedRegions(json: Array(saved.utf8), file: "/s/regions.json")
            })
    }

    private func region(_ name: String, _ merged: MergedConfiguration) throws -> Configuration.Region {
        try #require(merged.configuration.regions.first { $0.identifier == name })
    }

    @Test func `a saved region is added, and replaces keys of one with its identifier`() throws {
        let saved = """
            {"regions": [{"identifier": "keys", "uuid": "\(Self.uuid)", "major": 7, "wifi": {"ssid": "HomeNet"}},
              {"identifier": "shed", "exitAfter": null, "enterRSSI": -70, "exitRSSI": -85, "wifi": {"ssid": "ShedNet"}}]}
            """
        let merged = try merged(saved)
        #expect(merged.configuration.regions.map(\.identifier) == ["home", "shed", "keys"])
        #expect(merged.own.map(\.identifier) == ["home", "shed"])
        #expect(merged.saved.added == ["keys"] && merged.saved.changed == ["shed"] && merged.saved.problems.isEmpty)
        #expect(merged.saved.file(of: "keys") == "/s/regions.json" && merged.saved.file(of: "home") == nil)
        let shed = try region("shed", merged)
        #expect(shed.monitored.exitAfter == nil && shed.monitored.enterRSSI == -70 && shed.network?.ssid == "ShedNet")
        #expect(shed.monitored.constraint?.major == 2, "keys that are not saved stay")
        #expect(try region("keys", merged).monitored.sensitivity == .patient)
        #expect(try Configuration(json: Array(merged.text.utf8), file: "") == merged.configuration)
    }

    @Test func `the page adds a phone and a beacon to regions that exist`() throws {
        let directory = folder.path
        let main = try folder.file("beacons.json", Array(Self.main.utf8))
        try PhoneKeyFile(named: "anna.irk", in: directory).write("ec0234a357c8ad05341010a60a397d9b")
        let files = RegionFiles(file: main, directory: directory, user: 1)
        func add(_ edit: (RegionFiles, RegionFiles.Content) throws(RegionFiles.Refusal) -> RegionFiles.Edit) throws {
            try RegionFiles.write([edit(files, try files.content())])
        }
        let beacon = try #require(BeaconConstraint("\(Self.uuid)/9/4"))
        try add { files, content throws(RegionFiles.Refusal) in try files.adding(phone: "anna", to: "shed", in: content)
        }
        try add { files, content throws(RegionFiles.Refusal) in
            try files.adding(sign: RegionPatch(identifier: "shed", further: beacon), in: content)
        }
        let content = try files.content()
        let shed = try region("shed", content.merged)
        #expect(content.merged.saved.problems.isEmpty && content.merged.saved.changed == ["shed"])
        #expect(shed.monitored.signs.map(\.phoneFile) == [nil, "\(directory)/anna.irk", nil])
        #expect(shed.monitored.signs.map { $0.constraint?.major } == [2, nil, 9])
        #expect(shed.monitored.signs[0].exitAfter == .seconds(20), "the sign of beacons.json keeps its settings")
        let saved = try SavedRegionsFile(directory: directory).regions()
        #expect(saved.phones == ["anna.irk"])
        #expect(try SavedRegions(json: Array(saved.text.utf8), file: "") == saved)
        // A login does not decide which beacons run commands, and a sign is in a region once.
        #expect(throws: RegionFiles.Refusal.self) {
            try files.adding(sign: RegionPatch(identifier: "home", further: beacon), in: content)
        }
        #expect(throws: RegionFiles.Refusal.self) {
            try files.adding(sign: RegionPatch(identifier: "shed", further: beacon), in: content)
        }
        #expect(throws: RegionFiles.Refusal.self) {
            try files.adding(sign: RegionPatch(identifier: "nobody", further: beacon), in: content)
        }
        // The reversal of the page's changes removes the signs and the key.
        try add { files, content throws(RegionFiles.Refusal) in try files.removingChanges(of: "shed", from: content) }
        #expect(try region("shed", try files.content().merged).monitored.signs.count == 1)
        #expect(!PhoneKeyFile(named: "anna.irk", in: directory).exists)
    }

    @Test(arguments: [
        #"[{"phone": "/etc/okaeri/anna.irk"}]"#, #"[{"phone": "../a.irk"}]"#, "[]", "{}", "[3]",
        #"[{"uuid": "x", "onEnter": ["/bin/true"]}]"#, #"[{"uuid": ["x"]}]"#,
        "[" + Array(repeating: #"{"uuid": "x"}"#, count: 64).joined(separator: ",") + "]",
    ])
    func `further signs of a file name no path and no command`(signs: String) {
        let text = #"{"regions": [{"identifier": "home", "furtherSigns": \#(signs)}]}"#
        #expect(throws: ConfigurationError.self) { try SavedRegions(json: Array(text.utf8), file: "") }
    }

    @Test func `further signs of a region with commands, and those without a key, have no effect`() throws {
        let sign = #"{"uuid": "\#(Self.uuid)", "major": 9}"#
        let merged = try merged(
            #"{"regions": [{"identifier": "home", "furtherSigns": [\#(sign)]}, {"identifier": "shed", "furtherSigns": [{"phone": "gone.irk"}]}]}"#
        )
        #expect(try region("home", merged).monitored.signs.count == 1)
        #expect(try region("shed", merged).monitored.signs.count == 1)
        #expect(merged.saved.problems.count == 1 && merged.saved.problems[0].contains("\"shed\" is not used"))
    }

    @Test func `a phone has its key in the state directory, and a phone without a key is not used`() throws {
        let directory = folder.path
        func merged(_ saved: String) throws -> MergedConfiguration {
            _ = try folder.file("regions.json", Array(saved.utf8))
            return try MergedConfiguration(
                json: Array(Self.main.utf8), file: "beacons.json", saved: SavedRegionsFile(directory: directory))
        }
        let saved =
            #"{"regions": [{"identifier": "anna", "phone": "anna.irk"}, {"identifier": "shed", "phone": "a.irk"}]}"#
        var found = try merged(saved)
        #expect(found.configuration.regions.map(\.identifier) == ["home", "shed"])
        #expect(found.saved.problems.count == 1 && found.saved.problems[0].contains("\"anna\" is not used"))
        let key = PhoneKeyFile(named: "anna.irk", in: directory)
        try key.write("ec0234a357c8ad05341010a60a397d9b")
        found = try merged(saved)
        #expect(found.saved.problems.isEmpty && found.saved.added == ["anna"])
        #expect(try region("anna", found).monitored.signs.first?.phoneFile == "\(directory)/anna.irk")
        #expect(try region("shed", found).monitored.otherSigns == nil, "beacons.json decides on its own regions")
        #expect(try SavedRegions(json: Array(saved.utf8), file: "").text.contains(#""phone": "anna.irk""#))
        for name in [
            "../anna.irk", "/etc/okaeri/anna.irk", "anna", ".irk", "state.json", "$CREDENTIALS_DIRECTORY/a.irk",
        ] {
            let text = #"{"regions": [{"identifier": "anna", "phone": "\#(name)"}]}"#
            #expect(throws: ConfigurationError.self, "\(name)") { try SavedRegions(json: Array(text.utf8), file: "") }
        }
        let request = try JSONNode(json: Array(#"{"identifier": "anna", "phone": "anna.irk"}"#.utf8), file: "")
        #expect(throws: ConfigurationError.self, "no request names a file") {
            try RegionPatch(request, place: "region")
        }
    }

    @Test func `commands keep their beacon, and a network of beacons json stays`() throws {
        let saved = """
            {"regions": [{"identifier": "home", "uuid": "00112233-4455-6677-8899-AABBCCDDEEFF", "major": 9,
              "enterRSSI": -75, "wifi": {"ssid": "Evil", "join": "auto"}}]}
            """
        let merged = try merged(saved)
        let home = try region("home", merged)
        let own = try #require(merged.own.first)
        #expect(home.hasSameSigns(as: own) && home.onEnter == ["/bin/true"] && home.network == own.network)
        #expect(home.monitored.enterRSSI == -75)
    }

    @Test(arguments: [
        #"{"regions": [{"identifier": "keys", "uuid": "x", "onEnter": ["/bin/sh"]}]}"#,
        #"{"regions": [{"identifier": "shed", "onExit": ["/bin/sh"]}]}"#,
        #"{"regions": [{"identifier": "shed", "scope": "house"}]}"#,
        #"{"regions": [{"identifier": "shed", "wifi": {"ssid": "a", "passphraseFile": "/etc/shadow"}}]}"#,
        #"{"regions": [], "web": {"listen": "0.0.0.0:80"}}"#, #"{"mqtt": {"host": "evil"}, "regions": []}"#,
        #"{"services": []}"#, #"{"node": {"room": "attic"}}"#, #"{"room": ""}"#, #"{"room": null}"#, #"{"regions": 1}"#,
        #"[]"#, "", "{", #"{"regions": [3]}"#,
        #"{"regions": [{"uuid": "x"}]}"#, #"{"regions": [{"identifier": "a\u001b[2J"}]}"#,
        #"{"regions": [{"identifier": "a"}, {"identifier": "a"}]}"#,
        #"{"regions": ["# + (0...SavedRegions.countLimit).map { #"{"identifier": "\#($0)"}"# }.joined(separator: ",")
            + "]}",
    ])
    func `a file with more than regions of the page is ignored and reported`(saved: String) throws {
        let merged = try merged(saved)
        #expect(merged.configuration.regions == merged.own && merged.configuration.regions.count == 2)
        #expect(!merged.saved.problems.isEmpty && merged.saved.problems.allSatisfy { $0.contains("/s/regions.json") })
        #expect(!merged.saved.problems.joined().contains("/bin/sh"))
    }

    @Test func `a region that is not valid beside beacons json does not hide the others`() throws {
        let saved = """
            {"regions": [{"identifier": "gone", "enterRSSI": -70},
              {"identifier": "home", "exitRSSI": -60}, {"identifier": "bad", "uuid": "none"},
              {"identifier": "keys", "uuid": "\(Self.uuid)", "major": 7}]}
            """
        let merged = try merged(saved)
        #expect(merged.configuration.regions.map(\.identifier) == ["home", "shed", "keys"])
        #expect(try region("home", merged).monitored.exitRSSI == -90)
        #expect(merged.saved.added == ["keys"] && merged.saved.changed.isEmpty)
        try #require(merged.saved.problems.count == 3)
        #expect(merged.saved.problems[0].contains("\"gone\" is not used: beacons.json has no region of this name"))
        #expect(merged.saved.problems[1].contains("\"home\" is not used: exitRSSI: found -60"))
        #expect(merged.saved.problems[2].contains("\"bad\" is not used: uuid: found \"none\""))
    }

    @Test func `a saved room is that of this machine`() throws {
        let main = "{\"node\": {\"room\": \"attic\", \"offset\": 3}, \"regions\": []}"
        #expect(try merged("{}", main: main).configuration.node.room == "attic")
        let saved = try merged(#"{"room": "台所", "regions": []}"#, main: main)
        #expect(saved.configuration.node.room == "台所" && saved.configuration.node.offset == 3)
        #expect(saved.saved.room == "台所" && saved.saved.problems.isEmpty)
    }

    @Test func `mistakes in beacons json itself are thrown`() throws {
        #expect(throws: ConfigurationError.self) { try merged("{}", main: "{\"regions\": [{}]}") }
    }

    // MARK: - The file

    private var saved: SavedRegionsFile { SavedRegionsFile(directory: folder.path) }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: saved.path)) }

    @Test func `what is saved is read again, with a mode for the owner and the group`() throws {
        var regions = try saved.regions()
        #expect(regions == SavedRegions())
        try regions.set(RegionPatch(identifier: "お帰り", .major(#require(BeaconUUID(Self.uuid)), 7)), isNew: true)
        var change = RegionPatch(identifier: "shed")
        change["exitAfter"] = .null
        change["wifi"] = ["ssid": .string("Shed\"Net"), "join": .string("off")]
        try regions.set(change, isNew: false)
        try saved.file.write(regions.text, replacing: nil)
        #expect(try saved.regions().text == regions.text)
        #expect(
            regions.text.contains(
                "{\"identifier\": \"shed\", \"exitAfter\": null, \"wifi\": {\"ssid\": \"Shed\\\"Net\""))
        var status = stat()
        #expect(stat(saved.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        try regions.set(RegionPatch(identifier: "お帰り", .uuid(#require(BeaconUUID(Self.uuid)))), isNew: true)
        #expect(!regions.text.contains("major"), "the other UUID means its own major and minor")
        regions.room = "attic"
        #expect(try SavedRegions(json: Array(regions.text.utf8), file: "").room == "attic")
        regions.rename("お帰り", to: "keys")
        #expect(regions["お帰り"] == nil && regions["keys"] != nil)
        #expect(regions.remove("keys") && !regions.remove("keys"))
    }

    @Test func `links, other files than files, and files that others may write are not read`() throws {
        let (path, other) = (saved.path, "\(folder.path)/other")
        try write("{}")
        #expect(chmod(path, 0o666) == 0)
        #expect(throws: ConfigurationError.self) { try saved.bytes() }
        #expect(chmod(path, 0o640) == 0 && link(path, other) == 0)
        #expect(throws: ConfigurationError.self) { try saved.bytes() }
        #expect(unlink(path) == 0 && symlink(other, path) == 0)
        #expect(throws: ConfigurationError.self) { try saved.bytes() }
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(throws: ConfigurationError.self) { try saved.bytes() }
        #expect(unlink(path) == 0)
        try write(String(repeating: " ", count: SavedRegions.sizeLimit + 1))
        #expect(throws: ConfigurationError.self) { try saved.bytes() }
        try write(String(repeating: " ", count: SavedRegions.sizeLimit))
        #expect(try saved.bytes()?.count == SavedRegions.sizeLimit)
    }

    @Test func `commands merge the regions of the service into its own file alone`() {
        func directory(_ file: String, _ named: String? = nil) -> String? {
            SavedRegionsFile.directory(of: file, named: named, environment: [:], isRoot: true)
        }
        #expect(directory("/etc/okaeri/beacons.json") == "/var/lib/okaeri")
        #expect(directory("./beacons.json") == nil && directory("./beacons.json", "/s") == "/s")
    }
}
