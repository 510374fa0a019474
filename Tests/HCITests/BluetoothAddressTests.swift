import HCI
import Testing

@Suite struct BluetoothAddressTests {
    @Test func `a text is parsed and printed the same`() throws {
        let address = try #require(BluetoothAddress("aa:BB:0c:00:01:FF"))
        #expect(address.description == "AA:BB:0C:00:01:FF")
        #expect(address.rawValue == 0xAABB_0C00_01FF)
    }

    @Test(arguments: [
        "", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FF:00", "AA:BB:CC:DD:EE:F", "AA:BB:CC:DD:EE:GG", "AABBCCDDEEFF",
        "+A:BB:CC:DD:EE:FF", "-1:BB:CC:DD:EE:FF", "AA-BB-CC-DD-EE-FF", ":BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:ＦＦ",
    ])
    func `anything else is not an address`(_ text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test func `an address has 48 bits`() {
        #expect(BluetoothAddress(rawValue: 0xFFFF_FFFF_FFFF)?.description == "FF:FF:FF:FF:FF:FF")
        #expect(BluetoothAddress(rawValue: 0x1_0000_0000_0000) == nil)
    }
}
