import HCI
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import SystemPackage
import Testing

@testable import OkaeriPresence

struct PhoneSurveyTests {
    private static let file = "/etc/okaeri/anna.irk"
    private let key: IdentityResolvingKey

    init() throws { key = try #require(IdentityResolvingKey("ec0234a357c8ad05341010a60a397d9b")) }

    private func address(_ number: UInt32, _ key: IdentityResolvingKey) -> BluetoothAddress {
        let random = 0x40_0000 | number
        let value = UInt64(random) << 24 | UInt64(AES128(key).hash(random))
        return BluetoothAddress(low: UInt32(truncatingIfNeeded: value), high: UInt16(truncatingIfNeeded: value >> 32))
    }

    private func packet(_ address: BluetoothAddress, rssi: Int8 = -60, _ data: [UInt8]) throws -> [UInt8] {
        let report = AdvertisingReport(address: address, addressType: .random, rssi: rssi, data: data)
        return Array(try HCIEvent.advertisingReports([report]).packet().dropFirst())
    }

    private let apple: [UInt8] = [2, 1, 0x1A, 5, 0xFF, 0x4C, 0, 0x16, 0]
    private let android: [UInt8] = [5, 0x16, 0xF3, 0xFE, 1, 2]

    @Test func `phones are listed with maker, interval and signal, the known ones first`() throws {
        let survey = PhoneSurvey([Self.file: DeviceIdentity(key: key)], updated: { _ in })
        let known = try packet(address(1, key), rssi: -80, apple)
        let foreign = try #require(IdentityResolvingKey("000102030405060708090a0b0c0d0e0f"))
        let other = try packet(address(1, foreign), android)
        let beacon = try packet(BluetoothAddress(low: 1, high: 0xC000), apple)
        for second in 0..<5 as Range<Int64> {
            for packet in [known, other, beacon] {
                let isReport = survey.scannerDidReceive(packet.span.bytes, at: second * 2_000_000_000)
                #expect(isReport)
            }
        }
        let devices = survey.devices(since: Instant(nanoseconds: 0))
        #expect(devices.map(\.file) == [Self.file, nil])
        #expect(devices.map(\.maker) == [.apple, .google])
        #expect(devices.map(\.interval) == [2, 2] && devices.map(\.rssi) == [-80, -60])
        #expect(survey.devices(since: Instant(nanoseconds: 9_000_000_000)).isEmpty)
        #expect(survey.reversed.isEmpty)
    }

    @Test func `the number of addresses is bounded`() throws {
        let survey = PhoneSurvey([:], updated: { _ in })
        for number in 0..<2000 as Range<UInt32> {
            let packet = try packet(BluetoothAddress(low: number, high: 0x4000), apple)
            _ = survey.scannerDidReceive(packet.span.bytes, at: Int64(number))
        }
        let devices = survey.devices(since: Instant(nanoseconds: 0))
        #expect(devices.count == 512)
        #expect(devices.allSatisfy { $0.lastHeard.nanoseconds >= 2000 - 512 })
    }

    @Test func `foreign addresses make room first, so that a known phone's receptions stay counted`() throws {
        let survey = PhoneSurvey([Self.file: DeviceIdentity(key: key)], updated: { _ in })
        let known = try packet(address(1, key), apple)
        for second in -2...0 as ClosedRange<Int64> {
            _ = survey.scannerDidReceive(known.span.bytes, at: second * 1_000_000_000)
        }
        for number in 0..<1000 as Range<UInt32> {
            let packet = try packet(BluetoothAddress(low: number, high: 0x4000), apple)
            _ = survey.scannerDidReceive(packet.span.bytes, at: Int64(number) + 1)
        }
        let devices = survey.devices(since: Instant(nanoseconds: 0))
        #expect(devices.count == 512 && devices.first?.file == Self.file && devices.first?.count == 3)
    }

    @Test func `a redacted recording has other addresses, and no event of another kind`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/out"
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        let recorder = Recorder(
            to: file, wallClock: SystemClock(), redaction: .random(), updated: { _ in }, failed: {})
        let address = address(1, key)
        let packet = try packet(address, apple)
        for _ in 0..<3 { _ = recorder.scannerDidReceive(packet.span.bytes, at: 0) }
        let connection: [UInt8] = [0x3E, 2, 0x01, 0]
        _ = recorder.scannerDidReceive(connection.span.bytes, at: 0)
        recorder.flush()
        try file.close()
        #expect(recorder.result.count == 3)
        let source = try CaptureSource(file: path, speed: nil, warn: { _ in })
        let survey = PhoneSurvey([Self.file: DeviceIdentity(key: key)], updated: { _ in })
        #expect(try source.run(survey))
        let devices = survey.devices(since: Instant(nanoseconds: .min))
        #expect(devices.count == 1 && devices[0].address != address && devices[0].file == nil)
        #expect(devices[0].maker == .apple)
    }
}
