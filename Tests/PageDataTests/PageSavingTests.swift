import FoundationEssentials
import OkaeriEvents
import OkaeriTestSupport
import OkaeriWiFi
import Testing

@testable import OkaeriDaemon

@Suite struct PageSavingTests {
    @Test func `regions that are saved at once are all written`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("beacons.json", Array("{\"regions\": []}".utf8))
        let page = PageData(
            directory: folder.path, file: file, wifi: SimulatedWiFi(inSight: []), now: { 0 }, reload: {})
        try await withThrowingTaskGroup { group in
            for number in 0..<16 {
                let region =
                    #"{"identifier": "keys\#(number)", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": \#(number)}"#
                group.addTask { _ = try await page.set(Array(#"{"region": \#(region)}"#.utf8)) }
            }
            try await group.waitForAll()
        }
        #expect(try await page.configuration().regions?.count == 16)
    }
}
