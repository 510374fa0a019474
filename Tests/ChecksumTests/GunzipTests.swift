import OkaeriChecksum
import Testing

@Suite struct GunzipTests {
    /// `printf 'okaeri okaeri okaeri' | gzip -9n`.
    private static let packed: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0xCF, 0x4E, 0x4C, 0x2D, 0xCA, 0x54, 0xC8,
        0x47, 0xA6, 0x00, 0xB4, 0xEB, 0x33, 0x48, 0x14, 0x00, 0x00, 0x00,
    ]
    private static let text = "okaeri okaeri okaeri"

    /// Unpacks in pieces of so many bytes, into pieces of so many.
    private func unpack(_ packed: [UInt8], piece: Int, room: Int, limit: UInt64 = 1000) throws -> ([UInt8], Bool) {
        let gunzip = try Gunzip(limit: limit)
        var (position, unpacked) = (0, [UInt8]())
        var output = [UInt8](repeating: 0, count: room)
        while true {
            let input = packed[position..<min(position + piece, packed.count)]
            let (read, written) = try input.withUnsafeBytes { input in
                try output.withUnsafeMutableBytes { try gunzip.unpack(input, into: $0) }
            }
            position += read
            unpacked += output[..<written]
            if read == 0, written == 0 { return (unpacked, gunzip.isComplete) }
        }
    }

    @Test(arguments: [1, 2, 7, 100], [1, 3, 100])
    func `what gzip has packed is unpacked in pieces of any size`(piece: Int, room: Int) throws {
        for copies in 1...3 {
            let packed = (0..<copies).flatMap { _ in Self.packed }
            let (bytes, isComplete) = try unpack(packed, piece: piece, room: room)
            #expect(String(decoding: bytes, as: UTF8.self) == String(repeating: Self.text, count: copies))
            #expect(isComplete)
        }
        for padding in [[0, 0, 0, 0], [0x1F], [0x1F, 0, 0x8B], [0, 0x1F, 0x8B, 8, 0]] as [[UInt8]] {
            let padded = try unpack(Self.packed + padding, piece: piece, room: room)
            #expect(padded.0.count == Self.text.utf8.count && padded.1, "\(padding)")
        }
    }

    @Test func `a cut file is not complete`() throws {
        for length in 0..<Self.packed.count {
            let (bytes, isComplete) = try unpack(Array(Self.packed[..<length]), piece: 100, room: 100)
            #expect(!isComplete && Self.text.utf8.starts(with: bytes))
        }
    }

    @Test func `damaged data and a wrong checksum are errors`() {
        var damaged = Self.packed
        damaged[11] ^= 0xFF
        #expect(throws: Gunzip.Failure.damaged) { try unpack(damaged, piece: 100, room: 100) }
        var wrong = Self.packed
        wrong[wrong.count - 8] ^= 1
        #expect(throws: Gunzip.Failure.damaged) { try unpack(wrong, piece: 100, room: 100) }
    }

    @Test(arguments: [1, 7, 100])
    func `what was unpacked before a fault is handed out, and then the fault`(room: Int) throws {
        func unpack(_ packed: [UInt8], limit: UInt64 = 1000) throws -> [UInt8] {
            let gunzip = try Gunzip(limit: limit)
            var (position, unpacked) = (0, [UInt8]())
            var output = [UInt8](repeating: 0, count: room)
            while true {
                do {
                    let (read, written) = try packed[position...].withUnsafeBytes { input in
                        try output.withUnsafeMutableBytes { try gunzip.unpack(input, into: $0) }
                    }
                    guard read > 0 || written > 0 else { return unpacked + [0] }
                    position += read
                    unpacked += output[..<written]
                } catch let failure as Gunzip.Failure {
                    let input: [UInt8] = []
                    #expect(throws: failure, "it stays") {
                        try input.withUnsafeBytes { input in
                            try output.withUnsafeMutableBytes { try gunzip.unpack(input, into: $0) }
                        }
                    }
                    return unpacked
                }
            }
        }
        let text = Array(Self.text.utf8)
        var wrong = Self.packed
        wrong[wrong.count - 8] ^= 1
        #expect(try unpack(wrong) == text)
        #expect(try unpack(Self.packed + wrong) == text + text)
        #expect(try unpack(Self.packed, limit: 13) == Array(text[..<13]))
    }

    @Test func `no more than the limit is unpacked`() throws {
        let length = UInt64(Self.text.utf8.count)
        #expect(try unpack(Self.packed, piece: 100, room: 100, limit: length).0.count == Int(length))
        for room in [1, 100] {
            #expect(throws: Gunzip.Failure.tooLong(limit: length - 1)) {
                try unpack(Self.packed, piece: 100, room: room, limit: length - 1)
            }
        }
    }
}
