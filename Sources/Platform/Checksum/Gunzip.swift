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

    private enum State {
        /// In a packed file:
        /// - its end → behind
        /// - a fault, or the limit → failed
        case inside
        /// At the end of a packed file:
        /// - the first byte of another one → beside
        /// - any other byte → padding
        case behind
        /// Behind a first byte:
        /// - the second byte → inside
        /// - any other byte → padding
        case beside
        /// Something follows that is not a packed file; it has no meaning.
        case padding
        /// No more can be unpacked.
        case failed(Failure)
    }

    private var state = State.inside

    /// Whether the data so far ends with the end of a packed file, or with padding behind one.
    package var isComplete: Bool {
        switch state {
        case .behind, .beside, .padding: true
        case .inside, .failed: false
        }
    }

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
    /// - Throws: The reason why no more can be unpacked. What was unpacked before is returned first.
    package func unpack(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (read: Int, written: Int) {
        var (read, written) = (0, 0)
        while true {
            switch state {
            case .failed(let failure):
                guard written > 0 else { throw failure }
                return (read, written)
            case .padding: return (input.count, written)
            case _ where read == input.count || written == output.count: return (read, written)
            case .behind:
                state = input[read] == Self.magic[0] ? .beside : .padding
                read += 1
            case .beside:
                guard input[read] == Self.magic[1] else {
                    state = .padding
                    continue
                }
                state = .inside
                inflateReset(stream)
                _ = Self.magic[..<1].withUnsafeBytes { inflate($0, output) }
            case .inside:
                let (taken, made) = inflate(
                    UnsafeRawBufferPointer(rebasing: input[read...]),
                    UnsafeMutableRawBufferPointer(rebasing: output[written...]))
                read += taken
                written += made
                if case .inside = state, taken == 0, made == 0 { return (read, written) }
            }
        }
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
    ) -> (read: Int, written: Int) {
        let (given, room) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        // zlib only reads its input; the type of the field has no const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = given
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = room
        let status = COkaeriZlib.inflate(stream, Z_NO_FLUSH)
        let (read, made) = (Int(given - stream.pointee.avail_in), Int(room - stream.pointee.avail_out))
        switch status {
        case Z_STREAM_END: state = .behind
        case Z_OK, Z_BUF_ERROR: break
        case Z_MEM_ERROR: state = .failed(.noMemory)
        default: state = .failed(.damaged)
        }
        let written = Int(min(UInt64(made), limit - unpacked))
        if written < made { state = .failed(.tooLong(limit: limit)) }
        unpacked += UInt64(written)
        return (read, written)
    }
}
