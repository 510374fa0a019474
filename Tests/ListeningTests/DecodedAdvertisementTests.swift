import IBeacon
import OkaeriDaemonTestSupport
import Testing

@testable import OkaeriEvents
@testable import OkaeriListening
@testable import OkaeriPlumbing

@Suite struct DecodedAdvertisementTests {
    private let hex = "0201061AFF4C0002155F1C2A8E93B44D07A6E17C0D52B98F3400640064C5"

    @Test(arguments: [
        "02 01 06", "02:01:06", "0x020106", "0x02, 0x01, 0x06", "02-01-06", "0x2,0x1,0x6", "> 02 01 06",
        "[0x02, 0x01, 0x06]",
        #"\x02\x01\x06"#, #"b'\x02\x01\x06'"#, #"bytearray(b"\x02\x01\x06")"#,
        "{ 2, 1, 6 }".replacing(/(\d)/) { "0x\($0.1)" },
    ])
    func `hexadecimal is read as people paste it`(text: String) {
        #expect(DecodedAdvertisement.bytes(text) == [2, 1, 6])
    }

    @Test(arguments: ["", "0", "xy", "02 0", "０２", "0x", "b''", #"b'\x0'"#, #"b'\q'"#, "b'é'", "#02"])
    func `anything else is refused`(text: String) {
        #expect(DecodedAdvertisement.bytes(text) == nil)
    }

    @Test func `an iBeacon is explained`() throws {
        let decoded = DecodedAdvertisement(try #require(DecodedAdvertisement.bytes(hex)))
        #expect(decoded.frames.map(\.identity) == [home])
        #expect(
            decoded.json == #"{"uuid":"\#(uuidText)","major":100,"minor":100,"measuredPower":-59}"#)
        #expect(decoded.text.contains("byte 0: flags 06"))
    }

    @Test func `an iBeacon without a measured power is named as one`() throws {
        let short = hex.replacing("1AFF", with: "19FF").dropLast(2)
        let decoded = DecodedAdvertisement(try #require(DecodedAdvertisement.bytes(String(short))))
        #expect(decoded.frames.map(\.identity) == [home])
        #expect(decoded.json == #"{"uuid":"\#(uuidText)","major":100,"minor":100,"measuredPower":null}"#)
        #expect(decoded.verdict.hasSuffix("measured power unknown: the frame ends before it"))
    }

    @Test func `each iBeacon of an advertisement is named`() throws {
        let two = try #require(
            DecodedAdvertisement.bytes(hex + hex.dropFirst(6).replacing("00640064C5", with: "00070008C5")))
        let decoded = DecodedAdvertisement(two)
        #expect(decoded.frames.map(\.identity.major) == [100, 7])
        let lines = try #require(decoded.json).split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.contains(#""major":7,"minor":8,"#) == true)
        #expect(decoded.text.contains("major 100  minor 100") && decoded.text.hasSuffix("dBm"))
    }

    @Test func `a whole event is explained as well`() {
        let decoded = DecodedAdvertisement([0x04] + event(rssi: -70))
        #expect(decoded.frames.map(\.identity) == [home])
        #expect(decoded.text.contains("-70 dBm"))
    }

    @Test func `Python's bytes are read with their escapes`() {
        #expect(
            DecodedAdvertisement.bytes(#"b'\x1a\xffL\x00\x02\x15\n\\\''"#) == [
                0x1A, 0xFF, 0x4C, 0, 2, 0x15, 10, 0x5C, 0x27,
            ])
    }

    @Test(
        arguments: [
            ("0201061AFF4C000215{}", .advertisingData), ("1E0201061AFF4C000215{}", .parameters),
            ("1E0201061AFF4C000215{}00", .parameters), ("08 0008 1E0201061AFF4C000215{}00", .command),
            ("01082020 1E0201061AFF4C000215{}00", .command), ("4C000215{}", .manufacturerData), ("0215{}", .appleData),
            ("> 04 3E 2A 02 01 03 01 060504030201 1E 0201061AFF4C000215{} BA", .packet),
            ("3E 2A 02 01 03 01 060504030201 1E 0201061AFF4C000215{} BA", .event),
        ] as [(String, DecodedAdvertisement.Form)])
    func `an advertisement is recognized in the forms that people have`(
        text: String, form: DecodedAdvertisement.Form
    ) throws {
        let text = text.replacing("{}", with: "5F1C2A8E93B44D07A6E17C0D52B98F3400640064C5")
        let decoded = DecodedAdvertisement(try #require(DecodedAdvertisement.bytes(text)))
        #expect(decoded.frames.map(\.identity) == [home] && decoded.form == form)
        #expect(decoded.text.hasPrefix("read as \(form)\n"))
    }

    @Test func `what several forms could be is the one that is complete`() {
        #expect(DecodedAdvertisement([2, 1, 6]).form == .advertisingData)
        #expect(DecodedAdvertisement([3, 2, 1, 6]).form == .advertisingData, "a list of UUIDs, or a length in front")
        #expect(DecodedAdvertisement([4, 2, 1, 6, 1]).form == .advertisingData)
        #expect(DecodedAdvertisement([6, 2, 1, 6, 2, 10, 4]).form == .advertisingData)
        #expect(DecodedAdvertisement([5, 2, 1, 6, 2, 10, 4]).form == .advertisingData, "nothing is complete")
        #expect(DecodedAdvertisement([4, 0x3E] + event().dropFirst().dropLast(3)).form == .packet, "a cut event")
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
