/// Decrypts a file that is encrypted with a passphrase in the format of age v1 (https://c2sp.org/age), chunk by chunk in any order.
///
/// A chunk that is returned is authentic, and at its place. It reads no file itself.
package struct AgeDecryptor: Sendable {
    /// The number of bytes of the file's beginning that ``init(passphrase:beginning:fileSize:)`` needs, if the file has them.
    package static let beginningSize = AgeHeader.sizeLimit + AgeChunk.nonceSize
    /// The number of bytes of content in each chunk but the last one.
    package static let chunkSize = AgeChunk.size

    /// The number of bytes of the content, which is true once the last chunk is decrypted.
    package let size: Int64
    private let key: [UInt8]
    /// The position of the first chunk, and the size of the file.
    private let start, end: Int64
    private let lastIndex: Int64

    /// Whether a file begins as one of age.
    package static func isEncrypted(_ beginning: [UInt8]) -> Bool { AgeHeader.isBegin(beginning) }

    /// Reads the header, and checks the passphrase. Blocking, for seconds.
    ///
    /// - Parameters:
    ///   - beginning: The first ``beginningSize`` bytes of the file, or all of it.
    ///   - fileSize: The size of the file in bytes.
    package init(passphrase: [UInt8], beginning: [UInt8], fileSize: Int64) throws(AgeFailure) {
        let header = try AgeHeader(of: beginning)
        let headerSize = header.text.count
        let nonce = Array(beginning.dropFirst(headerSize).prefix(AgeChunk.nonceSize))
        start = Int64(headerSize + AgeChunk.nonceSize)
        end = fileSize
        // No sum overflows: the sizes are those of a file.
        let (sealed, whole, tag) = (fileSize - start, Int64(AgeChunk.sealedSize), Int64(Sodium.tagSize))
        guard nonce.count == AgeChunk.nonceSize, sealed >= tag else { throw .truncated }
        lastIndex = sealed == 0 ? 0 : (sealed - 1) / whole
        let last = sealed - lastIndex * whole
        // Only the content of an empty file has an empty chunk.
        guard last > tag || lastIndex == 0 else { throw .truncated }
        size = lastIndex * Int64(AgeChunk.size) + last - tag
        key = try AgeKey(of: header, passphrase: passphrase).contentKey(nonce: nonce)
    }

    /// Returns the position in the file, and the size, of the chunk at a position of the content.
    package func place(ofChunkAt position: Int64) -> (offset: Int64, count: Int) {
        let offset = start + index(at: position) * Int64(AgeChunk.sealedSize)
        return (offset, Int(min(Int64(AgeChunk.sealedSize), end - offset)))
    }

    /// Decrypts the chunk at a position of the content, from 0 up to ``size``.
    ///
    /// - Parameter sealed: The bytes at ``place(ofChunkAt:)``.
    package func content(_ sealed: [UInt8], ofChunkAt position: Int64) throws(AgeFailure) -> [UInt8] {
        let index = index(at: position)
        let isLast = index == lastIndex
        if let content = opened(sealed, index, isLast: isLast) { return content }
        guard opened(sealed, index, isLast: !isLast) != nil else { throw .content }
        throw isLast ? .truncated : .trailing
    }

    private func index(at position: Int64) -> Int64 { min(position / Int64(AgeChunk.size), lastIndex) }

    private func opened(_ sealed: [UInt8], _ index: Int64, isLast: Bool) -> [UInt8]? {
        Sodium.opened(sealed, nonce: AgeChunk.nonce(of: index, isLast: isLast), key: key)
    }
}
