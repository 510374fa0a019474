import Testing

@testable import OkaeriSetup

@Suite struct TarHeaderTests {
    @Test func `a header is read as it was written`() throws {
        let header = try #require(TarHeader(name: "beacons.json", size: 1234, modified: 1_795_000_000))
        #expect(header.block.count == 512 && TarHeader(block: header.block) == header)
        #expect(header.padding == 302 && TarHeader(name: "a", size: 1024, modified: 0)?.padding == 0)
        // As `tar` writes them (POSIX.1-2017).
        #expect(String(decoding: header.block[257..<265], as: UTF8.self) == "ustar\u{0}00")
        #expect(String(decoding: header.block[124..<136], as: UTF8.self) == "00000002322\u{0}")
    }

    @Test(arguments: ["", "a/b", "../etc/passwd", "a b", "\u{1B}[2J", String(repeating: "a", count: 100)])
    func `a name with a folder, a control character or no place has no header`(name: String) {
        #expect(TarHeader(name: name, size: 0, modified: 0) == nil)
    }

    @Test func `a number that does not fit has no header`() {
        #expect(
            TarHeader(name: "a", size: -1, modified: 0) == nil && TarHeader(name: "a", size: 0, modified: -1) == nil)
        #expect(TarHeader(name: "a", size: 1 << 33, modified: 0) == nil)
        #expect(TarHeader(name: "a", size: (1 << 33) - 1, modified: 0) != nil)
    }

    @Test func `a header in which any byte is another one is refused`() throws {
        let block = try #require(TarHeader(name: "beacons.json", size: 1234, modified: 1_795_000_000)).block
        for index in block.indices {
            for change in [1, 0x10, 0x80] as [UInt8] {
                var other = block
                other[index] ^= change
                #expect(TarHeader(block: other) == nil, "byte \(index)")
            }
        }
        #expect(TarHeader(block: Array(block.dropLast())) == nil && TarHeader(block: []) == nil)
    }
}
