import IBeacon
import OkaeriTestSupport
import Testing

/// The example of the Proximity Beacon Specification's layout, as an AirLocate beacon sends it.
let airLocate: [UInt8] =
    [
        0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15,
        0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0,
        0x00, 0x64, 0x01, 0x02, 0xC5,
    ]

@Suite struct IBeaconFrameTests {
    private func decode(_ bytes: [UInt8]) -> IBeaconFrame? { IBeaconFrame(advertisingData: bytes.span.bytes) }

    @Test func `UUID, major and minor are big endian and power is signed`() throws {
        let frame = try #require(decode(airLocate))
        #expect(frame.identity.uuid.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(frame.identity.major == 100)
        #expect(frame.identity.minor == 258)
        #expect(frame.measuredPower == -59)
    }

    @Test func `encoding gives the bytes that were decoded`() throws {
        let frame = try #require(decode(airLocate))
        #expect(frame.advertisingData == airLocate)
        #expect(IBeaconFrame(manufacturerSpecificData: Array(airLocate[5...]).span.bytes) == frame)
    }

    @Test func `flags may be absent and other structures may come first`() {
        let frame = decode(airLocate)
        #expect(decode(Array(airLocate[3...])) == frame)
        #expect(decode([0x03, 0x08, 0x50, 0x69] + airLocate) == frame)
        #expect(decode([0x03, 0xFF, 0x4C, 0x00] + airLocate) == frame, "another frame of the same company first")
    }

    @Test func `all iBeacons of an advertisement are found, in their order`() throws {
        let first = try #require(decode(airLocate))
        let second = IBeaconFrame(
            identity: BeaconIdentity(uuid: first.identity.uuid, major: 7, minor: 8), measuredPower: nil)
        let bytes = airLocate + [0x03, 0xFF, 0x4C, 0x00] + second.advertisingData + airLocate
        var frames = IBeaconFrames(bytes.span.bytes)
        #expect(frames.next() == first)
        #expect(frames.next() == second)
        #expect(frames.next() == first)
        #expect(frames.next() == nil)
    }

    @Test func `bytes after the frame are allowed, in and behind its structure`() {
        var longer = airLocate + [0x00]
        longer[3] += 1
        #expect(decode(longer) == decode(airLocate))
        #expect(decode(airLocate + [0x02, 0x0A, 0x04]) == decode(airLocate))
    }

    @Test func `a frame without the measured power is an iBeacon, a shorter one is not`() throws {
        let data = Array(airLocate[5...])
        #expect(data.count == IBeaconFrame.byteCount)
        let cut = Array(data.dropLast())
        let frames = [data, cut].map { IBeaconFrame(manufacturerSpecificData: $0.span.bytes) }
        let (whole, short) = (try #require(frames[0]), try #require(frames[1]))
        #expect(short.identity == whole.identity && short.measuredPower == nil)
        #expect(decode(short.advertisingData) == short && short.advertisingData.count == airLocate.count - 1)
        #expect(IBeaconFrame(manufacturerSpecificData: Array(data.dropLast(2)).span.bytes) == nil)
    }

    @Test(arguments: [5, 6, 7, 8]) func `another company, type or length is not an iBeacon`(position: Int) {
        var other = airLocate
        other[position] ^= 0x01
        #expect(decode(other) == nil)
    }

    @Test func `no cut advertisement is an iBeacon, nor a trap`() {
        for length in 0..<airLocate.count { #expect(decode(Array(airLocate.prefix(length))) == nil) }
    }

    @Test func `random bytes never trap`() {
        var generator = SeededGenerator(seed: 0x0CAE_1215)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...62, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator), bytes.count > 9 { bytes.replaceSubrange(3..<9, with: airLocate[3..<9]) }
            if let frame = decode(bytes) { #expect(decode(frame.advertisingData) == frame) }
        }
    }
}
