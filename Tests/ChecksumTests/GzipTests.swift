import OkaeriChecksum
import OkaeriTestSupport
import Testing

@Suite struct GzipTests {
    private func unpacked(_ packed: [UInt8], room: Int) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: room)
        let gunzip = try Gunzip()
        let (read, written) = try packed.withUnsafeBytes { input in
            try output.withUnsafeMutableBytes { try gunzip.unpack(input, into: $0) }
        }
        #expect(gunzip.isComplete && read == packed.count)
        return Array(output.prefix(written))
    }

    @Test(arguments: [0, 1, 100, 16 << 10, 300_000], [1, 1000, 1 << 20])
    func `what is packed in pieces of any size is the same when it is unpacked`(length: Int, piece: Int) throws {
        var random = SeededGenerator(seed: UInt64(length))
        // Random bytes become longer than the room for a piece of output.
        for bytes in [
            (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) },
            [UInt8](repeating: 7, count: length),
        ] {
            let gzip = try Gzip()
            var rest = bytes[...]
            while !rest.isEmpty {
                rest.prefix(piece).withUnsafeBytes { gzip.add($0) }
                rest = rest.dropFirst(piece)
            }
            #expect(try unpacked(gzip.end(), room: length + 1) == bytes)
            #expect(try unpacked(Gzip.pack(bytes), room: length + 1) == bytes)
        }
    }

    @Test func `packed data is taken once, and in order`() throws {
        var random = SeededGenerator(seed: 7)
        let (gzip, bytes) = (try Gzip(), (0..<300_000).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        var packed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 50_000) {
            bytes[start..<start + 50_000].withUnsafeBytes { gzip.add($0) }
            packed += gzip.taken()
            #expect(gzip.taken() == [])
        }
        #expect(packed.count > 200_000)
        #expect(try unpacked(packed + gzip.end(), room: bytes.count + 1) == bytes)
    }

    @Test func `a text of one kind of line becomes much shorter`() throws {
        let text = Array(String(repeating: "<path class=\"signal\"/>\n", count: 10_000).utf8)
        #expect(try Gzip.pack(text).count < text.count / 50)
    }
}
