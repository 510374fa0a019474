import Testing

@testable import OkaeriPlumbing

@Suite struct DecimalTests {
    @Test(arguments: [UInt16.min, 1, 9, 10, 65535]) func `a number is parsed as it is printed`(_ number: UInt16) {
        #expect(UInt16(decimal: "\(number)") == number)
        #expect(UInt16(decimal: Array("x\(number)".utf8).dropFirst()) == number)
        #expect(Int(decimal: "-\(number)") == (number == 0 ? nil : -Int(number)))
    }

    @Test(arguments: ["", "+5", "-0", "05", "00", " 5", "5 ", "5\n", "5.0", "0x5", "1e1", "５", "65536", "-1", "5_0"])
    func `what is written otherwise is not a number`(_ text: String) {
        #expect(UInt16(decimal: text) == nil)
        #expect(UInt16(decimal: Array(text.utf8)[...]) == nil)
    }
}
