import OkaeriPlumbing
import Testing

@Suite struct HexadecimalTests {
    @Test func `codes have all digits of their type`() {
        #expect(hexadecimal(UInt8(12)) == "0x0C")
        #expect(hexadecimal(UInt16(0x200C)) == "0x200C")
        #expect(hexadecimal(UInt64.max, prefix: "") == "FFFFFFFFFFFFFFFF")
        #expect(hexadecimal(UInt32(0x180F), prefix: "", digits: 4, uppercase: false) == "180f")
        #expect(hexadecimal(UInt32(0x1180F), prefix: "", digits: 4) == "1180F", "no digit is cut off")
    }

    @Test func `bytes are parsed as they are printed`() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect([UInt8](hexadecimal: bytes.hexadecimal) == bytes)
        #expect([UInt8](hexadecimal: bytes.hexadecimal.lowercased()) == bytes)
        #expect([UInt8](hexadecimal: "") == [])
        #expect([UInt8]().hexadecimal.isEmpty)
    }

    @Test(arguments: ["0", "0G", "+1", "-1", "0x", " 1", "１２", "é", "\u{0}\u{0}"])
    func `what is not a digit is not a byte`(_ text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
        #expect(text == "0" || UInt32(hexadecimal: text) == nil)
    }

    @Test func `numbers are not bigger than their type`() {
        #expect(UInt8(hexadecimal: "fF") == 255)
        #expect(UInt8(hexadecimal: "0000FF") == 255)
        #expect(UInt8(hexadecimal: "100") == nil)
        #expect(UInt8(hexadecimal: "") == nil)
    }
}
