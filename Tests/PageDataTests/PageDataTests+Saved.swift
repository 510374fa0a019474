import FoundationEssentials
import Glibc
import HTTPTypes
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHistory
import OkaeriPlumbing
import OkaeriServer
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriDaemon

/// The changes that are saved beside a beacons.json of root.
extension PageDataTests {
    /// A daemon of the package: it may not write beacons.json, and writes in its state directory.
    private var packaged: PageData {
        PageData(
            directory: folder.path, file: file, wifi: SimulatedWiFi(inSight: []), now: { Self.now },
            reload: { [reloads] in reloads.count.withLock { $0 += 1 } }, user: 4321)
    }

    private func set(packaged request: String) async throws(PageFailure) -> ConfigurationReport {
        try await packaged.set(Array(request.utf8))
    }

    private var saved: String { folder.text("regions.json") ?? "" }

    private func effective() throws -> [Configuration.Region] {
        try MergedConfiguration(file: file, directory: folder.path).configuration.regions
    }

    @Test func `a region of the page is saved in a file of the daemon, and beacons json stays`() async throws {
        try write(Self.full)
        let before = try await packaged.configuration()
        #expect(before.writable && before.file == file && before.regions?.map(\.fixed) == [true])
        let report = try await set(packaged: Self.keys)
        #expect(report.written == true && report.file == "\(folder.path)/regions.json" && report.text == saved)
        #expect(text == Self.full && reloads.count.withLock(\.self) == 1)
        #expect(try effective().map(\.identifier) == ["home", "keys"])
        let after = try await packaged.configuration()
        #expect(after.text.contains("\"keys\"") && after.redacted && !after.text.contains("--token"))
        #expect(
            after.regions == [
                .init(identifier: "home", file: file, fixed: true),
                .init(identifier: "keys", file: "\(folder.path)/regions.json", fixed: false),
            ])
    }

    @Test func `a user of Home Assistant who may not do everything sets no network of a region`() async throws {
        try write(Self.full)
        let user = try #require(ProxyUser(id: "4f1c", login: "bert"))
        let session = LoginStore(digest: { $0 }).session(of: user, rights: .change)
        for network in [#"{"ssid": "OfTheNeighbour", "join": "auto"}"#, #"{"ssid": "OfTheNeighbour"}"#, "null"] {
            let request = Self.keys.replacing(#""major""#, with: #""wifi": \#(network), "major""#)
            try #require(request.contains(network))
            await #expect(throws: PageFailure(.forbidden, .notListed, "bert")) {
                _ = try await packaged.set(Array(request.utf8), by: session)
            }
        }
        #expect(try effective().map(\.identifier) == ["home"])
        #expect(try await packaged.set(Array(Self.keys.utf8), by: session).written == true)
    }

    @Test func `a change of a region of beacons json is kept beside it, and commands keep their beacon`() async throws {
        try write(Self.full)
        let change = #"{"region": {"identifier": "home", "enterRSSI": -70, "exitRSSI": -85, "sensitivity": "quick"}}"#
        #expect(try await set(packaged: change).written == true)
        #expect(try await set(packaged: #"{"region": {"identifier": "home", "exitAfter": null}}"#).written == true)
        let home = try #require(try effective().first)
        #expect(home.monitored.enterRSSI == -70 && home.monitored.exitAfter == nil && home.hasCommands)
        #expect(home.monitored.sensitivity == .quick && text == Self.full)
        #expect(try await packaged.configuration().regions?[0].changed == "\(folder.path)/regions.json")
        for member in ["\"major\": 2", "\"wifi\": null", "\"wifi\": {\"ssid\": \"Evil\"}"] {
            let request = "{\"region\": {\"identifier\": \"home\", \(member)}}"
            #expect(await status { () async throws(PageFailure) in try await set(packaged: request) } == .forbidden)
        }
        let invalid = #"{"region": {"identifier": "home", "exitRSSI": -60}}"#
        #expect(await status { () async throws(PageFailure) in try await set(packaged: invalid) } == .badRequest)
    }

    @Test func `the page's changes of a region of beacons json are taken back`() async throws {
        try write(Self.full)
        let before = try effective()
        _ = try await set(packaged: Self.keys)
        let change = #"{"region": {"identifier": "home", "enterRSSI": -70, "exitRSSI": -85, "sensitivity": "quick"}}"#
        _ = try await set(packaged: change)
        #expect(try effective().first != before.first)
        #expect(try await packaged.removeChanges(of: "home").written == true)
        #expect(try effective().first == before.first && effective().map(\.identifier) == ["home", "keys"])
        #expect(reloads.count.withLock(\.self) == 3)
        for name in ["home", "keys", "gone"] {
            #expect(
                await status { () async throws(PageFailure) in try await packaged.removeChanges(of: name) } == .notFound
            )
        }
    }

    @Test func `a region of the page is renamed and deleted, one of beacons json is not`() async throws {
        try write(Self.full)
        _ = try await set(packaged: Self.keys)
        let renamed = try await set(packaged: #"{"region": {"identifier": "keys", "exitAfter": 60}, "name": "鍵"}"#)
        #expect(renamed.written == true && !saved.contains("keys"))
        #expect(try effective().last?.monitored.exitAfter == .seconds(60))
        for (name, expected) in [
            ("home", HTTPResponse.Status.badRequest), ("", .badRequest), ("a\\u001b", .badRequest),
        ] {
            let request = "{\"region\": {\"identifier\": \"鍵\"}, \"name\": \"\(name)\"}"
            #expect(await status { () async throws(PageFailure) in try await set(packaged: request) } == expected)
        }
        let other = #"{"region": {"identifier": "home"}, "name": "house"}"#
        #expect(await status { () async throws(PageFailure) in try await set(packaged: other) } == .forbidden)
        do throws(PageFailure) {
            _ = try await packaged.remove(region: "home")
            Issue.record("a region of beacons.json was deleted")
        } catch {
            #expect(error.status == .forbidden && error.sentence.contains("home"))
        }
        try write(#"{"regions": [{"identifier": "shed", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}]}"#)
        do throws(PageFailure) {
            _ = try await packaged.remove(region: "shed")
            Issue.record("a region of beacons.json was deleted")
        } catch {
            #expect(error.status == .forbidden && error.sentence.contains("it is in \(file)"))
        }
        #expect(try await packaged.remove(region: "鍵").written == true)
        #expect(try effective().map(\.identifier) == ["shed"])
        #expect(await status { () async throws(PageFailure) in try await packaged.remove(region: "鍵") } == .notFound)
        #expect(reloads.count.withLock(\.self) == 3)
    }

    @Test func `where beacons json can be written, its regions are renamed and deleted there`() async throws {
        try write(
            """
            {
              "regions": [
                {"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1},
                {"identifier": "shed", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 2},
                {"identifier": "cat", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "onEnter": ["/bin/true"]}
              ]
            }

            """)
        #expect(try await set(#"{"region": {"identifier": "home"}, "name": "house"}"#).written == true)
        #expect(text.contains("{\"identifier\": \"house\", \"uuid\""))
        #expect(try await page().remove(region: "shed").written == true)
        #expect(!text.contains("shed") && text.contains("\"major\": 1},\n    {\"identifier\": \"cat\""))
        for body in [#"{"region": {"identifier": "cat"}, "name": "dog"}"#] {
            #expect(await status { () async throws(PageFailure) in try await set(body) } == .forbidden)
        }
        #expect(await status { () async throws(PageFailure) in try await page().remove(region: "cat") } == .forbidden)
        #expect(try await page().remove(region: "house").written == true)
        #expect(try effective().map(\.identifier) == ["cat"] && saved.isEmpty)
    }

    @Test func `the room of this machine is set and taken back`() async throws {
        try write(#"{"node": {"room": "attic"}, "regions": []}"#)
        #expect(try await packaged.set(room: Array(#"{"room": "kitchen"}"#.utf8)).written == true)
        #expect(try await packaged.configuration().room == "kitchen")
        _ = try await set(packaged: Self.keys)
        #expect(try await packaged.set(room: Array(#"{"room": null}"#.utf8)).written == true)
        #expect(try await packaged.configuration().room == "attic" && saved.contains("keys"))
        for request in [
            #"{"room": "kitchen", "hook": 1}"#, "", "{}", #"{"room": ""}"#, #"{"room": "a\u001b"}"#, #"{"room": 3}"#,
        ] {
            let found = await status { () async throws(PageFailure) in
                try await packaged.set(room: Array(request.utf8))
            }
            #expect(found == .badRequest)
        }
        #expect(reloads.count.withLock(\.self) == 3)
    }

    @Test func `a damaged file of the page is reported, and is not replaced by a change`() async throws {
        try write(Self.full)
        _ = try folder.file("regions.json", Array("{\"web\": {}}".utf8))
        let report = try await packaged.configuration()
        #expect(report.problems?.count == 1 && report.regions?.map(\.identifier) == ["home"])
        #expect(await status { () async throws(PageFailure) in try await set(packaged: Self.keys) } == .forbidden)
        #expect(saved == "{\"web\": {}}")
    }

    private func add(_ page: PageData, sign: String) async throws(PageFailure) -> ConfigurationReport {
        try await page.add(sign: Array(sign.utf8))
    }

    private static let mask = #", "mask": {"minor": "00FF"}"#

    /// A region with a mask in `regions.json` or `beacons.json`.
    @Test(arguments: [true, false], [true, false])
    func `a mask goes with its numbers, in each file`(isSaved: Bool, isOwn: Bool) async throws {
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let numbers = "\"identifier\": \"new\", \"uuid\": \"\(uuid)\", \"major\": 1, \"minor\": 2"
        try write("{\"regions\": [\(isOwn ? "{\(numbers)}" : "")]}\n")
        func change(_ members: String) async throws(PageFailure) {
            let request = "{\"region\": {\(members)}}"
            _ = try await isSaved ? set(packaged: request) : set(request)
        }
        try await change(numbers + Self.mask)
        try await change("\"identifier\": \"new\", \"enterRSSI\": -80")
        #expect(try effective().map(\.identitiesText) == ["\(uuid)/1/2:00FF"])
        try await change(numbers.replacing("\"minor\": 2", with: "\"minor\": 513"))
        #expect(try effective().map(\.identitiesText) == ["\(uuid)/1/513"])
    }

    @Test func `a further sign has a mask and any numbers, and nothing else`() async throws {
        try write(#"{"regions": [{"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}]}"#)
        let uuid = "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F"
        let signs = [
            "\"major\": 1, \"minor\": 2" + Self.mask, "\"major\": null, \"minor\": null", "\"major\": 7",
        ]
        for (index, sign) in signs.enumerated() {
            let own = uuid.dropLast() + "\(index)"
            let request = "{\"region\": \"home\", \"uuid\": \"\(own)\", \(sign)}"
            let answer = await status { () async throws(PageFailure) in try await add(packaged, sign: request) }
            #expect(answer == .ok, "\(sign)")
        }
        let first = uuid.dropLast() + "0"
        #expect(try effective()[0].identitiesText.contains("\(first)/1/2:00FF"), "\(saved)")
        for wrong in [
            "{}", "[]", #"{"region": "home"}"#, #"{"region": "home", "uuid": "x"}"#,
            "{\"region\": \"home\", \"uuid\": \"\(uuid)\", \"major\": 70000}",
            "{\"region\": \"home\", \"uuid\": \"\(uuid)\", \"phone\": \"/etc/shadow\"}",
            "{\"region\": \"home\", \"uuid\": \"\(uuid)\", \"mask\": {\"phone\": \"a\"}}",
            "{\"region\": \"home\", \"uuid\": \"\(uuid)\", \"mask\": {\"minor\": \"x\"}}",
        ] {
            #expect(
                await status { () async throws(PageFailure) in try await add(packaged, sign: wrong) } == .badRequest,
                "\(wrong)")
        }
    }

    @Test func `a region with a further sign of the page is renamed after the page has undone it`() async throws {
        try write(#"{"regions": [{"identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1}]}"#)
        let sign = #"{"region": "keys", "uuid": "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F", "major": 1, "minor": 2}"#
        #expect(try await add(page(), sign: sign).written == true)
        #expect(!text.contains("anyOf") && saved.contains("furtherSigns"))
        let renaming = #"{"region": {"identifier": "keys"}, "name": "bag"}"#
        let failure = await #expect(throws: PageFailure.self) { try await self.set(renaming) }
        #expect(failure?.sentence.contains("undo its changes first") == true)
        #expect(try await page().removeChanges(of: "keys").written == true)
        #expect(try await set(renaming).written == true && effective().map(\.identifier) == ["bag"])
    }

    @Test func `without a state directory a further sign is written into beacons json`() async throws {
        try write(#"{"regions": [{"identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1}]}"#)
        let sign = #"{"region": "keys", "uuid": "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F", "major": 1, "minor": 2}"#
        #expect(try await add(page(directory: nil), sign: sign).written == true)
        #expect(text.contains("anyOf") && saved.isEmpty)
    }

    private static let (tag, bag) = (
        "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/*", "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F/1/2"
    )

    private static func sign(_ minor: Int, _ keys: String = "") -> String {
        #"{"region": "keys", "uuid": "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F", "major": 1, "minor": \#(minor)\#(keys)}"#
    }

    private func signs() throws -> [String] { try effective().flatMap { $0.monitored.signs.map(\.name) } }

    @Test func `one sign of the page is removed, and the others stay`() async throws {
        try write(#"{"regions": [{"identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1}]}"#)
        _ = try await add(packaged, sign: Self.sign(2, #", "enterRSSI": -60, "exitRSSI": -75"#))
        _ = try await add(packaged, sign: Self.sign(3))
        #expect(try effective()[0].monitored.signs.map(\.enterRSSI) == [nil, -60, nil])
        let listed = try await packaged.configuration().regions?.first?.signs
        #expect(listed?.map(\.name) == (try signs()) && listed?.map(\.fixed) == [true, false, false])
        #expect(try await packaged.remove(sign: Self.bag, of: "keys").written == true)
        #expect(try signs() == [Self.tag, "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F/1/3"])
        #expect(
            await status { () async throws(PageFailure) in try await packaged.remove(sign: Self.bag, of: "keys") }
                == .notFound)
        #expect(
            await status { () async throws(PageFailure) in try await packaged.remove(sign: Self.bag, of: "no") }
                == .notFound)
        let only = await #expect(throws: PageFailure.self) {
            try await self.packaged.remove(sign: Self.tag, of: "keys")
        }
        #expect(only?.status == .forbidden && only?.sentence.contains("the only sign of keys in") == true)
        #expect(try await packaged.remove(sign: "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F/1/3", of: "keys").written == true)
        #expect(try signs() == [Self.tag] && !saved.contains("keys"))
        let last = await #expect(throws: PageFailure.self) {
            try await self.packaged.remove(sign: Self.tag, of: "keys")
        }
        #expect(last?.sentence.contains("delete the region") == true)
    }

    @Test func `the first sign of a region of the page is removed, and the next one takes its place`() async throws {
        try write("{\"regions\": []}")
        _ = try await set(packaged: Self.keys)
        let first = try #require(try signs().first)
        _ = try await add(packaged, sign: Self.sign(2, #", "enterRSSI": -60"#))
        #expect(try await packaged.remove(sign: first, of: "keys").written == true)
        #expect(try signs() == [Self.bag] && effective()[0].monitored.enterRSSI == -60)
    }

    @Test func `a sign of beacons json is removed there, and the last one becomes the region's keys`() async throws {
        let other = #"{"uuid": "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F", "major": 1, "minor": 2, "exitAfter": 60}"#
        let tag = #"{"uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1}"#
        let regions = #"{"regions": [{"identifier": "keys", "anyOf": [\#(tag), \#(other)], "ranging": true}]}"#
        try write(regions)
        #expect(try await page().remove(sign: Self.tag.lowercased(), of: "keys").written == true)
        #expect(try signs() == [Self.bag] && !text.contains("anyOf") && text.contains("\"exitAfter\": 60"))
        #expect(text.contains("\"ranging\": true"))
        let commands = regions.replacing("\"ranging\": true", with: "\"onEnter\": [\"/bin/true\"]")
        try write(commands)
        #expect(
            await status { () async throws(PageFailure) in try await page().remove(sign: Self.tag, of: "keys") }
                == .forbidden)
        #expect(text == commands)
        // A command on the machine may.
        let files = RegionFiles(file: file, directory: folder.path, user: geteuid(), isCommand: true)
        try RegionFiles.write(try files.removing(sign: Self.tag, from: "keys", in: try files.content()))
        #expect(try signs() == [Self.bag] && text.contains("onEnter"))
    }

    @Test func `signs that the page has added are not said to be in beacons json`() async throws {
        try write("{\"regions\": []}")
        _ = try await set(packaged: Self.keys)
        let sign = #"{"region": "keys", "uuid": "0A52A9B4-0F54-4A34-9E8E-0A1B2C3D4E5F", "major": 1, "minor": 2}"#
        #expect(try await add(packaged, sign: sign).written == true)
        let failure = await #expect(throws: PageFailure.self) {
            try await self.set(packaged: #"{"region": {"identifier": "keys", "enterRSSI": -70}}"#)
        }
        let sentence = failure?.sentence ?? ""
        #expect(sentence.contains("delete the region") && !sentence.contains("beacons.json"), "\(sentence)")
    }

    @Test(arguments: [false, true])
    func `the beacons of a phone are changed where the phone is named`(isSaved: Bool) async throws {
        let key = try folder.file("anna.irk", Array("000102030405060708090A0B0C0D0E0F\n".utf8))
        #expect(chmod(key, 0o600) == 0)
        try write(isSaved ? #"{"regions": []}"# : #"{"regions": [{"identifier": "anna", "phone": "\#(key)"}]}"#)
        if isSaved {
            let path = try folder.file(
                "regions.json", Array(#"{"regions": [{"identifier": "anna", "phone": "anna.irk"}]}"#.utf8))
            #expect(chmod(path, 0o640) == 0)
        }
        let failure = await #expect(throws: PageFailure.self) {
            try await self.set(packaged: #"{"region": {"identifier": "anna", "enterRSSI": -70}}"#)
        }
        let sentence = failure?.sentence ?? ""
        #expect(sentence.contains("the region is a phone") == !isSaved, "\(sentence)")
        #expect(sentence.contains("delete the region") == isSaved && sentence.contains(file) == !isSaved, "\(sentence)")
    }
}

extension Configuration.Region {
    /// The identities of the region's signs, in order.
    fileprivate var identitiesText: String { monitored.signs.map(\.identity.description).joined(separator: " ") }
}
