import OkaeriEvents
import OkaeriHistory
import OkaeriPlumbing
import OkaeriServer
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriDaemon

/// The regions of the history that were renamed or deleted.
@Suite struct FormerRegionsTests {
    @Test func `the picture has the configured regions, and the former ones on request`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/beacons.json"
        let now = try #require(Timestamp.nanoseconds("2026-11-21T07:10:30Z"))
        let store = try HistoryStore(directory: folder.path, durability: .process, pageLimit: nil)
        let day: Int64 = 86_400_000_000_000
        func state(_ region: String, _ state: RegionState, _ time: Int64) -> HistoryEvent? {
            HistoryEvent(
                Event(time: time, node: "pi", sequence: 1, kind: .didDetermineState(region: region, state)))
        }
        try store.record(
            [
                state("keys", .inside, now - 3 * day), state("keys", .unknown, now - 2 * day),
                state("bag", .inside, now - 2 * day), state("home", .inside, now - 2 * day),
            ].compactMap { $0 }, [])
        let page = PageData(
            directory: folder.path, file: file, wifi: SimulatedWiFi(inSight: []), now: { now }, reload: {})
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        _ = try folder.file("beacons.json", Array(#"{"regions": [{"identifier": "home", "uuid": "\#(uuid)"}]}"#.utf8))
        // A state counts until the end of its run, and that of "bag" until now.
        let former = try await page.days().former
        #expect(
            former == [
                .init(identifier: "bag", first: "2026-11-19", last: "2026-11-21"),
                .init(identifier: "keys", first: "2026-11-18", last: "2026-11-19"),
            ])
        func names(_ regions: String?) async throws -> [String] {
            let svg = try await page.picture(of: "2026-11-19", regions: regions)
            return ["home", "bag", "keys"].filter { svg.contains(">\($0)<") }
        }
        #expect(try await names("configured") == ["home"])
        #expect(try await names("former") == ["bag", "keys"])
        #expect(try await names(nil) == ["home", "bag", "keys"])
        await #expect(throws: PageFailure.self) { try await page.picture(of: "2026-11-19", regions: "others") }
        await #expect(throws: PageFailure.self) { try await page.picture(of: "2026-11-19", signals: "no") }
        #expect(try await page.picture(of: "2026-11-19", signals: "false").hasPrefix("<svg"))
        // Without a configuration, no region is a former one.
        _ = try folder.file("beacons.json", Array("{".utf8))
        #expect(try await page.days().former == nil)
        #expect(try await names("configured") == ["home", "bag", "keys"])
    }
}
