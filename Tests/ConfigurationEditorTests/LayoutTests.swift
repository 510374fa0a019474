import IBeacon
import OkaeriConfiguration
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

/// Unusual files: any space, any order, any number of regions.
@Suite(.computes) struct LayoutTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    private func region(_ name: Int, _ layout: inout RandomLayout) -> String {
        var members = [("identifier", "\"r\(name)\""), ("uuid", "\"\(Self.uuid)\""), ("major", "\(name)")]
        if Bool.random(using: &layout.random) { members.append(("enterRSSI", "-8.0e1")) }
        if Bool.random(using: &layout.random) { members.append(("onEnter", layout.array(["\"/bin/true\""]))) }
        if Bool.random(using: &layout.random) {
            members.append(("wifi", layout.object([("ssid", "\"}],{\\\"\""), ("join", "\"off\"")])))
        }
        return layout.object(members)
    }

    private func document(_ count: Int, _ layout: inout RandomLayout) -> String {
        var members = [("regions", layout.array((0..<count).map { region($0, &layout) }))]
        if Bool.random(using: &layout.random) { members.append(("adapter", "\"hci7\"")) }
        if Bool.random(using: &layout.random) { members.append(("history", layout.object([("keep", "3")]))) }
        return layout.space() + layout.object(members) + layout.space()
    }

    @Test func `whatever a file looks like, one region changes and nothing else does`() throws {
        var layout = RandomLayout(seed: 16)
        for _ in 0..<1000 {
            let count = Int.random(in: 0...3, using: &layout.random)
            let text = document(count, &layout)
            let name = Int.random(in: 0...3, using: &layout.random)
            let constraint = try #require(BeaconConstraint("\(Self.uuid)/\(name)/9"))
            var draft = RegionPatch(identifier: "r\(name)", constraint)
            if Bool.random(using: &layout.random) { draft["wifi"] = ["ssid": .string("New")] }
            if Bool.random(using: &layout.random) {
                draft["enterRSSI"] = [.number(-70), .null].randomElement(using: &layout.random)
            }
            let result = try ConfigurationText(text, file: "beacons.json").setting(draft)
            try check(text, result, draft, isNew: name >= count, constraint)
            let again = try ConfigurationText(result, file: "beacons.json").setting(draft)
            #expect(Array(again.utf8) == Array(result.utf8), "\(text)")
        }
    }

    private func check(
        _ text: String, _ result: String, _ draft: RegionPatch, isNew: Bool, _ constraint: BeaconConstraint
    ) throws {
        var (before, after) = try (read(text), read(result))
        let index = try #require(after.regions.firstIndex { $0.identifier == draft.identifier })
        let region = after.regions.remove(at: index)
        #expect(region.monitored.constraint == constraint, "\(text)")
        if !isNew {
            let old = before.regions.remove(at: index)
            #expect(region.onEnter == old.onEnter)
            #expect(region.network?.ssid == (draft["wifi"] == nil ? old.network?.ssid : "New"))
            #expect(region.network?.join == old.network?.join ?? (draft["wifi"] == nil ? nil : .prompt))
            #expect(
                region.monitored.enterRSSI
                    == (draft["enterRSSI"] == nil ? old.monitored.enterRSSI : draft["enterRSSI"] == .null ? nil : -70))
        }
        #expect(after == before, "\(text)\n\(result)")
        // What was there before and behind the place of the change is there still, byte for byte.
        let (old, new) = (Array(text.utf8), Array(result.utf8))
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
        let replaced = String(decoding: old[start..<(old.count - end)], as: UTF8.self)
        #expect(isNew ? replaced.allSatisfy(\.isWhitespace) : !replaced.contains("hci7"), "\(text)\n\(result)")
    }

    private func read(_ text: String) throws -> Configuration {
        try Configuration(json: Array(text.utf8), file: "beacons.json")
    }
}
