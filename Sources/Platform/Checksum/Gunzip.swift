import COkaeriZlib

/// Unpacks what gzip has packed (RFC 1952), in pieces. Files that were packed one after another are one.
package final class Gunzip {
    /// The reason why a file cannot be unpacked, or not any further.
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// The data is not what gzip writes, or its checksum is wrong.
        case damaged

        /// The unpacked data is longer than the limit.
        case tooLong(limit: UInt64)

        /// The memory for the window cannot be allocated.
        case noMemory

        package var description: String {
            switch self {
            case .damaged: "the gzip data is damaged"
            case .tooLong(let limit):
                "the file has more than \(limit) bytes when unpacked; unpack it with `gunzip` first"
            case .noMemory: "there is not enough memory to unpack the file"
            }
        }
    }

    /// The first two bytes of a packed file.
    package static let magic: [UInt8] = [0x1F, 0x8B]

    /// The usual limit of unpacked bytes, 4 GiB: a small file can unpack to a thousand times its size, again and again.
    package static let usualLimit: UInt64 = 1 << 32

    /// At a fixed address, because zlib's own state points to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let limit: UInt64
    private var unpacked: UInt64 = 0

    /// Whether the data so far ends with the end of a packed file.
    package private(set) var isComplete = false

    package init(limit: UInt64 = usualLimit) throws(Failure) {
        self.limit = limit
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, Self.gzipWindow, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw .noMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The largest window, and 16 for gzip's header (zlib.h, inflateInit2).
    private static let gzipWindow: Int32 = 15 + 16

    /// Unpacks as much as there is room for.
    ///
    /// - Returns: The number of bytes taken from `input` and written to `output`. Without a byte written, more input is needed.
    package func unpack(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (read: Int, written: Int) {
        var (read, written) = (0, 0)
        while read < input.count, written < output.count {
            if isComplete {
                // Behind the end there may be another packed file, or padding, which means nothing.
                guard input[read] == Self.magic[0] else { return (input.count, written) }
                inflateReset(stream)
                isComplete = false
            }
            let (taken, made) = try inflate(
                UnsafeRawBufferPointer(rebasing: input[read...]),
                UnsafeMutableRawBufferPointer(rebasing: output[written...]))
            read += taken
            written += made
            if taken == 0, made == 0, !isComplete { break }
        }
        return (read, written)
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (read: Int, written: Int) {
        let (given, room) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        // zlib only reads its input; the type of the field has no const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = given
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = room
        let status = COkaeriZlib.inflate(stream, Z_NO_FLUSH)
        let (read, written) = (Int(given - stream.pointee.avail_in), Int(room - stream.pointee.avail_out))
        switch status {
        case Z_STREAM_END: isComplete = true
        case Z_OK, Z_BUF_ERROR: break
        case Z_MEM_ERROR: throw .noMemory
        default: throw .damaged
        }
        unpacked += UInt64(written)
        guard unpacked <= limit else { throw .tooLong(limit: limit) }
        return (read, written)
    }
}
