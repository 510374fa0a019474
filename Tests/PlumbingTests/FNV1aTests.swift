import Testing

@testable import OkaeriPlumbing

/// RFC 9923, appendix C.
@Suite struct FNV1aTests {
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)])
    func `the hash is that of the specification`(text: String, hash: UInt64) {
        #expect(text.utf8.fnv1a == hash)
    }
}
