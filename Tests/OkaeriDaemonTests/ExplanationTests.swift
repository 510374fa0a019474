import IBeacon
import Testing

@testable import OkaeriDaemon

@Suite struct ExplanationTests {
    private let hex = "0201061AFF4C000215E2C56DB5DFFB48D2B060D0F5A71096E000640064C5"

    @Test(arguments: ["02 01 06", "02:01:06", "0x020106", "0x02, 0x01, 0x06", "02-01-06"])
    func `hexadecimal is read as people paste it`(text: String) {
        #expect(Explanation.bytes(hex: text) == [2, 1, 6])
    }

    @Test(arguments: ["", "0", "xy", "02 0", "０２"]) func `anything else is refused`(text: String) {
        #expect(Explanation.bytes(hex: text) == nil)
    }

    @Test func `an iBeacon is explained`() throws {
        let explanation = Explanation(try #require(Explanation.bytes(hex: hex)))
        #expect(explanation.frames.map(\.identity) == [home])
        #expect(
            explanation.json == #"{"uuid":"\#(uuidText)","major":100,"minor":100,"measuredPower":-59}"#)
        #expect(explanation.text.contains("byte 0: flags 06"))
    }

    @Test func `a whole event is explained as well`() {
        let explanation = Explanation([0x04] + event(rssi: -70))
        #expect(explanation.frames.map(\.identity) == [home])
        #expect(explanation.text.contains("-70 dBm"))
    }

    @Test func `what is no iBeacon is told why`() {
        let explanation = Explanation([2, 1, 6, 5, 9, 0x1B, 0x5B, 0x41, 0x0A, 9, 9])
        #expect(explanation.frames.isEmpty && explanation.json == nil)
        #expect(explanation.verdict.hasPrefix("no iBeacon"))
        #expect(!explanation.text.contains("\u{1B}"), "a name is not a command to the terminal")
        #expect(explanation.text.contains("more bytes than there are"))
    }

    @Test func `no bytes trap`() {
        for length in 0..<60 {
            for first in [0x04, 0x02, 0xFF] as [UInt8] {
                _ = Explanation([first] + (event() + event()).prefix(length)).text
            }
        }
    }
}
