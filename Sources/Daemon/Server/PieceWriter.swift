import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Writes a body in pieces, each when the client has taken enough of those before it.
///
/// Without this, a connection that does not read holds a whole answer in its buffer, and the next one, which waits.
struct PieceWriter: ResponseBodyWriter {
    /// The maximum size of a piece in bytes, and of what a connection's buffer holds before the next one waits.
    static let size = 16 << 10

    private var writer: any ResponseBodyWriter

    private init(_ writer: any ResponseBodyWriter) {
        self.writer = writer
    }

    /// Returns a body that is written in pieces, if it is larger than one.
    static func split(_ body: ResponseBody) -> ResponseBody {
        guard let length = body.contentLength, length > size else { return body }
        return ResponseBody(contentLength: length) { try await body.write(PieceWriter($0)) }
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer.readableBytesView
        while !rest.isEmpty {
            // A slice would keep the whole body in memory until the client has read the last piece.
            try await writer.write(ByteBuffer(bytes: rest.prefix(Self.size)))
            rest = rest.dropFirst(Self.size)
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await writer.finish(trailingHeaders)
    }
}

extension ResponseBody {
    /// Returns a body of a content that is in memory already, each piece of which is copied when the client has taken those before it.
    static func pieces<Content: Collection & Sendable>(of content: Content) -> ResponseBody
    where Content.Element == UInt8 {
        ResponseBody(contentLength: content.count) { writer in
            var start = content.startIndex
            while start < content.endIndex {
                let end =
                    content.index(start, offsetBy: PieceWriter.size, limitedBy: content.endIndex) ?? content.endIndex
                try await writer.write(ByteBuffer(bytes: content[start..<end]))
                start = end
            }
            try await writer.finish(nil)
        }
    }
}
