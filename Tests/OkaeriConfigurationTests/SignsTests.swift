import IBeacon
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents

/// The signs of a region in beacons.json.
@Suite struct SignsTests {
    private func configuration(_ members: String) throws(ConfigurationError) -> Configuration {
        let json = #"{"sensitivity": "patient", "regions": [{"identifier": "anna", \#(members)}]}"#
        return try Configuration(json: Array(json.utf8), file: "beacons.json")
    }

    private func problems(_ members: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try configuration(members)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    private static let two = """
        "anyOf": [{"uuid": "\(uuidText)", "major": 1, "minor": 1, "enterRSSI": -70, "exitRSSI": -80, "measuredPower": -65},
          {"uuid": "\(uuidText)", "major": 1, "minor": 2, "exitAfter": 600, "sensitivity": "quick", "pathLossExponent": 3}],
        "ranging": true
        """

    @Test func `each sign has its own settings`() throws {
        let region = try #require(try configuration(Self.two).regions.first).monitored
        #expect(region.identifier == "anna" && region.ranging == .whileInside)
        #expect(
            region.signs == [
                RegionSign(
                    .beacon(.minor(home.uuid, 1, 1)), enterRSSI: -70, exitRSSI: -80, sensitivity: .patient,
                    measuredPower: -65),
                RegionSign(
                    .beacon(.minor(home.uuid, 1, 2)), exitAfter: .seconds(600), sensitivity: .quick, pathLossExponent: 3
                ),
            ])
        #expect(region.constraint == nil && region.onlySign == nil)
    }

    @Test func `a key of a sign beside anyOf is a mistake`() {
        #expect(
            problems(#""uuid": "\#(uuidText)", "anyOf": [{"uuid": "\#(uuidText)"}], "exitAfter": 5"#) == [
                "regions[0].uuid: found a key beside anyOf, expected this key in the elements of anyOf",
                "regions[0].exitAfter: found a key beside anyOf, expected this key in the elements of anyOf",
            ])
    }

    @Test(arguments: [
        "[]", "{}", "[" + (1...9).map { #"{"uuid": "\#(uuidText)", "major": \#($0)}"# }.joined(separator: ",") + "]",
    ])
    func `there are one to eight signs`(_ signs: String) {
        #expect(problems(#""anyOf": \#(signs)"#).map { $0.hasSuffix("expected an array of 1 to 8 signs") } == [true])
    }

    @Test func `mistakes of a sign name their place`() {
        #expect(
            problems(#""anyOf": [{"uuid": "\#(uuidText)"}, {"major": 1}, {"uuid": "\#(uuidText)", "onEnter": []}, 7]"#)
                == [
                    "regions[0].anyOf[1].uuid: found nothing, expected a UUID such as 5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34",
                    "regions[0].anyOf[2].onEnter: found an unknown key, expected one of phone, uuid, major, minor, mask, "
                        + "enterRSSI, exitRSSI, exitAfter, sensitivity, measuredPower, pathLossExponent",
                    "regions[0].anyOf[2].uuid: found the beacons of anyOf[0], expected other signs",
                    "regions[0].anyOf[3]: found 7, expected an object",
                ])
    }

    @Test func `the house has two commands`() throws {
        let json = #"{"regions": [], "house": {"onOccupied": ["/bin/on", "1"], "onEmpty": ["/bin/off"]}}"#
        let configuration = try Configuration(json: Array(json.utf8), file: "beacons.json")
        #expect(configuration.house == .init(onOccupied: ["/bin/on", "1"], onEmpty: ["/bin/off"]))
        #expect(try !CommandRedaction(json, file: "beacons.json").text.contains("/bin"), "the page shows no command")
        let wrong = #"{"regions": [], "house": {"onOccupied": ["bin/on"], "onLeft": []}}"#
        #expect(throws: ConfigurationError.self) { try Configuration(json: Array(wrong.utf8), file: "beacons.json") }
    }

    @Test func `a further sign of a saved region is one of those that run the commands of the house`() throws {
        let json = #"{"regions": [], "house": {"onOccupied": ["/bin/on"]}}"#
        let configuration = try Configuration(json: Array(json.utf8), file: "beacons.json")
        func commands(_ signs: String) throws -> [Configuration.EventCommand] {
            let saved = #"{"regions": [{"identifier": "anna", \#(signs)}]}"#
            return configuration.commands(with: try SavedRegions(json: Array(saved.utf8), file: "regions.json"))
        }
        let phone = #""phone": "anna.irk""#
        let before = try commands(phone)
        for further in [#"{"uuid": "\#(uuidText)", "major": 1}"#, #"{"phone": "tag.irk"}"#] {
            let changed = try commands(#"\#(phone), "furtherSigns": [\#(further)]"#)
            #expect(changed.count == 1 && !before.contains { $0.isSame(as: changed[0]) }, "\(further)")
            #expect(changed[0].trigger.description.contains(further.contains("uuid") ? uuidText : "tag.irk"))
        }
        #expect(try commands(phone).allSatisfy { command in before.contains { $0.isSame(as: command) } })
    }

    @Test func `the page changes no sign, and destroys none`() throws {
        let folder = try TemporaryFolder()
        let text = #"{"regions": [{"identifier": "anna", \#(Self.two)}]}"#
        let file = try folder.file("beacons.json", Array(text.utf8))
        for directory in [nil, folder.path] {
            let files = RegionFiles(file: file, directory: directory, user: 4321)
            let content = try files.content()
            var draft = RegionPatch(identifier: "anna")
            draft["enterRSSI"] = .number(-60)
            #expect(throws: RegionFiles.Refusal.self) { try files.setting(draft, name: nil, in: content) }
            draft = RegionPatch(identifier: "anna", .uuid(home.uuid))
            #expect(throws: RegionFiles.Refusal.self) { try files.setting(draft, name: nil, in: content) }
            draft = RegionPatch(identifier: "anna")
            draft["wifi"] = ["ssid": .string("HomeNet")]
            let edit = try #require(try files.setting(draft, name: nil, in: content).last)
            #expect(edit.path != file || edit.text.contains(#""minor": 2, "exitAfter": 600"#))
        }
    }

    @Test func `regions json cannot replace the signs`() throws {
        let saved = #"{"regions": [{"identifier": "anna", "uuid": "\#(uuidText)"}]}"#
        let merged = try MergedConfiguration(
            json: Array(#"{"regions": [{"identifier": "anna", \#(Self.two)}]}"#.utf8), file: "beacons.json",
            savedFile: "regions.json",
            saved: Result { () throws(ConfigurationError) in
                try SavedRegions(json: Array(saved.utf8), file: "regions.json")
            })
        #expect(merged.configuration.regions.first?.monitored.signs.count == 2)
        #expect(merged.saved.problems.count == 1)
    }
}
