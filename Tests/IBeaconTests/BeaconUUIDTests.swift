import Foundation
import IBeacon
import Testing

@Suite struct BeaconUUIDTests {
    @Test(arguments: ["E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "00000000-0000-0000-0000-00000000000A"])
    func `text survives a round trip`(text: String) {
        #expect(BeaconUUID(text)?.description == text)
    }

    @Test func `lower case and missing hyphens are read`() {
        let uuid = BeaconUUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(uuid != nil)
        #expect(BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0") == uuid)
        #expect(BeaconUUID("E2C56DB5DFFB48D2B060D0F5A71096E0") == uuid)
    }

    @Test(arguments: [
        "", "E2C56DB5", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E00",
        "G2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "E2C56DB5DFFB-48D2-B060-D0F5A71096E0-",
        "{2C56DB5-DFFB-48D2-B060-D0F5A71096E0}",
        "E2C56DB5-DFFB-48D2-B060-D0F5A71096É0", "--------------------------------",
        "１2C56DB5-DFFB-48D2-B060-D0F5A71096",
    ])
    func `anything else is refused`(text: String) {
        #expect(BeaconUUID(text) == nil)
    }

    @Test func `the order is that of the text`() {
        let sorted = [
            BeaconUUID(high: 0, low: 1), BeaconUUID(high: 0, low: .max), BeaconUUID(high: 1, low: 0),
            BeaconUUID(high: .max, low: 0),
        ]
        #expect(sorted.sorted() == sorted)
        #expect(sorted.map(\.description).sorted() == sorted.map(\.description))
    }

    @Test func `Foundation's UUID converts in both directions`() throws {
        let text = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let uuid = try #require(UUID(uuidString: text))
        let beacon = BeaconUUID(uuid.uuid)
        #expect(beacon == BeaconUUID(text))
        #expect(UUID(uuid: beacon.bytes) == uuid)
        #expect(BeaconUUID(UUID(uuid: BeaconUUID(high: .max, low: 1).bytes).uuid) == BeaconUUID(high: .max, low: 1))
    }
}
