import OkaeriChecksum
import Testing

@Suite struct CRC32Tests {
    @Test func `the checksum is that of gzip`() {
        #expect(CRC32(of: Array("123456789".utf8)[...]).description == "CBF43926")
        #expect(CRC32(of: []).description == "00000000")
        #expect(CRC32(of: Array("a".utf8)[...]).description.utf8.count == CRC32.length)
    }

    @Test func `bytes in pieces have the checksum of the whole, also with an empty piece`() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var checksum = CRC32()
        for piece in [bytes[..<1], bytes[1..<1], bytes[1..<999], bytes[999...]] { checksum.append(piece) }
        #expect(checksum.description == CRC32(of: bytes[...]).description)
    }

    @Test func `a gigabyte takes a few seconds`() {
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        var checksum = CRC32()
        let time = ContinuousClock().measure { for _ in 0..<1024 { checksum.append(bytes[...]) } }
        #expect(checksum.description == "5B64C2B0" && time < .seconds(20), "\(checksum) in \(time)")
    }
}
