import IBeacon
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents

/// The mask of a region in beacons.json.
@Suite struct MaskConfigurationTests {
    private func configuration(_ members: String) throws(ConfigurationError) -> Configuration {
        let json = #"{"regions": [{"identifier": "tag", "uuid": "\#(uuidText)", \#(members)}]}"#
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

    @Test func `a mask has the bits that count, all of them by default`() throws {
        let last = "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFF00"
        let region = try configuration(
            #""major": 1, "minor": 599, "mask": {"uuid": "\#(last)", "major": "ff00", "minor": "FF00"}"#)
        let owner = try #require(BeaconUUID(last))
        let mask = try #require(BeaconMask(uuid: owner, major: 0xFF00, minor: 0xFF00))
        #expect(region.regions[0].monitored.constraint == BeaconConstraint.minor(home.uuid, 1, 599).masked(by: mask))
        let minor = try configuration(#""major": 1, "minor": 599, "mask": {"minor": "FF00"}"#).regions[0]
        #expect(minor.monitored.signsText == "\(uuidText)/1/512:FF00")
        #expect(try configuration(#""mask": {}"#).regions[0].monitored.constraint == .uuid(home.uuid))
    }

    @Test func `a malformed mask is refused with the reason`() {
        let digits = "expected four hexadecimal digits in quotation marks, such as \"FF00\""
        #expect(problems(#""mask": "FF00""#) == [#"regions[0].mask: found "FF00", expected an object"#])
        #expect(problems(#""mask": {"minor": "FF"}"#) == [#"regions[0].mask.minor: found "FF", \#(digits)"#])
        #expect(problems(#""mask": {"major": 65280}"#) == [#"regions[0].mask.major: found 65280, \#(digits)"#])
        #expect(problems(#""mask": {"minor": "0xF0"}"#) == [#"regions[0].mask.minor: found "0xF0", \#(digits)"#])
        #expect(problems(#""mask": {"minr": "FF00"}"#).first?.hasSuffix("did you mean \"minor\"?") == true)
        #expect(
            problems(#""mask": {"uuid": "00000000-0000-0000-0000-0000000000FF"}"#) == [
                "regions[0].mask.uuid: found 00000000-0000-0000-0000-0000000000FF, expected at least 64 bits that count, "
                    + "because the beacons of others would match"
            ])
        #expect(
            problems(#""mask": {"uuid": "FF"}"#) == [
                "regions[0].mask.uuid: found \"FF\", expected a UUID with the digits F and 0, such as "
                    + "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFF00"
            ])
    }

    @Test func `a phone has no mask`() {
        let json = #"{"regions": [{"identifier": "anna", "phone": "/etc/anna.irk", "mask": {}}]}"#
        #expect(throws: ConfigurationError.self) { try Configuration(json: Array(json.utf8), file: "beacons.json") }
    }

    @Test func `two signs that mean the same beacons are a mistake`() {
        let json = """
            {"regions": [{"identifier": "tag", "anyOf": [
              {"uuid": "\(uuidText)", "major": 1, "minor": 513, "mask": {"minor": "FF00"}},
              {"uuid": "\(uuidText)", "major": 1, "minor": 514, "mask": {"minor": "FF00"}}]}]}
            """
        #expect(throws: ConfigurationError.self) { try Configuration(json: Array(json.utf8), file: "beacons.json") }
    }

    @Test func `a standby has the masks of the hub's regions`() throws {
        let folder = try TemporaryFolder()
        let hub = try configuration(#""major": 1, "minor": 599, "mask": {"major": "FF0F", "minor": "FF00"}"#).regions
        #expect(hub[0].definition.contains(#""mask":{"major":"FF0F","minor":"FF00"}"#))
        let file = HouseRegionsFile(directory: folder.path)
        #expect(try file.write(Array(#"{"regions":[\#(hub[0].definition)]}"#.utf8)))
        #expect(try file.regions().map(\.monitored) == hub.map(\.monitored))
    }

    // MARK: Changes

    private static let text = """
        {"regions": [{"identifier": "tag", "uuid": "\(uuidText)", "major": 1, "minor": 599, "mask": {"minor": "FF00"}}]}
        """

    private func constraint(in text: String) throws -> BeaconConstraint? {
        try ConfigurationText(text, file: "beacons.json").configuration().regions[0].monitored.constraint
    }

    private func constraint(after patch: String) throws -> BeaconConstraint? {
        let request = try JSONNode(json: Array(patch.utf8), file: "the request")
        let text = try ConfigurationText(Self.text, file: "beacons.json")
            .setting(RegionPatch(request, place: "region"))
        return try constraint(in: text)
    }

    @Test func `a change of other keys, or to the same beacons, keeps the mask`() throws {
        let before = try constraint(in: Self.text)
        #expect(try constraint(after: #"{"identifier": "tag", "exitAfter": 20}"#) == before)
        // The page has the numbers of the status, which are those of the bits that count.
        #expect(
            try constraint(after: #"{"identifier": "tag", "uuid": "\#(uuidText)", "major": 1, "minor": 512}"#) == before
        )
        let group = try constraint(after: #"{"identifier": "tag", "uuid": "\#(uuidText)", "major": 1}"#)
        let mask = try #require(BeaconMask(minor: 0xFF00))
        #expect(group == BeaconConstraint.major(home.uuid, 1).masked(by: mask))
    }

    @Test func `other beacons have no mask unless the change names one`() throws {
        let other = #"{"identifier": "tag", "uuid": "\#(uuidText)", "major": 1, "minor": 900}"#
        #expect(try constraint(after: other) == .minor(home.uuid, 1, 900))
        let numbers = #""uuid": "\#(uuidText)", "major": 1, "minor": 900"#
        let named = #"{"identifier": "tag", \#(numbers), "mask": {"major": "FFF0"}}"#
        let mask = try #require(BeaconMask(major: 0xFFF0))
        #expect(try constraint(after: named) == BeaconConstraint.minor(home.uuid, 1, 900).masked(by: mask))
        #expect(try constraint(after: #"{"identifier": "tag", "mask": null}"#) == .minor(home.uuid, 1, 599))
        #expect(throws: ConfigurationError.self) {
            try constraint(after: #"{"identifier": "tag", "mask": {"other": "FF00"}}"#)
        }
    }

    @Test func `a constraint with a mask is written as it is read`() throws {
        let mask = try #require(BeaconMask(minor: 0xFF00))
        let beacons = BeaconConstraint.minor(home.uuid, 1, 599).masked(by: mask)
        let text = try ConfigurationText(nil, file: "beacons.json").setting(RegionPatch(identifier: "tag", beacons))
        #expect(text.contains(#""mask": { "minor": "FF00" }"#))
        #expect(try constraint(in: text) == beacons)
    }
}
