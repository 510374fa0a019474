import HCI
import OkaeriBluetooth
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriEvents
@testable import OkaeriListening

struct PhoneScoreTests {
    /// A locked phone every two seconds, with a silence after each ten minutes, under changing addresses.
    private func capture(_ key: IdentityResolvingKey, silence: Int = 600) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &bytes)
        for second in stride(from: 0, to: 6 * (600 + silence), by: 2) where second % (600 + silence) < 600 {
            let random = 0x40_0000 | UInt32(second / 900)
            let value = UInt64(random) << 24 | UInt64(AES128(key).hash(random))
            let address = BluetoothAddress(
                low: UInt32(truncatingIfNeeded: value), high: UInt16(truncatingIfNeeded: value >> 32))
            let report = AdvertisingReport(
                address: address, addressType: .random, rssi: -62, data: [2, 1, 0x1A, 5, 0xFF, 0x4C, 0, 0x16, 0])
            let event = Array(try HCIEvent.advertisingReports([report]).packet().dropFirst())
            writer.append(.event, event.span.bytes, time: evening + nanoseconds(Double(second)), to: &bytes)
        }
        return bytes
    }

    @Test func `the score of a phone counts its long gaps, and contains no identifier`() throws {
        let key = try #require(IdentityResolvingKey("ec0234a357c8ad05341010a60a397d9b"))
        let folder = try TemporaryFolder()
        let region = MonitoredRegion(identifier: "phone", RegionSign(.phone(file: "/etc/okaeri/anna.irk")))
        var found: CaptureScore?
        try Replay.score(
            folder.file("capture", capture(key)), regions: [region],
            identities: ["/etc/okaeri/anna.irk": DeviceIdentity(key: key)], logger: quiet, progress: { _, _ in }
        ) { found = $0 }
        let score = try #require(found?.regions.first)
        // After each of the six long silences, the first two under a new address are not a proof of the phone yet.
        #expect(score.advertisements == 1788 && score.beacons == 1)
        #expect(score.gaps?.median == 2 && score.gaps?.longest.first ?? 0 > 550)
        let texts = [try #require(found).text, try #require(found).json]
        #expect(texts.allSatisfy { !$0.contains("anna") && !$0.lowercased().contains("ec0234") }, "\(texts)")
    }

    @Test func `a return after an hour's silence is a false exit of a phone`() throws {
        let key = try #require(IdentityResolvingKey("ec0234a357c8ad05341010a60a397d9b"))
        let folder = try TemporaryFolder()
        let region = MonitoredRegion(
            identifier: "phone", RegionSign(.phone(file: "anna.irk"), exitAfter: .seconds(600)))
        var found: CaptureScore?
        try Replay.score(
            folder.file("capture", capture(key, silence: 1800)), regions: [region],
            identities: ["anna.irk": DeviceIdentity(key: key)], logger: quiet, progress: { _, _ in }
        ) { found = $0 }
        let settings = try #require(found?.regions.first).settings
        #expect(settings.first(where: \.inForce)?.falseExits == 5, "\(settings)")
    }
}
