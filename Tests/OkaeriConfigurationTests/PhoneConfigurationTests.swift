import FoundationEssentials
import Glibc
import HCI
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration

struct PhoneConfigurationTests {
    private static let digits = "ec0234a357c8ad05341010a60a397d9b"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configuration(_ keys: String) throws(ConfigurationError) -> Configuration {
        try Configuration(
            json: Array(#"{"regions": [{"identifier": "anna", \#(keys)}]}"#.utf8), file: "beacons.json")
    }

    private func problems(_ keys: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try configuration(keys)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    private func key(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
        let path = try folder.file(name, Array(text.utf8))
        chmod(path, mode)
        return path
    }

    @Test func `a phone is a sign with settings of its own`() throws {
        let alone = try configuration(#""phone": "/etc/okaeri/anna.irk""#)
        #expect(alone.regions[0].monitored.signs == [RegionSign(.phone(file: "/etc/okaeri/anna.irk"))])
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let several = try configuration(
            #""anyOf": [{"uuid": "\#(uuid)"}, {"phone": "$CREDENTIALS_DIRECTORY/anna", "exitAfter": 90, "exitRSSI": -95}]"#
        )
        let sign = several.regions[0].monitored.signs[1]
        #expect(sign.identity == .phone(file: "$CREDENTIALS_DIRECTORY/anna"))
        #expect(sign.exitAfter == .seconds(90) && sign.exitRSSI == -95)
    }

    @Test(arguments: [
        (
            #""phone": "anna.irk""#,
            "regions[0].phone: found a string, expected an absolute path, or $CREDENTIALS_DIRECTORY/NAME"
        ),
        (
            #""phone": "ec0234a357c8ad05341010a60a397d9b""#,
            "regions[0].phone: found a string, expected an absolute path"
        ),
        (
            #""phone": "/a.irk", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0""#,
            "regions[0].uuid: found a key beside phone, expected a beacon or a phone"
        ),
        (
            #""anyOf": [{"phone": "/a.irk"}, {"phone": "/a.irk"}]"#,
            "regions[0].anyOf[1].phone: found the phone of anyOf[0], expected other signs"
        ),
    ])
    func `a mistake is reported without the value`(keys: String, problem: String) {
        #expect(problems(keys).count == 1 && problems(keys)[0].hasPrefix(problem), "\(problems(keys))")
    }

    @Test func `the number of phones is limited`() throws {
        func regions(_ count: Int) -> String {
            "{\"regions\": ["
                + (0..<count).map { #"{"identifier": "\#($0)", "phone": "/\#($0).irk"}"# }.joined(separator: ",") + "]}"
        }
        _ = try Configuration(json: Array(regions(64).utf8), file: "")
        #expect(throws: ConfigurationError.self) { try Configuration(json: Array(regions(65).utf8), file: "") }
    }

    @Test(arguments: [digits, "9b7d390aa610103405adc857a33402ec"])
    func `a second file with the key of a phone is reported, in either order of bytes`(copy: String) throws {
        let (first, second) = (try key("anna.irk", Self.digits), try key("bob.irk", copy))
        var found = try configuration(#""anyOf": [{"phone": "\#(first)"}, {"phone": "\#(second)"}]"#)
        let error = #expect(throws: ConfigurationError.self) { try found.readIdentities(file: "beacons.json") }
        let problem = try #require(error?.problems.first?.description)
        #expect(problem.hasPrefix("regions[0].anyOf[1].phone: found a second file with the key of \(first), expected"))
        let known = try #require(IdentityResolvingKey(copy))
        #expect(try configuration(#""phone": "\#(first)""#).readPhoneFile(of: known) == first)
        let other = try #require(IdentityResolvingKey("000102030405060708090a0b0c0d0e0f"))
        #expect(try configuration(#""phone": "\#(first)""#).readPhoneFile(of: other) == nil)
    }

    @Test func `a deleted region of the page leaves a key that beacons.json names`() throws {
        for isNamed in [true, false] {
            let directory = try TemporaryFolder()
            let key = try directory.file("anna.irk", Array(Self.digits.utf8))
            _ = try directory.file(
                "regions.json", Array(#"{"regions": [{"identifier": "anna", "phone": "anna.irk"}]}"#.utf8))
            let own = isNamed ? #"{"identifier": "home", "phone": "\#(key)"}"# : ""
            let file = try folder.file("beacons.json", Array(#"{"regions": [\#(own)]}"#.utf8))
            let files = RegionFiles(file: file, directory: directory.path, user: 4321)
            try RegionFiles.write(files.removing("anna", from: files.content()))
            #expect(try files.content().merged.configuration.regions.map(\.identifier) == (isNamed ? ["home"] : []))
            #expect((access(key, F_OK) == 0) == isNamed)
        }
    }

    /// A region that `beacons.json` and `regions.json` have, with a key of the page.
    private func filesOfAnna(in directory: borrowing TemporaryFolder) throws -> RegionFiles {
        _ = try directory.file("anna.irk", Array(Self.digits.utf8))
        _ = try directory.file(
            "regions.json", Array(#"{"regions": [{"identifier": "anna", "phone": "anna.irk"}]}"#.utf8))
        let file = try folder.file(
            "beacons.json",
            Array(#"{"regions": [{"identifier": "anna", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}]}"#.utf8))
        return RegionFiles(file: file, directory: directory.path, user: geteuid())
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func `A conflict at one of the two files of a region changes neither of them`() throws {
        for name in ["beacons.json", "regions.json"] {
            let directory = try TemporaryFolder()
            let files = try filesOfAnna(in: directory)
            let paths = ["\(folder.path)/beacons.json", "\(directory.path)/regions.json"]
            let edits = try files.removing("anna", from: try files.content())
            #expect(edits.count == 2)
            let other = #"{"regions": []}"#
            try other.write(
                toFile: try #require(paths.first { $0.hasSuffix(name) }), atomically: false, encoding: .utf8)
            let before = try paths.map(text)
            let error = #expect(throws: WriteObstacle.self) { try RegionFiles.write(edits) }
            #expect(error?.problem == .changed)
            #expect(try paths.map(text) == before)
            #expect(access("\(directory.path)/anna.irk", F_OK) == 0)
        }
    }

    @Test func `A failure at the second file takes back the first one`() throws {
        let directory = try TemporaryFolder()
        let files = try filesOfAnna(in: directory)
        // The previous version of beacons.json cannot be kept.
        let backup = "\(folder.path)/beacons.json.bak"
        try FileManager.default.createDirectory(atPath: backup, withIntermediateDirectories: false)
        let paths = ["\(folder.path)/beacons.json", "\(directory.path)/regions.json"]
        let before = try paths.map(text)
        let edits = try files.removing("anna", from: try files.content())
        #expect(throws: WriteObstacle.self) { try RegionFiles.write(edits) }
        #expect(try paths.map(text) == before)
        #expect(access("\(directory.path)/anna.irk", F_OK) == 0)
        // The text that was refused is not kept as the previous version.
        #expect(edits[0].path == paths[1] && access("\(paths[1]).bak", F_OK) != 0)
        try FileManager.default.removeItem(atPath: backup)
        try RegionFiles.write(edits)
        #expect(try files.content().merged.configuration.regions.isEmpty)
        #expect(access("\(directory.path)/anna.irk", F_OK) != 0)
    }

    @Test func `keys are read from their files, and a bad file is reported with its place`() throws {
        let good = try key("anna.irk", Self.digits + "\n")
        var found = try configuration(#""phone": "\#(good)""#)
        try found.readIdentities(file: "beacons.json")
        #expect(found.identities == [good: try #require(DeviceIdentity(Self.digits))])
        for (path, words) in [
            (try key("open.irk", Self.digits, mode: 0o644), "has mode 0644"),
            (try key("short.irk", String(Self.digits.dropLast())), "is not an identity resolving key"),
            ("/none.irk", "No such file"),
        ] {
            var bad = try configuration(#""phone": "\#(path)""#)
            let error = #expect(throws: ConfigurationError.self) { try bad.readIdentities(file: "beacons.json") }
            let text = error?.description ?? ""
            #expect(text.hasPrefix("beacons.json: regions[0].phone: ") && text.contains(words), "\(text)")
            #expect(!text.contains("ec0234"))
        }
    }

    @Test func `config check examines the key file of a phone`() throws {
        func remarks(_ path: String) throws -> [ConfigurationCheck.Remark] {
            ConfigurationCheck(
                try configuration(#""phone": "\#(path)""#),
                account: ServiceAccount(user: geteuid(), groups: [getegid()], isOwn: true), firstPort: 1024,
                mayUseAllPorts: false
            ).remarks
        }
        #expect(try remarks(key("good.irk", Self.digits)).isEmpty)
        for path in [try key("open.irk", Self.digits, mode: 0o640), try key("none.irk", "secret words")] {
            let found = try remarks(path)
            #expect(found.map(\.place) == ["regions[0].phone"] && found[0].isError)
            #expect(!found[0].description.contains("ec0234") && !found[0].description.contains("secret words"))
        }
    }
}
