import Glibc
package import HTTPTypes
package import Hummingbird
import NIOCore
package import OkaeriPlumbing

/// An open file that an answer sends, and what is held until the answer is sent or dropped.
package final class SentFile: Sendable {
    private let descriptor: OwnedDescriptor
    private let held: any Sendable

    package init(_ descriptor: consuming OwnedDescriptor, holding held: any Sendable) {
        self.descriptor = descriptor
        self.held = held
    }

    /// The size of the file in bytes.
    var size: Int {
        var status = stat()
        return fstat(descriptor.number, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns the bytes at a position, one at least.
    func piece(at offset: Int) throws(SendFailure) -> ByteBuffer {
        var bytes = [UInt8](repeating: 0, count: PieceWriter.size)
        let count = try OwnedDescriptor.retrying({ _ in SendFailure.unreadable }) {
            pread(descriptor.number, &bytes, bytes.count, off_t(offset))
        }
        guard count > 0 else { throw .unreadable }
        return ByteBuffer(bytes: bytes.prefix(count))
    }

    /// The reason why an answer ends before the end of its file.
    enum SendFailure: Error {
        case unreadable
        /// The client reads too slowly.
        case late
    }
}

extension Exchange {
    /// Lets the client wait for as long as the daemon prepares its answer, which the caller must bound.
    package func beginLongAnswer() { connections.wait(channel) }

    /// Returns an answer that sends a file piece by piece, as the client reads it.
    ///
    /// A client that reads nothing for the time of a request loses its connection, as with any answer.
    ///
    /// - Parameter deadline: The time at which the answer ends, however fast the client reads.
    package func response(
        sending file: SentFile, headers: HTTPFields, until deadline: ContinuousClock.Instant
    ) -> Response {
        let size = file.size
        let body = ResponseBody(contentLength: size) { [connections, channel] writer in
            var offset = 0
            while offset < size {
                guard deadline > .now else { throw SentFile.SendFailure.late }
                let piece = try file.piece(at: offset)
                offset += piece.readableBytes
                connections.expect(channel)
                try await writer.write(piece)
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }
}
