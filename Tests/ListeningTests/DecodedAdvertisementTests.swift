import IBeacon
import OkaeriDaemonTestSupport
import Testing

@testable import OkaeriEvents
@testable import OkaeriListening
@testable import OkaeriPlumbing

@Suite struct DecodedAdvertisementTests {
    private let hex = "0201061AFF4C000215E2C56DB5DFFB48D2B060D0F5A71096E000640064C5"

    @Test(arguments: ["02 01 06", "02:01:06", "0x020106", "0x02, 0x01, 0x06", "02-01-06"])
    func `hexadecimal is read as people paste it`(text: String) {
        #expect(DecodedAdvertisement.bytes(hex: text) == [2, 1, 6])
    }

    @Test(arguments: ["", "0", "xy", "02 0", "０２"]) func `anything else is refused`(text: String) {
        #expect(DecodedAdvertisement.bytes(hex: text) == nil)
    }

    @Test func `an iBeacon is explained`() throws {
        let decoded = DecodedAdvertisement(try #require(DecodedAdvertisement.bytes(hex: hex)))
        #expect(decoded.frames.map(\.identity) == [home])
        #expect(
            decoded.json == #"{"uuid":"\#(uuidText)","major":100,"minor":100,"measuredPower":-59}"#)
        #expect(decoded.text.contains("byte 0: flags 06"))
    }

    @Test func `an iBeacon without a measured power is named as one`() throws {
        let short = hex.replacing("1AFF", with: "19FF").dropLast(2)
        let decoded = DecodedAdvertisement(try #require(DecodedAdvertisement.bytes(hex: String(short))))
        #expect(decoded.frames.map(\.identity) == [home])
        #expect(decoded.json == #"{"uuid":"\#(uuidText)","major":100,"minor":100,"measuredPower":null}"#)
        #expect(decoded.verdict.hasSuffix("measured power unknown: the frame ends before it"))
    }

    @Test func `a whole event is explained as well`() {
        let decoded = DecodedAdvertisement([0x04] + event(rssi: -70))
        #expect(decoded.frames.map(\.identity) == [home])
        #expect(decoded.text.contains("-70 dBm"))
    }

    @Test func `the reason why data is not an iBeacon is printed`() {
        let decoded = DecodedAdvertisement([2, 1, 6, 5, 9, 0x1B, 0x5B, 0x41, 0x0A, 9, 9])
        #expect(decoded.frames.isEmpty && decoded.json == nil)
        #expect(decoded.verdict.hasPrefix("no iBeacon"))
        #expect(!decoded.text.contains("\u{1B}"), "a name is not a command to the terminal")
        #expect(decoded.text.contains("more bytes than there are"))
    }

    @Test func `no bytes trap`() {
        for length in 0..<60 {
            for first in [0x04, 0x02, 0xFF] as [UInt8] {
                let decoded = DecodedAdvertisement([first] + (event() + event()).prefix(length))
                #expect(decoded.frames.count <= 1 && decoded.frames.allSatisfy { $0.identity == home })
                #expect((decoded.json == nil) == decoded.frames.isEmpty)
                #expect(decoded.text.hasSuffix(decoded.verdict) && !decoded.verdict.isEmpty)
            }
        }
    }
}
