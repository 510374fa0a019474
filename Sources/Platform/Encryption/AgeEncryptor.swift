/// Encrypts a stream with a passphrase, in the format of age v1 (https://c2sp.org/age), which the program `age` decrypts.
///
/// It holds one chunk of the stream, so that a stream may have any length.
package struct AgeEncryptor: Sendable {
    /// The work of a passphrase as the binary logarithm of the parameter N of scrypt.
    ///
    /// scrypt takes 64 MiB, and about a second on the slowest supported machine. The service may use 160 MB (MemoryMax).
    package static let logN = 16

    /// The bytes before the content: the header, and a nonce.
    package let preamble: [UInt8]
    private let key: [UInt8]
    private var index: Int64 = 0
    /// The bytes that are not encrypted yet, at most one chunk.
    private var waiting: [UInt8] = []

    /// - Throws: ``AgeFailure/memory`` or ``AgeFailure/work``.
    package init(passphrase: [UInt8], logN: Int = Self.logN) throws(AgeFailure) {
        let fileKey = AgeKey()
        let nonce = Sodium.random(AgeChunk.nonceSize)
        preamble = try fileKey.header(for: passphrase, logN: logN).text + nonce
        key = fileKey.contentKey(nonce: nonce)
        waiting.reserveCapacity(AgeChunk.size)
    }

    /// Encrypts the next bytes of the content. Returns those chunks that are certainly not the last one.
    package mutating func encrypted(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (rest, chunks) = (bytes, [] as [UInt8])
        while !rest.isEmpty {
            if waiting.count == AgeChunk.size { chunks += chunk(isLast: false) }
            let part = rest.prefix(AgeChunk.size - waiting.count)
            waiting += part
            rest = rest.dropFirst(part.count)
        }
        return chunks
    }

    /// Returns the last chunk.
    package mutating func end() -> [UInt8] { chunk(isLast: true) }

    private mutating func chunk(isLast: Bool) -> [UInt8] {
        defer {
            waiting.removeAll(keepingCapacity: true)
            index += 1
        }
        return Sodium.sealed(waiting[...], nonce: AgeChunk.nonce(of: index, isLast: isLast), key: key)
    }
}

/// A part of the content, which is authenticated by itself with its position (the construction STREAM).
enum AgeChunk {
    /// The number of bytes of content in each chunk but the last one, which has 1 to as many; none only if it is the first one.
    static let size = 64 << 10
    static let sealedSize = size + Sodium.tagSize
    /// The number of bytes of the nonce before the first chunk.
    static let nonceSize = 16

    /// Returns the nonce of a chunk: its index in 11 bytes, and whether it is the last one.
    static func nonce(of index: Int64, isLast: Bool) -> [UInt8] {
        let digits = withUnsafeBytes(of: index.bigEndian) { Array($0) }
        return [0, 0, 0] + digits + [isLast ? 1 : 0]
    }
}
