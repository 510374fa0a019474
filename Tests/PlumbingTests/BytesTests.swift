import OkaeriPlumbing
import Testing

@Suite struct BytesTests {
    @Test func `integers are stored with the least significant byte first`() {
        #expect([UInt8](littleEndian: UInt16(0x0A0B)) == [0x0B, 0x0A])
        #expect([UInt8](littleEndian: Int32(-2)) == [0xFE, 0xFF, 0xFF, 0xFF])
        var bytes: [UInt8] = [0xFF]
        bytes.append(littleEndian: UInt64(0x0102_0304_0506_0708))
        #expect(bytes == [0xFF, 8, 7, 6, 5, 4, 3, 2, 1])
    }

    @Test func `spans and copies hold the same`() {
        for bytes in [[], [1], Array(UInt8.min...UInt8.max)] {
            let copy = [UInt8](bytes.rawSpan)
            #expect(copy == bytes)
        }
    }
}
