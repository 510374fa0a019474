import COkaeriZlib

/// Packs bytes as gzip does (RFC 1952), in pieces.
package final class Gzip {
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// The memory for the window cannot be allocated.
        case noMemory

        package var description: String { "there is not enough memory to pack the data" }
    }

    /// At a fixed address, because zlib's own state points to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var packed: [UInt8] = []

    /// The size of a piece of packed bytes.
    private static let piece = 16 << 10

    /// Half of the time of level 6 (zlib.h: deflateInit) for a picture of a day, and a twentieth more bytes.
    private static let level: Int32 = 5

    /// The largest window, and 16 for gzip's header; and the usual memory for the state (zlib.h: deflateInit2).
    private static let (window, memory): (Int32, Int32) = (15 + 16, 8)

    /// The memory of the state in bytes, for that window and that level of memory (zconf.h).
    package static let stateSize = 256 << 10

    package init() throws(Failure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, Self.level, Z_DEFLATED, Self.window, Self.memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw .noMemory
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Returns bytes as a whole.
    package static func pack(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        let gzip = try Gzip()
        bytes.withUnsafeBytes { gzip.add($0) }
        return gzip.end()
    }

    package func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.longestInput))
            // zlib only reads its input; the type of the field has no const.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(piece.count)
            deflate(Z_NO_FLUSH)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// The most that zlib takes at once fits in 32 bits.
    private static let longestInput = 1 << 30

    /// Returns the packed data so far, each byte of it once.
    package func taken() -> [UInt8] {
        defer { packed = [] }
        return packed
    }

    /// Ends the packed data.
    ///
    /// - Returns: All of it that was not taken. Nothing can be added any more.
    package func end() -> [UInt8] {
        (stream.pointee.next_in, stream.pointee.avail_in) = (nil, 0)
        deflate(Z_FINISH)
        return taken()
    }

    /// Packs the input, until there is room left in a piece: then zlib has taken all of it.
    private func deflate(_ flush: Int32) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.piece) { output in
            repeat {
                (stream.pointee.next_out, stream.pointee.avail_out) = (output.baseAddress, UInt32(output.count))
                _ = COkaeriZlib.deflate(stream, flush)
                packed.append(contentsOf: output.prefix(output.count - Int(stream.pointee.avail_out)))
            } while stream.pointee.avail_out == 0
        }
    }
}
